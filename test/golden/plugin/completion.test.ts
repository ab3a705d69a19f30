// The completion scripts and the reply to a shell, byte for byte.
import { describe, expect, it } from 'vitest';
import { run } from '../../unit/plugin/fake-host.ts';

describe('kubectl virt completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])(
    'prints the script for %s and asks no cluster',
    async (shell) => {
      const connect = () => {
        throw new Error('must not connect');
      };
      const { code, out, err } = await run(['completion', shell], { connect });
      expect([code, err]).toEqual([0, '']);
      await expect(out).toMatchFileSnapshot(`completion-${shell}.txt`);
    },
  );

  it('tells a shell what devices there are', async () => {
    await expect((await run(['__complete', 'usb', 'show', ''])).out).toMatchFileSnapshot(
      'completion-devices.txt',
    );
  });
});
