// Tar archives: read back by the machine's tar, equal bytes for equal content, refusal of what does not fit.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeTar } from '../../lab/artefacts/tar.ts';

const sample = () =>
  encodeTar([
    { kind: 'folder', name: 'bin' },
    { kind: 'file', name: 'bin/tool', content: Buffer.from('#!'), mode: 0o755 },
    { kind: 'file', name: 'plain', content: Buffer.alloc(512, 1) },
    { kind: 'link', name: 'bin/alias', target: '/bin/tool' },
  ]);

function list(archive: Buffer): string[] {
  const args = ['-tv', '--utc', '--full-time', '--numeric-owner', '-f', '-'];
  return execFileSync('tar', args, { input: archive, encoding: 'utf8' }).trim().split('\n');
}

describe('a tar archive', () => {
  it('lists with kinds, modes, sizes, owner 0 and time 0', () => {
    expect(list(sample()).map((line) => line.replace(/ +/g, ' '))).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00:00 bin',
      '-rwxr-xr-x 0/0 2 1970-01-01 00:00:00 bin/tool',
      '-rw-r--r-- 0/0 512 1970-01-01 00:00:00 plain',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00:00 bin/alias -> /bin/tool',
    ]);
  });

  it('is the same for the same entries', () => {
    expect(sample().equals(sample())).toBe(true);
  });

  it('keeps any content, and consists of whole blocks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1500 }), (content) => {
        const archive = encodeTar([{ kind: 'file', name: 'f', content }]);
        expect(archive.length % 512).toBe(0);
        expect(archive.subarray(512, 512 + content.length).equals(content)).toBe(true);
        expect(Number.parseInt(archive.toString('latin1', 124, 135), 8)).toBe(content.length);
      }),
    );
  });

  it('is read back unchanged by tar', () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256));
    const archive = encodeTar([{ kind: 'file', name: 'f', content }]);
    expect(execFileSync('tar', ['-xO', '-f', '-'], { input: archive }).equals(content)).toBe(true);
  });

  it('refuses a name that ustar cannot hold', () => {
    expect(() => encodeTar([{ kind: 'folder', name: 'x'.repeat(101) }])).toThrow(RangeError);
    expect(() => encodeTar([{ kind: 'link', name: 'l', target: 'x'.repeat(101) }])).toThrow(RangeError);
  });
});
