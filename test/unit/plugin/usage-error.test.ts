// What a person is told about a wrong command line.
import { describe, expect, it } from 'vitest';
import { root } from '../../../plugin/commands/root.ts';
import { usageError } from '../../../plugin/run/usage-error.ts';

const tell = (words: string[], unknown: string) => {
  const { code, message, hint } = usageError(root, words, `Unknown argument: ${unknown}`);
  expect(code).toBe('USAGE');
  return { message, hint: hint ?? '' };
};

describe('usageError', () => {
  it('names the command that does not exist and the group it was looked for in', () => {
    expect(tell(['usb', 'lits'], 'lits').message).toContain('"lits" of "kubectl virt usb"');
    expect(tell(['ubs', 'list'], 'ubs').message).toContain('"ubs" of "kubectl virt"');
  });

  it('suggests commands of that group only', () => {
    expect(tell(['usb', 'shw'], 'shw').hint).toContain('"kubectl virt usb show"');
    expect(tell(['shw'], 'shw').hint).not.toContain('show');
    expect(tell(['versoin'], 'versoin').hint).toContain('"kubectl virt version"');
  });

  it('writes a flag as the person wrote it, without its value', () => {
    expect(tell(['usb', 'list', '--outptu=json'], 'outptu').message).toContain('flag --outptu of');
    expect(tell(['usb', 'list', '-x'], 'x').message).toContain('flag -x of');
    expect(tell(['usb', 'list', '--secret=s3cr3t'], 'secret').message).not.toContain('s3cr3t');
  });

  it('suggests flags of the command at hand, connection flags included', () => {
    expect(tell(['usb', 'list', '--outptu=json'], 'outptu').hint).toContain('--output');
    expect(tell(['version', '--contxt=a'], 'contxt').hint).toContain('--context');
    expect(tell(['version', '--wacth=true'], 'wacth').hint).not.toContain('--watch');
    expect(tell(['usb', '--hlep'], 'hlep').hint).toContain('--help');
  });

  it('tells apart a flag and an argument of the same name', () => {
    expect(tell(['usb', 'list', 'watch'], 'watch').message).toContain('argument "watch"');
  });

  it('always ends with where to read on', () => {
    for (const words of [['x'], ['usb', 'x'], ['usb', 'list', 'x'], ['usb', 'show', 'a', 'x']]) {
      expect(tell(words, 'x').hint).toContain('--help"');
    }
  });

  it('passes on what it does not know', () => {
    const { code, message, hint } = usageError(root, ['usb', 'list'], 'Something else');
    expect([code, message, hint]).toEqual(['USAGE', 'Something else', 'see "kubectl virt usb list --help"']);
  });
});
