// A real `virt-node` as a child process: its log, its probes and how it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pollUntil } from '../../node/usbip/polling.ts';

const MAIN = fileURLToPath(new URL('../../node/main.ts', import.meta.url));

export interface ProgramStart {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of node itself, before the program. */
  readonly nodeArguments?: readonly string[];
}

export interface LogLine {
  readonly level: number;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class AgentProcess {
  readonly log: LogLine[] = [];
  /** What was printed, log included. */
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  /** Settles when its output was read to the end, too. */
  readonly ended: Promise<Ending>;

  constructor({ argv, env = {}, nodeArguments = [] }: ProgramStart) {
    const { PATH = '' } = process.env;
    // Compiled code is kept between the many starts of a test run; a third of the time of each.
    const NODE_COMPILE_CACHE = join(tmpdir(), 'kubectl-virt-compile-cache');
    this.#child = spawn(process.execPath, [...nodeArguments, MAIN, ...argv], {
      env: { PATH, NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (stdout) createInterface(stdout).on('line', (line) => this.#read(line));
    stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  /** The first line of the log with this message, which may still be to come. */
  async logged(message: string): Promise<LogLine> {
    const find = () => this.log.find((line) => line.message === message);
    const line = await pollUntil(() => find() ?? (this.hasEnded || undefined), {
      interval: 3,
      timeout: 30_000,
    });
    if (typeof line === 'object') return line;
    const said = [...this.log.map((each) => each.message), this.stderr].join('\n');
    throw new Error(`the program did not log "${message}", but:\n${said}`);
  }

  /** Of the probe server. */
  async get(path: string): Promise<{ status: number; body: string }> {
    const { port } = await this.logged('probes and metrics are served');
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.text() };
  }

  /** The value of one line of /metrics, named with its labels. */
  async metric(name: string): Promise<number> {
    const { body } = await this.get('/metrics');
    const line = body.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  }

  openFiles(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.#child.kill(signal);
    return this.ended;
  }

  #read(line: string): void {
    this.stdout += `${line}\n`;
    if (line.startsWith('{')) this.log.push(JSON.parse(line) as LogLine);
  }
}
