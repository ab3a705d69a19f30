// The devices of this node over time: what is plugged, what was pulled out while a claim has it, and what each is called.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { LocalDevices } from '../dra/local-devices.ts';
import { assignIdentities } from './assign-identities.ts';
import type { UsbDevice } from './device.ts';
import type { SeenDevice } from './discovery.ts';
import type { IdentityMap } from './identity-map.ts';
import { deviceStatus, type InventoryEntry, type NamedDevice, plugTimes, type Verdict } from './inventory.ts';
import { NO_USE, type NodeUse } from './node-use.ts';

export interface NodeInventoryOptions {
  readonly nodeName: string;
  readonly identities: IdentityMap;
  /** Awaited before new names are shown to anybody: a name that is forgotten in a crash could go to another device. */
  readonly saveIdentities: (map: IdentityMap) => Promise<void>;
  readonly judge: (devices: readonly { named: NamedDevice; use: NodeUse }[]) => Verdict[];
  /** Reads one device and its use now. */
  readonly readNow: (busId: string) => SeenDevice | undefined;
  /** Names of devices that claims have allocated. */
  readonly allocated: () => ReadonlySet<string>;
  /** Names of devices that are prepared or exported here: what happens to them is a pod's doing, not the node's. */
  readonly held: () => ReadonlySet<string>;
  readonly onChange: () => void;
}

export class NodeInventory implements LocalDevices {
  readonly #options: NodeInventoryOptions;
  #identities: IdentityMap;
  #entries: readonly InventoryEntry[] = [];
  #lost: readonly InventoryEntry[] = [];
  #seen: readonly SeenDevice[] | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: NodeInventoryOptions) {
    this.#options = options;
    this.#identities = options.identities;
  }

  /** False until the first sighting was taken in. */
  get ready(): boolean {
    return this.#seen !== undefined;
  }

  /** Plugged devices of this node, without those imported from others. */
  entries(): readonly InventoryEntry[] {
    return this.#entries;
  }

  /** Devices that were pulled out while claims have them allocated. */
  lost(): readonly InventoryEntry[] {
    const allocated = this.#options.allocated();
    return this.#lost.filter(({ status }) => allocated.has(status.name));
  }

  list(): readonly UsbDeviceStatus[] {
    return this.#entries.map(({ status }) => status);
  }

  async judge(name: string): Promise<UsbDeviceStatus | undefined> {
    const entry = this.#entries.find(({ status }) => status.name === name);
    const seen = entry && this.#options.readNow(entry.status.busID);
    if (!entry || !seen || !isSame(seen.device, entry.device)) return undefined;
    const named = { ...namedOf(entry), device: seen.device };
    return this.#judged([{ named, use: seen.use }], new Map([[name, entry.status.pluggedAt]]))[0]?.status;
  }

  /** Takes in what discovery saw; `now` is RFC 3339. */
  take(seen: readonly SeenDevice[], now: string): Promise<void> {
    return this.#inTurn(() => this.#take(seen, now));
  }

  /** Judges what is plugged again, after the labels of the node or the holders of devices changed. */
  judgeAgain(now: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#seen) await this.#take(this.#seen, now);
    });
  }

  /** Saving takes time, and an older sighting must not be what is shown in the end. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #take(seen: readonly SeenDevice[], now: string): Promise<void> {
    const { nodeName, allocated, held, saveIdentities, onChange } = this.#options;
    const own = seen.filter(({ device }) => !device.imported);
    const pinned = new Set([...allocated(), ...held()]);
    const devices = own.map(({ device }) => device);
    const { entries: named, map } = assignIdentities(devices, this.#identities, pinned, nodeName);
    if (JSON.stringify(map) !== JSON.stringify(this.#identities)) await saveIdentities(map);
    this.#identities = map;
    const uses = new Map(own.map(({ device, use }) => [device.busId, use]));
    const names = named.map(({ name }) => name);
    const present = new Set(names);
    const before = [...this.#entries, ...this.#lost];
    const entries = this.#judged(
      named.map((one) => ({ named: one, use: uses.get(one.device.busId) ?? NO_USE })),
      plugTimes(this.#entries, names, now),
    );
    this.#lost = before.filter(({ status }) => pinned.has(status.name) && !present.has(status.name));
    this.#entries = entries;
    this.#seen = seen;
    onChange();
  }

  #judged(
    devices: readonly { named: NamedDevice; use: NodeUse }[],
    pluggedAt: ReadonlyMap<string, string>,
  ): InventoryEntry[] {
    const held = this.#options.held();
    const judged = devices.map(({ named, use }) => ({ named, use: held.has(named.name) ? NO_USE : use }));
    const verdicts = this.#options.judge(judged);
    return judged.map(({ named, use }, i) => {
      const verdict = verdicts[i] ?? { verdict: 'Blocked', rule: 'built-in/undecided', reason: 'not judged' };
      return {
        device: named.device,
        use,
        status: deviceStatus(named, verdict, pluggedAt.get(named.name) ?? ''),
      };
    });
  }
}

function isSame(a: UsbDevice, b: UsbDevice): boolean {
  return (
    a.deviceNumber === b.deviceNumber &&
    a.vendorId === b.vendorId &&
    a.productId === b.productId &&
    a.serial === b.serial
  );
}

function namedOf({ device, status }: InventoryEntry): NamedDevice {
  return {
    device,
    name: status.name,
    identity: status.identity,
    identityForm: status.identityForm,
    duplicateSerial: status.duplicateSerial ?? false,
    fingerprint: status.fingerprint,
    ...(status.descriptorsHash !== undefined && { descriptorsHash: status.descriptorsHash }),
  };
}
