// Names that stay with their devices: what happens when devices come, go, move, and look alike.
import { describe, expect, it } from 'vitest';
import { assignIdentities } from '../../../node/usb/assign-identities.ts';
import type { IdentityMap } from '../../../node/usb/identity-map.ts';
import { deviceOf } from '../../support/named-devices.ts';
import { adapterSpec, diskSpec, type UsbDeviceSpec, VHCI_CONTROLLER } from '../../support/usb-spec.ts';

/** A node over time. `see` takes what is plugged and answers with identities by bus id. */
class Node {
  map: IdentityMap = [];
  readonly pinned = new Set<string>();
  names = new Map<string, string>();
  duplicates = new Set<string>();

  see(...specs: UsbDeviceSpec[]): Record<string, string> {
    const { entries, map } = assignIdentities(specs.map(deviceOf), this.map, this.pinned, 'node-a');
    this.map = map;
    this.names = new Map(entries.map(({ device, name }) => [device.busId, name]));
    this.duplicates = new Set(
      entries.filter((entry) => entry.duplicateSerial).map(({ device }) => device.busId),
    );
    return Object.fromEntries(entries.map(({ device, identity }) => [device.busId, identity]));
  }

  pin(busId: string): void {
    this.pinned.add(this.names.get(busId) ?? 'none');
  }
}

let deviceNumber = 1;
const place = (busId: string) => {
  deviceNumber += 1;
  return { busId, deviceNumber };
};
const disk = (busId: string, more: Partial<UsbDeviceSpec> = {}) =>
  diskSpec({ ...place(busId), serial: 'S1', ...more });
const adapter = (busId: string, more: Partial<UsbDeviceSpec> = {}) =>
  adapterSpec({ ...place(busId), ...more });

const BY_SERIAL = '0951:1666:S1';
const atPort = (port: string) => `0951:1666@0000:00:14.0-${port}`;
const adapterAt = (port: string) => `1a86:7523@0000:00:14.0-${port}`;

describe('a device with a serial', () => {
  it('keeps its name in another port, and at another speed', () => {
    const node = new Node();
    expect(node.see(disk('3-1'))).toEqual({ '3-1': BY_SERIAL });
    const name = node.names.get('3-1');
    node.see();
    expect(node.see(disk('1-4', { speed: 480 }))).toEqual({ '1-4': BY_SERIAL });
    expect(node.names.get('1-4')).toBe(name);
  });

  it('has another name on another node', () => {
    const names = ['node-a', 'node-b'].map((node) =>
      assignIdentities([deviceOf(disk('3-1'))], [], new Set(), node),
    );
    expect(new Set(names.map(({ entries }) => entries[0]?.name)).size).toBe(2);
  });

  it('keeps its name with other descriptors, which the fingerprint is there to show', () => {
    const node = new Node();
    node.see(disk('3-1'));
    expect(node.see(disk('3-1', { bcdDevice: 0x0200 }))).toEqual({ '3-1': BY_SERIAL });
  });
});

describe('twins', () => {
  it('get the port in their names, the later ones, and a mark', () => {
    const node = new Node();
    node.see(disk('3-1'));
    expect(node.see(disk('3-1'), disk('3-2'))).toEqual({ '3-1': BY_SERIAL, '3-2': atPort('2') });
    expect([...node.duplicates]).toEqual(['3-2']);
  });

  it('never rename the one that was there, whatever their bus ids', () => {
    const node = new Node();
    node.see(disk('3-2'));
    expect(node.see(disk('3-1'), disk('3-2'))).toEqual({ '3-1': atPort('1'), '3-2': BY_SERIAL });
  });

  it('keep their names while plugged when the first has gone', () => {
    const node = new Node();
    node.see(disk('3-1'));
    node.see(disk('3-1'), disk('3-2'));
    expect(node.see(disk('3-2'))).toEqual({ '3-2': atPort('2') });
  });

  it('get the serial when they are plugged again and nobody has it', () => {
    const node = new Node();
    node.see(disk('3-1'));
    node.see(disk('3-1'), disk('3-2'));
    node.see();
    expect(node.see(disk('3-2'))).toEqual({ '3-2': BY_SERIAL });
  });

  it('do not get the name of one that is pulled out while it is in use', () => {
    const node = new Node();
    node.see(disk('3-1'));
    node.see(disk('3-1'), disk('3-2'));
    node.pin('3-1');
    node.see(disk('3-2'));
    node.see();
    expect(node.see(disk('3-2'))).toEqual({ '3-2': atPort('2') });
    expect(node.see(disk('3-1'), disk('3-2'))).toEqual({ '3-1': BY_SERIAL, '3-2': atPort('2') });
  });

  it('that come together get one serial between them', () => {
    const identities = Object.values(new Node().see(disk('3-1'), disk('3-2'), disk('3-3')));
    expect(identities).toEqual([BY_SERIAL, atPort('2'), atPort('3')]);
  });
});

describe('a device without a serial', () => {
  it('is named by its port', () => {
    const node = new Node();
    expect(node.see(adapter('1-1'), adapter('1-2'))).toEqual({
      '1-1': adapterAt('1'),
      '1-2': adapterAt('2'),
    });
    expect(node.duplicates.size).toBe(0);
  });

  it('has its name again when it is plugged again, also into the port of an equal one', () => {
    const node = new Node();
    node.see(adapter('1-1'));
    const name = node.names.get('1-1');
    node.see();
    node.see(adapter('1-1'));
    expect(node.names.get('1-1')).toBe(name);
  });

  it('never inherits the name of one with other descriptors', () => {
    const node = new Node();
    node.see(adapter('1-1'));
    const other = adapter('1-1', { bcdDevice: 0x0264 });
    const identity = node.see(other)['1-1'];
    expect(identity).toMatch(/^1a86:7523@0000:00:14\.0-1#[0-9a-f]{8}$/);
    node.see();
    expect(node.see(adapter('1-1'))).toEqual({ '1-1': adapterAt('1') });
    expect(node.see(other)).toEqual({ '1-1': identity });
  });

  it('keeps its name when its descriptors cannot be read for once', () => {
    const known = assignIdentities([deviceOf(adapter('1-1'))], [], new Set(), 'n');
    const { descriptors: _, ...unreadable } = deviceOf(adapter('1-1'));
    const again = assignIdentities([unreadable], known.map, new Set(), 'n');
    expect(again.entries[0]?.name).toBe(known.entries[0]?.name);
    expect(again.map[0]?.descriptorsHash).toBe(known.map[0]?.descriptorsHash);
  });

  it('does not share a name with an equal one on the other hub of the controller', () => {
    const identities = Object.values(new Node().see(adapter('1-1'), adapter('2-1')));
    expect(new Set(identities).size).toBe(2);
  });
});

describe('an imported device', () => {
  it('never takes the serial from a device of this node', () => {
    const node = new Node();
    const imported = disk('9-1', { controller: VHCI_CONTROLLER });
    expect(node.see(imported)).toEqual({ '9-1': '0951:1666@vhci_hcd.0-1' });
    expect(node.see(imported, disk('3-1'))['3-1']).toBe(BY_SERIAL);
    expect(node.duplicates.size).toBe(0);
  });
});

describe('what is remembered', () => {
  it('is every name that is in use, and nothing of others with a serial', () => {
    const node = new Node();
    node.see(disk('3-1'), disk('3-2', { serial: 'S2' }));
    node.pin('3-1');
    node.see();
    expect(node.map.map(({ identity }) => identity)).toEqual([BY_SERIAL]);
  });

  it('is bounded', () => {
    const node = new Node();
    for (let round = 0; round < 100; round++) node.see(adapter('1-1', { bcdDevice: round }));
    expect(node.map.length).toBeLessThanOrEqual(65);
  });

  it('may be lost: the names in use are found again', () => {
    const node = new Node();
    node.see(disk('3-1'));
    node.see(disk('3-1'), disk('3-2'));
    node.pin('3-2');
    node.map = [];
    expect(node.see(disk('3-2'))).toEqual({ '3-2': atPort('2') });
  });
});
