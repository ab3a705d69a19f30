// The help pages and the version report, byte for byte.
import { describe, expect, it } from 'vitest';
import { run } from '../../unit/plugin/fake-host.ts';

const PAGES = {
  'help-root': '--help',
  'help-usb': 'usb -h',
  'help-list': 'usb list --help',
  'help-show': 'usb show --help',
  'help-completion': 'completion --help',
  'help-install': 'completion install --help',
  'help-version': 'version --help',
};

describe('help', () => {
  for (const [file, line] of Object.entries(PAGES)) {
    it(`of ${line} is printed on stdout`, async () => {
      const { code, out, err } = await run(line);
      expect([code, err]).toEqual([0, '']);
      await expect(out).toMatchFileSnapshot(`${file}.txt`);
    });
  }

  it('is what a group without a verb prints', async () => {
    expect(await run('usb')).toEqual(await run('usb --help'));
    expect(await run('')).toEqual(await run('--help'));
  });
});
