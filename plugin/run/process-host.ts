// The host that a person has: this process, its streams and its cluster. Everything heavy is imported when asked for.
import type { WriteStream } from 'node:tty';
import { wantsColour } from '../output/colour.ts';
import type { Host, Screen } from './host.ts';

const DEFAULT_COLUMNS = 80;

/** `signal` ends watches, waits and questions. */
export function processHost(process: NodeJS.Process, signal: AbortSignal): Host {
  const stdout = screenOf(process.stdout, process.env);
  const stderr = screenOf(process.stderr, process.env);
  return {
    stdout,
    stderr,
    signal,
    // Not before it is asked for: Node opens stdin when it is looked at.
    get canAsk() {
      return process.stdin.isTTY === true && stderr.isTerminal;
    },
    ask: async (question) =>
      (await import('./ask.ts')).ask(question, process.stdin, (text) => stderr.write(text), signal),
    now: Date.now,
    pause: async (milliseconds, until) => {
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(milliseconds, undefined, until ? { signal: until } : {}).catch(() => undefined);
    },
    readFile: async (path) => (await import('./text-file.ts')).readTextFile(path),
    connect: async (args) =>
      (await import('./connect.ts')).connect(args, process.env, (line) => stderr.write(line)),
    namespaceOf: async (args) => (await import('./connect.ts')).namespaceOf(args, process.env),
    connectUnattended: async (args) => (await import('./connect.ts')).connectUnattended(args, process.env),
    contexts: async (args) => (await import('./connect.ts')).contextNames(args, process.env),
    loadSelect: async () => (await import('./load-select.ts')).loadSelect(),
  };
}

function screenOf(stream: WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = stream.isTTY === true;
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal,
    // A terminal without a size (some serial consoles) says 0.
    columns: isTerminal ? stream.columns || DEFAULT_COLUMNS : DEFAULT_COLUMNS,
    colour: wantsColour(env, isTerminal),
  };
}
