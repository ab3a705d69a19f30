// A host with streams that are read by tests, a clock that stands, and pauses that are over soon.
import type { Arguments } from '../../../plugin/run/arguments.ts';
import type { Host, Screen } from '../../../plugin/run/host.ts';
import { loadSelect } from '../../../plugin/run/load-select.ts';
import { runProgram } from '../../../plugin/run/program.ts';
import { readTextFile } from '../../../plugin/run/text-file.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { FakeKube } from './fake-kube.ts';
import { NOW } from './lab-facts.ts';

export interface FakeHostOptions {
  readonly kube?: KubeClient;
  /** Width of the terminal; without it stdout is a pipe. */
  readonly columns?: number;
  readonly colour?: boolean;
  readonly pause?: Host['pause'];
  /** What a person answers, in turn; without it nobody can be asked. */
  readonly answers?: readonly boolean[];
  /** Instead of `kube`. */
  readonly connect?: Host['connect'];
}

export class FakeHost implements Host {
  out = '';
  err = '';
  time = NOW;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stop = new AbortController();
  readonly signal = this.stop.signal;
  readonly pause: Host['pause'];
  readonly connect: Host['connect'];
  readonly canAsk: boolean;
  readonly questions: string[] = [];
  readonly #answers: boolean[];

  constructor(options: FakeHostOptions = {}) {
    const { kube = new FakeKube(), columns, colour = false, pause = shortPause } = options;
    const screen = { isTerminal: columns !== undefined, columns: columns ?? 80, colour };
    this.connect = options.connect ?? (async () => kube);
    this.pause = pause;
    this.canAsk = options.answers !== undefined;
    this.#answers = [...(options.answers ?? [])];
    this.stdout = {
      ...screen,
      write: (text) => {
        this.out += text;
      },
    };
    this.stderr = {
      ...screen,
      write: (text) => {
        this.err += text;
      },
    };
  }

  now(): number {
    return this.time;
  }

  async ask(question: string): Promise<boolean> {
    this.questions.push(question);
    return this.#answers.shift() ?? false;
  }

  async namespaceOf(args: Arguments): Promise<string> {
    return args.text('namespace') ?? 'lab';
  }

  connectUnattended: Host['connect'] = (args) => this.connect(args);

  async contexts(): Promise<string[]> {
    return ['lab', 'prod:eu'];
  }

  loadSelect = selectOnce;
  readFile = readTextFile;
}

let select: ReturnType<typeof loadSelect> | undefined;

/** Loading WebAssembly takes longer than most tests. */
function selectOnce(): ReturnType<typeof loadSelect> {
  select ??= loadSelect();
  return select;
}

async function shortPause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Runs one command line, written as a person writes it but split at single spaces. */
export async function run(
  line: string | string[],
  options: FakeHostOptions = {},
): Promise<{ code: number; out: string; err: string }> {
  const host = new FakeHost(options);
  const code = await runProgram(typeof line === 'string' ? line.split(' ').filter(Boolean) : line, host);
  return { code, out: host.out, err: host.err };
}
