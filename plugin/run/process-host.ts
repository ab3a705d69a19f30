// The host that a person has: this process, its streams and its cluster. Everything heavy is imported when asked for.
import type { WriteStream } from 'node:tty';
import { wantsColour } from '../output/colour.ts';
import type { Host, Screen } from './host.ts';

const DEFAULT_COLUMNS = 80;

/** `signal` ends watches. Nothing is read from stdin: no command asks a question. */
export function processHost(process: NodeJS.Process, signal: AbortSignal): Host {
  const stdout = screenOf(process.stdout, process.env);
  const stderr = screenOf(process.stderr, process.env);
  return {
    stdout,
    stderr,
    signal,
    now: Date.now,
    pause: async (milliseconds, until) => {
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(milliseconds, undefined, until ? { signal: until } : {}).catch(() => undefined);
    },
    connect: async (args) =>
      (await import('./connect.ts')).connect(args, process.env, (line) => stderr.write(line)),
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
