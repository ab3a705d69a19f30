// The lines between lab and node: what is sent is one line whatever the script, and a torn answer is noise.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine, encodeKill, encodeRun } from '../../lab/agent-protocol.ts';

describe('a command for a node', () => {
  it('is one line that holds the script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (script, id) => {
        const [verb, number, payload, ...rest] = encodeRun(id, script).trimEnd().split(' ');
        expect([verb, number, rest]).toEqual(['RUN', `${id}`, []]);
        expect(Buffer.from(payload ?? '', 'base64').toString()).toBe(Buffer.from(script).toString());
      }),
    );
  });

  it('can be taken back', () => {
    expect(encodeKill(7)).toBe('KILL 7\n');
  });
});

describe('an answer of a node', () => {
  it('says that it is ready, and since when', () => {
    expect(decodeLine('READY 0.61\r')).toEqual({ kind: 'ready', uptime: 0.61 });
  });

  it('has number, exit code and output', () => {
    const out = Buffer.from('größer\n').toString('base64');
    expect(decodeLine(`END 3 127 ${out}\r`)).toEqual({ kind: 'end', id: 3, code: 127, out: 'größer\n' });
  });

  it('may have no output', () => {
    expect(decodeLine('END 3 0 ')).toEqual({ kind: 'end', id: 3, code: 0, out: '' });
  });

  it.each(['', 'END 3', 'END x 0 ', 'READY', 'Kernel panic - not syncing'])(
    'is noise when it is "%s"',
    (text) => {
      expect(decodeLine(text)).toEqual({ kind: 'noise', text });
    },
  );
});
