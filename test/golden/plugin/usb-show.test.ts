// The pages of `usb show`, one for each state, byte for byte.
import { describe, expect, it } from 'vitest';
import { run } from '../../unit/plugin/fake-host.ts';
import { FakeKube, forbidden } from '../../unit/plugin/fake-kube.ts';
import { ADAPTER, ago, CAMERA, DISK, KEYBOARD, LOST, PRINTER, TOKEN } from '../../unit/plugin/lab-facts.ts';

const PAGES = {
  attached: DISK,
  available: CAMERA,
  blocked: KEYBOARD,
  assigned: ADAPTER,
  unsafe: PRINTER,
  absent: LOST,
  unreachable: TOKEN,
};

function withEvents(): FakeKube {
  const event = (name: string, kind: string, reason: string, seconds: number) => ({
    metadata: { name: `${name}.${reason}`, namespace: 'lab' },
    involvedObject: { kind, name, uid: `uid-of-${name}` },
    reason,
    message: `${reason} of ${name}`,
    type: 'Normal',
    lastTimestamp: ago(seconds),
  });
  return new FakeKube({
    'events@lab?involvedObject.uid=uid-of-disk': [event('disk', 'ResourceClaim', 'Attached', 300)],
    'events@lab?involvedObject.uid=uid-of-web': [event('web', 'Pod', 'Scheduled', 310)],
  });
}

describe('kubectl virt usb show', () => {
  for (const [state, name] of Object.entries(PAGES)) {
    it(`prints the page of a device that is ${state}`, async () => {
      const { code, out, err } = await run(['usb', 'show', name], { kube: withEvents() });
      expect([code, err]).toEqual([0, '']);
      await expect(out).toMatchFileSnapshot(`show-${state}.txt`);
    });
  }

  it('prints the page without what may not be read', async () => {
    const kube = new FakeKube({ events: forbidden('events'), nodes: forbidden('nodes') });
    const { code, out, err } = await run(['usb', 'show', DISK], { kube });
    expect(code).toBe(0);
    await expect(err + out).toMatchFileSnapshot('show-few-rights.txt');
  });

  it('prints the one USBNodeStatus with the one device as JSON', async () => {
    const { out } = await run(['usb', 'show', 'datatraveler', '-ojson']);
    await expect(out).toMatchFileSnapshot('show.json.txt');
  });
});
