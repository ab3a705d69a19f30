// The rows of USBNodeStatus: what claims hold here, what other nodes hold, and what each device is.
import { describe, expect, it } from 'vitest';
import type { CheckpointDevice, ClaimCheckpoint } from '../../../node/dra/checkpoint.ts';
import { deviceStatus, type NamedDevice, plugTimes, type Verdict } from '../../../node/usb/inventory.ts';
import { attachmentRows, exportRows } from '../../../node/usb/node-status.ts';
import { NO_USE } from '../../../node/usb/node-use.ts';
import { useSentence } from '../../../node/usb/use-sentence.ts';
import { deviceStatus as publishedStatus, ref } from '../../support/dra/objects.ts';
import { DISK, KEYBOARD, TOKEN } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';

const since = '2026-01-01T00:00:00.000Z';
const local = { kind: 'local', mode: 'usbfs', busId: '1-4', devid: 0x10002 } as const;
const imported = {
  kind: 'import',
  mode: 'driver',
  port: 8,
  devid: 0x20003,
  peer: '10.0.0.1',
  remoteBusId: '2-1',
} as const;

function checkpoint(name: string, ...devices: Partial<CheckpointDevice>[]): ClaimCheckpoint {
  return {
    bootId: 'boot-1',
    claim: ref(name),
    state: 'PrepareCompleted',
    since,
    devices: devices.map((device) => ({
      requests: ['usb'],
      pool: 'a',
      device: 'usb-1',
      mode: 'usbfs',
      cdiId: 'x',
      ...device,
    })),
  };
}

const nowhere = { busIdOf: () => undefined, podsOf: () => [] };

describe('attachments', () => {
  it('tell of a device of this node which claim and pod have it', () => {
    const facts = { busIdOf: () => '1-4', podsOf: () => [ref('pod-1'), ref('pod-2')] };
    expect(attachmentRows([checkpoint('c1', { attachment: local })], facts)).toEqual([
      {
        claim: ref('c1'),
        pod: ref('pod-1'),
        device: 'usb-1',
        pool: 'a',
        mode: 'usbfs',
        transport: 'local',
        busID: '1-4',
        state: 'Attached',
        since,
      },
    ]);
  });

  it('tell of an imported device which port it is behind', () => {
    const [row] = attachmentRows([checkpoint('c1', { mode: 'driver', attachment: imported })], nowhere);
    expect(row).toMatchObject({ transport: 'plain', vhciPort: 8, mode: 'driver' });
  });

  it('have no bus id when the kernel does not have the device any more, and no pod when none is known', () => {
    const [row] = attachmentRows([checkpoint('c1', { attachment: local })], nowhere);
    expect(row?.busID).toBe('');
    expect(row).not.toHaveProperty('pod');
  });

  it('are in preparation until all devices of the claim stand, and absent while the kernel was not touched', () => {
    const begun = {
      ...checkpoint('c1', { attachment: local }, { device: 'usb-2' }),
      state: 'PrepareStarted' as const,
    };
    expect(attachmentRows([begun], nowhere)).toMatchObject([{ device: 'usb-1', state: 'Preparing' }]);
  });

  it('are one a device, in the order of the claims', () => {
    const checkpoints = [
      checkpoint('c1', { attachment: local }, { device: 'usb-2', attachment: imported }),
      checkpoint('c2', { device: 'usb-3', attachment: local }),
    ];
    const rows = attachmentRows(checkpoints, nowhere);
    expect(rows.map(({ claim, device }) => `${claim.name} ${device}`)).toEqual([
      'c1 usb-1',
      'c1 usb-2',
      'c2 usb-3',
    ]);
  });
});

describe('exports', () => {
  const peer = { address: '10.0.0.2' };
  const entries = [{ status: publishedStatus('usb-1', { busID: '2-1' }) }];

  it('name the node and the claim that the grant names', () => {
    const grant = { device: 'usb-1', claim: ref('c1'), node: 'b' };
    expect(exportRows([{ busId: '2-1', peer, grant, since: 0 }], entries)).toEqual([
      {
        device: 'usb-1',
        busID: '2-1',
        peer: 'b',
        claim: ref('c1'),
        transport: 'plain',
        since: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('name the address when the node is not known', () => {
    expect(exportRows([{ busId: '2-1', peer, since: 0 }], entries)).toMatchObject([{ peer: '10.0.0.2' }]);
  });

  it('of a former run are named by their bus id, and their peer is unknown', () => {
    const rows = exportRows([{ busId: '2-1', since: 0 }], entries);
    expect(rows).toMatchObject([{ device: 'usb-1', peer: 'unknown' }]);
    expect(rows[0]).not.toHaveProperty('claim');
  });

  it('of a device that is not in the inventory have no name', () => {
    expect(exportRows([{ busId: '3-1', since: 0 }], entries)).toMatchObject([{ device: '' }]);
  });
});

function named(spec: typeof DISK, over: Partial<NamedDevice> = {}): NamedDevice {
  const kernel = new FakeUsbipKernel();
  kernel.plug('2-1', spec);
  const device = kernel.readDevice('2-1');
  if (!device) throw new Error('the device is not there');
  return {
    device,
    name: 'usb-1',
    identity: 'x',
    identityForm: 'serial',
    duplicateSerial: false,
    fingerprint: 'sha256:00',
    ...over,
  };
}

const offered: Verdict = { verdict: 'Offered', rule: 'default/offer', reason: 'no rule blocks it' };

describe('the description of a device', () => {
  it('has numbers in lower-case hexadecimal digits of full length', () => {
    const status = deviceStatus(named(TOKEN), offered, since);
    expect(status).toMatchObject({
      vendorID: '08e6',
      productID: '3437',
      bcd: '0100',
      class: '00',
      speed: 12,
    });
    expect(status.interfaces).toEqual([{ number: 0, class: '0b', subClass: '00', protocol: '00' }]);
  });

  it('leaves out what is not known or not so', () => {
    const status = deviceStatus(named(TOKEN), offered, since);
    for (const key of ['serial', 'product', 'duplicateSerial', 'descriptorsHash', 'namespaces'])
      expect(status).not.toHaveProperty(key);
  });

  it('tells a twin, the namespaces, and the time that it is given', () => {
    const verdict = { ...offered, namespaces: ['team-a'] };
    const status = deviceStatus(
      named(DISK, { duplicateSerial: true, descriptorsHash: 'ff' }),
      verdict,
      since,
    );
    expect(status).toMatchObject({
      duplicateSerial: true,
      descriptorsHash: 'ff',
      namespaces: ['team-a'],
      serial: 'LAB0001',
      pluggedAt: since,
    });
  });

  it('keeps the time of those that were there, and gives `now` to the others', () => {
    const there = named(KEYBOARD);
    const entry = { device: there.device, use: NO_USE, status: deviceStatus(there, offered, 't1') };
    expect([...plugTimes([entry], ['usb-1', 'usb-2'], 't2')]).toEqual([
      ['usb-1', 't1'],
      ['usb-2', 't2'],
    ]);
    expect(plugTimes([entry], [], 't2').size).toBe(0);
  });
});

describe('what the node does with a device, in words', () => {
  it('is nothing for a device that it does not use', () => {
    expect(useSentence(NO_USE)).toBeUndefined();
  });

  it('is everything that it does', () => {
    const use = {
      mounts: ['sda1 on /mnt'],
      swaps: ['sda2'],
      holders: ['sda by dm-0'],
      networkUp: ['eth1'],
    };
    expect(useSentence(use)).toBe(
      'sda1 on /mnt is mounted, sda2 is swap, held: sda by dm-0, network interface eth1 is up',
    );
  });
});
