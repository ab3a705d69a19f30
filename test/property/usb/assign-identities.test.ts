// Names over any history of plugging: unique, and never taken from a device that has one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignIdentities } from '../../../node/usb/assign-identities.ts';
import type { UsbDevice } from '../../../node/usb/device.ts';
import { decodeIdentityMap, encodeIdentityMap, type IdentityMap } from '../../../node/usb/identity-map.ts';
import { deviceOf } from '../../support/named-devices.ts';
import { adapterSpec, VHCI_CONTROLLER } from '../../support/usb-spec.ts';

/** One real thing; many of them look alike. */
interface Thing {
  readonly productId: number;
  readonly serial: string | undefined;
  readonly bcdDevice: number;
}

const THINGS: Thing[] = [1, 2].flatMap((productId) =>
  [undefined, 'S1', 'S1', 'S2'].flatMap((serial) =>
    [0x100, 0x200].map((bcdDevice) => ({ productId, serial, bcdDevice })),
  ),
);
const PORTS = ['1-1', '1-2', '2-1', '9-1'];

const made = new Map<string, UsbDevice>();
function inPort(thing: Thing, busId: string): UsbDevice {
  const key = JSON.stringify([thing, busId]);
  const { serial, ...rest } = thing;
  const controller = busId.startsWith('9-') ? { controller: VHCI_CONTROLLER } : {};
  const device =
    made.get(key) ??
    deviceOf(adapterSpec({ busId, deviceNumber: 2, ...rest, ...controller, ...(serial && { serial }) }));
  made.set(key, device);
  return device;
}

/** What is in each port (index of a thing), and which of the names then in use are pinned. */
const moment = fc.record({
  ports: fc.array(fc.option(fc.nat(THINGS.length - 1)), { minLength: PORTS.length, maxLength: PORTS.length }),
  pin: fc.option(fc.nat(PORTS.length - 1)),
});

describe('names', () => {
  it('are unique, stay while plugged, and pinned ones are never lost', () => {
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 12 }), (history) => {
        let map: IdentityMap = [];
        let before = new Map<UsbDevice, string>();
        const pinned = new Set<string>();
        for (const { ports, pin } of history) {
          const devices = PORTS.flatMap((busId, index) => {
            const thing = THINGS[ports[index] ?? -1];
            return thing ? [inPort(thing, busId)] : [];
          });
          const assigned = assignIdentities(devices, map, pinned, 'node');
          const names = assigned.entries.map(({ name }) => name);
          expect(assigned.entries.map(({ device }) => device)).toEqual(devices);
          expect(new Set(names).size).toBe(names.length);
          expect(new Set(assigned.map.map(({ name }) => name)).size).toBe(assigned.map.length);
          for (const { device, name } of assigned.entries) {
            if (before.has(device)) expect(name).toBe(before.get(device));
          }
          for (const name of pinned) expect(assigned.map.some((known) => known.name === name)).toBe(true);
          // The same again, through the file, changes nothing.
          map = decodeIdentityMap(encodeIdentityMap(assigned.map));
          const again = assignIdentities(devices, map, pinned, 'node');
          expect(again).toEqual(assigned);
          before = new Map(assigned.entries.map(({ device, name }) => [device, name]));
          const chosen = names[pin ?? -1];
          if (chosen) pinned.add(chosen);
        }
      }),
      { numRuns: 150 },
    );
  });
});
