// Runs scripts in a node over its first terminal, any number at the same time.
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeLine, encodeKill, encodeRun } from './agent-protocol.ts';
import { LabError } from './lab-error.ts';

export interface ShellResult {
  /** Standard output and error, in the order written. */
  readonly out: string;
  readonly code: number;
}

interface Waiter {
  readonly resolve: (result: ShellResult) => void;
  readonly reject: (error: Error) => void;
}

/** Time for a killed script to report its end. */
const AFTER_KILL = 5_000;

export class AgentChannel {
  /** Resolves with the node's uptime in seconds once it takes commands. */
  readonly ready: Promise<number>;
  readonly #stream: Duplex;
  readonly #waiting = new Map<number, Waiter>();
  readonly #ready = Promise.withResolvers<number>();
  #rest: string[] = [];
  #last = 0;
  #closed: Error | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {});
    stream.setEncoding('latin1');
    stream.on('data', (text: string) => this.#take(text));
    stream.on('error', () => {});
  }

  /** Runs a bash script; after `timeout` ms everything it started is killed and LabError is thrown. */
  async run(script: string, timeout: number): Promise<ShellResult> {
    if (this.#closed) throw this.#closed;
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<ShellResult>();
    this.#waiting.set(id, { resolve, reject });
    this.#stream.write(encodeRun(id, script));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#stream.write(encodeKill(id));
      sleep(AFTER_KILL, undefined, { ref: false }).then(() => resolve({ out: '', code: -1 }));
    }, timeout);
    try {
      const result = await promise;
      if (late) throw new LabError(`not done after ${timeout} ms: ${script}\nso far: ${result.out}`);
      return result;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Fails everything that waits, and everything that comes later. */
  close(reason: LabError): void {
    this.#closed = reason;
    this.#ready.reject(reason);
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    this.#stream.destroy();
  }

  /** Joins pieces only at line ends: a large output comes in thousands of them. */
  #take(text: string): void {
    const lines = text.split('\n');
    for (const line of lines.slice(0, -1)) {
      this.#rest.push(line);
      this.#dispatch(this.#rest.join(''));
      this.#rest = [];
    }
    this.#rest.push(lines.at(-1) ?? '');
  }

  #dispatch(text: string): void {
    const line = decodeLine(text);
    if (line.kind === 'ready') this.#ready.resolve(line.uptime);
    if (line.kind === 'end') this.#waiting.get(line.id)?.resolve({ out: line.out, code: line.code });
  }
}
