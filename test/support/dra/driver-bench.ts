// A DRA driver on node b over a memory kernel, a memory API server and real files; `restart` is a new process on them.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CdiStore, FileCdiStore } from '../../../node/dra/cdi-store.ts';
import { type ClaimStore, FileClaimStore } from '../../../node/dra/claim-store.ts';
import { sliceDevice } from '../../../node/dra/device-attributes.ts';
import { type CallLimits, DraDriver } from '../../../node/dra/driver.ts';
import type { DriverHost, FileLock } from '../../../node/dra/driver-host.ts';
import type { DamagedFile } from '../../../node/run/durable-file.ts';
import { KeyedLock } from '../../../node/run/keyed-lock.ts';
import type { ObjectRef, UsbDeviceStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { Fuse } from './fuse.ts';
import { MemoryAccess, MemoryKernel } from './memory-access.ts';
import { MemoryKube } from './memory-kube.ts';
import { deviceStatus, nodeObject, published, sliceOf } from './objects.ts';

export const quietLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function fused<T extends object>(
  target: T,
  fuse: Fuse,
  names: readonly (keyof T & string)[],
  kind: string,
): T {
  return new Proxy(target, {
    get(object, property) {
      const value = Reflect.get(object, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (names.includes(property as keyof T & string)) fuse.step(`${kind} ${String(property)}`);
        return value.apply(object, args);
      };
    },
  });
}

/** Excludes the instances of one test from each other, as flock would. */
const locks = new KeyedLock();
const fileLock: FileLock = (path, _timeout, work) => locks.run(path, work);

/** In memory where there is such a file system: fsync of hundreds of files costs seconds on a disk. */
export function memoryFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dra-'));
}

export interface Instance {
  readonly driver: DraDriver;
  readonly access: MemoryAccess;
  readonly host: DriverHost;
}

export class DriverBench {
  readonly folder = memoryFolder();
  readonly kernel = new MemoryKernel();
  readonly kube = new MemoryKube();
  readonly local = new Map<string, UsbDeviceStatus>();
  readonly damaged: DamagedFile[] = [];
  readonly checkpoints = join(this.folder, 'checkpoint');
  readonly cdiFolder = join(this.folder, 'cdi');
  holderOf: DriverHost['holderOf'] = () => undefined;

  constructor() {
    this.kube.put(RESOURCE_TYPES.nodes, nodeObject('a', '10.0.0.1:4280'));
    this.kube.put(RESOURCE_TYPES.nodes, nodeObject('b', '10.0.0.2:4280'));
    const far = ['usb-far', 'usb-far2'].map((name) => sliceDevice(published(name)));
    this.kube.put(RESOURCE_TYPES.resourceSlices, sliceOf('a', far));
    this.local.set('usb-near', deviceStatus('usb-near', { busID: '1-4' }));
  }

  /** A fresh driver object; everything else stays. */
  start(
    options: {
      fuse?: Fuse;
      bootId?: string;
      patience?: { wait: number; poll: number };
      limits?: CallLimits;
    } = {},
  ): Instance {
    const { fuse = new Fuse(), bootId = 'boot-1', patience = { wait: 60, poll: 10 }, limits } = options;
    const claims: ClaimStore = new FileClaimStore(this.checkpoints, (file) => this.damaged.push(file));
    const cdi: CdiStore = new FileCdiStore(this.cdiFolder);
    const access = new MemoryAccess(this.kernel, fuse);
    const host: DriverHost = {
      nodeName: 'b',
      bootId,
      kube: fused(this.kube, fuse, ['get', 'list', 'patch'], 'api'),
      access,
      devices: {
        list: () => [...this.local.values()],
        judge: async (device) => this.local.get(device),
      },
      claims: fused(claims, fuse, ['write', 'remove'], 'checkpoint'),
      cdi: fused(cdi, fuse, ['write', 'remove'], 'cdi'),
      fileLock,
      lockPath: join(this.folder, 'serialize.lock'),
      holderOf: (...args) => this.holderOf(...args),
      log: quietLog,
    };
    return { driver: new DraDriver(host, patience, limits), access, host };
  }

  /** What is on the node for claims: must be empty when all are unprepared. */
  leftovers(): { kernel: number; checkpoints: string[]; cdi: string[] } {
    const files = (folder: string) => {
      try {
        return readdirSync(folder).sort();
      } catch {
        return [];
      }
    };
    return {
      kernel: this.kernel.held.size,
      checkpoints: files(this.checkpoints),
      cdi: files(this.cdiFolder).filter((file) => !file.includes('_common')),
    };
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const NOTHING = { kernel: 0, checkpoints: [], cdi: [] };

/** The error code of one claim's outcome, or `ok`. */
export function codeOf(outcomes: ReadonlyMap<string, object>, claim: ObjectRef): string {
  const outcome = outcomes.get(claim.uid);
  if (!outcome) return 'missing';
  return 'error' in outcome ? (outcome.error as { code: string }).code : 'ok';
}

export function messageOf(outcomes: ReadonlyMap<string, object>, claim: ObjectRef): string {
  const outcome = outcomes.get(claim.uid);
  return outcome && 'error' in outcome ? (outcome.error as Error).message : '';
}
