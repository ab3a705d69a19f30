// The loop that keeps the picture of this node's USB devices true: uevents and timers lead to a scan, and a scan that
// found something else is told.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Uevent } from '../netlink/uevent.ts';
import { LevelLoop } from '../run/level-loop.ts';
import type { Log } from '../run/log.ts';
import type { UsbDevice } from './device.ts';
import { type NodeUse, nodeUse, readUseTables } from './node-use.ts';
import type { ReadProblem } from './read-device.ts';
import { concernsUsb } from './relevant-uevent.ts';
import { scanUsb } from './scan.ts';
import type { SysfsTree } from './sysfs-tree.ts';
import type { UeventSource } from './uevent-source.ts';

export interface SeenDevice {
  readonly device: UsbDevice;
  readonly use: NodeUse;
}

export interface Sighting {
  readonly devices: readonly SeenDevice[];
  readonly problems: readonly ReadProblem[];
}

export interface DiscoveryOptions {
  readonly tree: SysfsTree;
  readonly source: UeventSource;
  readonly log: Log;
  /** Called when something changed, and awaited; when it rejects, the same is brought again. */
  readonly onSighting: (sighting: Sighting) => Promise<void>;
  readonly onGap?: (reason: string) => void;
  /** Every event, also those that lead to no scan. */
  readonly onEvent?: (event: Uevent) => void;
  /** For metrics. */
  readonly onScan?: (milliseconds: number) => void;
  /** Awaited before each scan: lets what is more urgent go first. */
  readonly turn?: (signal: AbortSignal) => Promise<void>;
  readonly periods?: DiscoveryPeriods;
}

/** Milliseconds. */
export interface DiscoveryPeriods {
  /** The first event of a burst is acted on at once, the others together when this has passed. */
  readonly burst: number;
  /** Mounting, swapping and setting an interface up make no uevent. */
  readonly use: number;
  readonly rescan: number;
}

const PERIODS: DiscoveryPeriods = { burst: 20, use: 2_000, rescan: 5 * 60_000 };

export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #periods: DiscoveryPeriods;
  readonly #loop: LevelLoop;
  #useTimer: NodeJS.Timeout | undefined;
  #scanned: readonly UsbDevice[] = [];
  #told: Sighting | undefined;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#periods = options.periods ?? PERIODS;
    this.#loop = new LevelLoop({
      name: 'discovery',
      log: options.log,
      ...(options.turn && { turn: options.turn }),
      gather: 0,
      period: this.#periods.rescan,
      work: async (signal) => {
        await this.#scan();
        await sleep(this.#periods.burst, undefined, { signal });
      },
    });
  }

  /** What the last scan failed with; undefined when it did not. */
  get problem(): string | undefined {
    return this.#loop.problem;
  }

  start(): void {
    const { source, log, onGap, onEvent } = this.#options;
    source.start({
      onEvent: (event) => {
        onEvent?.(event);
        if (concernsUsb(event)) this.#loop.trigger();
      },
      onGap: (reason) => {
        log.warn({ reason }, 'uevents were missed: every device is read again');
        onGap?.(reason);
        this.#loop.trigger();
      },
    });
    this.#useTimer = setInterval(() => this.#lookAtUse(), this.#periods.use);
    this.#loop.trigger();
  }

  /** Scans soon. */
  trigger(): void {
    this.#loop.trigger();
  }

  async stop(): Promise<void> {
    this.#options.source.close();
    clearInterval(this.#useTimer);
    await this.#loop.stop();
  }

  async #scan(): Promise<void> {
    const { tree, onSighting, onScan } = this.#options;
    const started = performance.now();
    const { devices, problems } = await scanUsb(tree, this.#scanned);
    this.#scanned = devices;
    const tables = readUseTables(tree);
    const sighting = {
      devices: devices.map((device) => ({ device, use: nodeUse(tree, device, tables) })),
      problems,
    };
    onScan?.(performance.now() - started);
    if (isDeepStrictEqual(sighting, this.#told)) return;
    this.#logNew(problems);
    await onSighting(sighting);
    this.#told = sighting;
  }

  #logNew(problems: readonly ReadProblem[]): void {
    for (const problem of problems) {
      if (this.#told?.problems.some((former) => isDeepStrictEqual(former, problem))) continue;
      this.#options.log.warn(problem, `USB device ${problem.busId}: ${problem.reason}`);
    }
  }

  /** Looks at disks and network interfaces only, so that it costs nothing on a node that has none on USB. */
  #lookAtUse(): void {
    const { tree } = this.#options;
    const seen = this.#told?.devices.filter(({ device }) => device.functions.some(canBeUsed)) ?? [];
    if (seen.length === 0) return;
    try {
      const tables = readUseTables(tree);
      const same = seen.every(({ device, use }) => isDeepStrictEqual(nodeUse(tree, device, tables), use));
      if (!same) this.#loop.trigger();
    } catch {
      // The scan meets the same error, and reports it.
      this.#loop.trigger();
    }
  }
}

function canBeUsed({ kind }: UsbDevice['functions'][number]): boolean {
  return kind === 'block' || kind === 'net';
}
