// How a person names a VM.
import { describe, expect, it } from 'vitest';
import { findVm, parseVm } from '../../../../plugin/usb/change/vm.ts';
import { codeOf } from '../code-of.ts';
import { vmOf } from './change-objects.ts';

describe('a VM is named by', () => {
  it.each([
    ['web', undefined, { name: 'web' }],
    ['web', 'lab', { name: 'web', namespace: 'lab' }],
    ['vm/web', undefined, { name: 'web' }],
    ['web.lab', undefined, { name: 'web', namespace: 'lab' }],
    ['vm/web.lab', 'lab', { name: 'web', namespace: 'lab' }],
    ['web.example.lab', undefined, { name: 'web.example', namespace: 'lab' }],
  ])('%s with -n %s', (text, flag, name) => {
    expect(parseVm(text, flag)).toEqual(name);
  });

  it.each([
    ['', undefined],
    ['vm/', undefined],
    ['web.', undefined],
    ['.lab', undefined],
    ['pod/web', undefined],
    ['vm/a/b', undefined],
    ['web.lab', 'other'],
  ])('nothing like %j with -n %s', (text, flag) => {
    expect(codeOf(() => parseVm(text, flag))).toBe('USAGE');
  });
});

describe('a VM that does not exist', () => {
  it.each([
    ['wbe', /nearest ones are: web/],
    ['we', /nearest ones are: web/],
    ['something-else', /kubectl get virtualmachines -n lab/],
  ])('%s is answered with what there is', (name, hint) => {
    expect(() => findVm(name, 'lab', [vmOf('web'), vmOf('database')])).toThrowError(
      expect.objectContaining({ code: 'NOT_FOUND', hint: expect.stringMatching(hint) }),
    );
  });

  it('never hides one that does', () => {
    expect(findVm('web', 'lab', [vmOf('web2'), vmOf('web')]).metadata.name).toBe('web');
  });
});
