// A node: a real Linux kernel with USB that runs as an ordinary process, sees the machine's files and keeps a disk.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createWriteStream, existsSync, openSync, readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { GATEWAY, nodeAddress, nodeMac, nodeName } from './addresses.ts';
import { AgentChannel, type ShellResult } from './agent-channel.ts';
import { run } from './command.ts';
import { kernelArguments } from './kernel-arguments.ts';
import { LabError } from './lab-error.ts';
import type { LabNetwork } from './network.ts';
import type { RunRecord } from './run-record.ts';
import { waitFor } from './wait.ts';

export interface NodeOptions {
  readonly index: number;
  /** The kernel's executable. */
  readonly kernel: string;
  /** MiB of memory; taken from the machine as it is used. */
  readonly memory?: number;
  /** MiB of the disk; taken from the machine as it is used. */
  readonly disk?: number;
}

export interface ShellOptions {
  /** Milliseconds; default 60 000. */
  readonly timeout?: number;
}

const BOOT_TIME = 60_000;

export class LabNode {
  readonly name: string;
  readonly index: number;
  readonly address: string;
  /** Folder of the node on the machine; the node reads it under the same path. */
  readonly folder: string;
  readonly #options: NodeOptions;
  readonly #record: RunRecord;
  readonly #network: LabNetwork;
  #process: ChildProcess | undefined;
  #agent: AgentChannel | undefined;

  /** `folder` is made; the node is off. */
  constructor(options: NodeOptions, record: RunRecord, network: LabNetwork) {
    this.#options = options;
    this.#record = record;
    this.#network = network;
    this.index = options.index;
    this.name = nodeName(options.index);
    this.address = nodeAddress(options.index);
    this.folder = record.makeFolder('nodes', this.name);
  }

  get isOn(): boolean {
    return this.#process !== undefined;
  }

  /** Files on the machine: what the kernel said, and what containerd and the kubelet log. */
  get logs(): { kernel: string; containerd: string; kubelet: string } {
    return {
      kernel: `${this.folder}/kernel.log`,
      containerd: `${this.folder}/containerd.log`,
      kubelet: `${this.folder}/kubelet.log`,
    };
  }

  /** Switches the node on and returns after how many ms it took commands. The first time the disk is empty. */
  async boot(): Promise<number> {
    if (this.#process) throw new LabError(`node ${this.name} is on already`);
    const start = performance.now();
    await this.#makeDisk();
    const child = this.#start();
    const agent = new AgentChannel(child.stdio[3] as Duplex);
    this.#process = child;
    this.#agent = agent;
    child.once('exit', (code, signal) => {
      this.#process = undefined;
      agent.close(new LabError(`node ${this.name} went down (${signal ?? code})\n${this.#lastWords()}`));
    });
    const timer = setTimeout(() => agent.close(this.#bootTooSlow()), BOOT_TIME);
    await agent.ready.finally(() => clearTimeout(timer));
    return performance.now() - start;
  }

  /** Runs a bash script in the node, beside any that are running; its exit code is not judged. */
  sh(script: string, options: ShellOptions = {}): Promise<ShellResult> {
    if (!this.#agent) throw new LabError(`node ${this.name} has never been on`);
    return this.#agent.run(script, options.timeout ?? 60_000);
  }

  /** Runs a bash script in the node and returns what it printed, trimmed; throws LabError unless it exits with 0. */
  async ok(script: string, options?: ShellOptions): Promise<string> {
    const { out, code } = await this.sh(script, options);
    if (code === 0) return out.trim();
    throw new LabError(`on node ${this.name}, exit code ${code}: ${script}\n${out.trim()}`);
  }

  /** Takes the power away: nothing is written back, no connection is closed. `boot` switches it on again. */
  async powerLoss(): Promise<void> {
    const child = this.#process;
    if (!child?.pid) throw new LabError(`node ${this.name} is off already`);
    const ended = once(child, 'exit');
    // The kernel's tasks are processes of its group.
    process.kill(-child.pid, 'SIGKILL');
    await ended;
    await waitFor(`node ${this.name} is off`, () => !this.isOn, { interval: 5 });
  }

  /** Forgets names of the machine's files that it has cached: needed after a file was replaced by a rename. */
  async refreshFiles(): Promise<void> {
    await this.ok('sync; echo 2 >/proc/sys/vm/drop_caches');
  }

  get #disk(): string {
    return `${this.folder}/disk.img`;
  }

  async #makeDisk(): Promise<void> {
    if (existsSync(this.#disk)) return;
    const size = `${this.#options.disk ?? 4096}M`;
    await run('mkfs.ext4', ['-q', '-F', '-E', 'nodiscard', this.#disk, size]);
  }

  #start(): ChildProcess {
    const log = openSync(this.logs.kernel, 'a');
    const args = kernelArguments({
      name: this.name,
      address: this.address,
      gateway: GATEWAY,
      mac: nodeMac(this.index),
      tap: `tap${this.index}`,
      memory: this.#options.memory ?? 1536,
      disk: this.#disk,
      init: this.#record.path('guest', 'init.sh'),
      scratch: this.#record.makeFolder('uml'),
    });
    const child = spawn(...this.#network.inside(this.#options.kernel, args), {
      stdio: ['ignore', log, log, 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    closeSync(log);
    this.#record.noteGroup(child.pid, `node ${this.name}`);
    const [, , , , containerd, kubelet] = child.stdio as unknown[] as Readable[];
    containerd?.pipe(createWriteStream(this.logs.containerd, { flags: 'a' }));
    kubelet?.pipe(createWriteStream(this.logs.kubelet, { flags: 'a' }));
    return child;
  }

  #bootTooSlow(): LabError {
    return new LabError(`node ${this.name} did not boot within ${BOOT_TIME} ms\n${this.#lastWords()}`);
  }

  #lastWords(): string {
    const text = existsSync(this.logs.kernel) ? readFileSync(this.logs.kernel, 'latin1') : '';
    return text.split('\n').slice(-25).join('\n');
  }
}
