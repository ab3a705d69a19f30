// Token files, which someone else renews.
import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../../proto/kube/config/token-file.ts';
import { fakePorts, systemError } from '../../support/kubeconfig-ports.ts';

const MINUTE = 60_000;

describe('a token file', () => {
  it('is read once a minute', async () => {
    const ports = fakePorts({ '/token': 'one\n' });
    const source = new TokenFile(ports, '/token', 'it', '');
    expect(await source.current()).toEqual({ authorization: 'Bearer one' });
    ports.files.set('/token', 'two\n');
    ports.time += MINUTE - 1;
    expect(await source.current()).toEqual({ authorization: 'Bearer one' });
    ports.time += 1;
    expect(await source.current()).toEqual({ authorization: 'Bearer two' });
    expect(ports.reads).toHaveLength(2);
  });

  it('is read again at once when the server refused the token', async () => {
    const ports = fakePorts({ '/token': 'one' });
    const source = new TokenFile(ports, '/token', 'it', '');
    await source.current();
    ports.files.set('/token', 'two');
    expect(source.invalidate()).toBe(true);
    expect(await source.current()).toEqual({ authorization: 'Bearer two' });
  });

  it.each([
    ['is gone', systemError('ENOENT')],
    ['is empty', '\n'],
    ['is garbled', 'a b\u0000c'],
  ])('that %s for a while leaves the token before in use', async (_name, content) => {
    const ports = fakePorts({ '/token': 'one' });
    const source = new TokenFile(ports, '/token', 'it', 'fallback');
    await source.current();
    ports.files.set('/token', content);
    ports.time += MINUTE;
    expect(await source.current()).toEqual({ authorization: 'Bearer one' });
    ports.files.set('/token', 'two');
    ports.time += MINUTE;
    expect(await source.current()).toEqual({ authorization: 'Bearer two' });
  });

  it('beside a token wins while it can be read', async () => {
    const ports = fakePorts({ '/token': 'file' });
    expect(await new TokenFile(ports, '/token', 'it', 'entry').current()).toEqual({
      authorization: 'Bearer file',
    });
    ports.files.clear();
    expect(await new TokenFile(ports, '/token', 'it', 'entry').current()).toEqual({
      authorization: 'Bearer entry',
    });
  });

  it.each([
    ['is missing', systemError('ENOENT')],
    ['may not be read', systemError('EACCES')],
    ['is empty', ''],
    ['holds two words', 'a b'],
  ])('that %s from the start is an error', async (_name, content) => {
    const source = new TokenFile(fakePorts({ '/token': content }), '/token', 'it', '');
    await expect(source.current()).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      message: expect.stringContaining('/token'),
      hint: expect.any(String),
    });
  });

  it('is tried again after an error', async () => {
    const ports = fakePorts();
    const source = new TokenFile(ports, '/token', 'it', '');
    await expect(source.current()).rejects.toMatchObject({ code: 'BAD_KUBECONFIG' });
    ports.files.set('/token', 'late');
    expect(await source.current()).toEqual({ authorization: 'Bearer late' });
  });
});
