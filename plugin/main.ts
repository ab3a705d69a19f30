// kubectl virt: the only place of the program that ends the process.
import { processHost } from './run/process-host.ts';
import { runProgram } from './run/program.ts';

/** 128 + the number of the signal, as shells report it. */
const INTERRUPTED = 130;
const TERMINATED = 143;

/** Milliseconds for the running command to say what it leaves behind. */
const LAST_WORDS = 1000;

const stop = new AbortController();
let ending: number | undefined;

/** A second signal does not wait: who presses Ctrl-C twice means it. */
function endBy(code: number): void {
  if (ending !== undefined) process.exit(ending);
  ending = code;
  stop.abort();
  setTimeout(() => process.exit(code), LAST_WORDS);
}

/** Nobody reads on: what is left to say interests no one, and `kubectl virt usb list | head` is no failure. */
function endWhenReaderLeaves(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
}

/** On Windows pipes are written behind the program's back; an early exit would lose the end of a long list. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

endWhenReaderLeaves(process.stdout);
endWhenReaderLeaves(process.stderr);
process.on('SIGINT', () => endBy(INTERRUPTED));
process.on('SIGTERM', () => endBy(TERMINATED));

runProgram(process.argv.slice(2), processHost(process, stop.signal))
  .then(async (code) => {
    await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
    process.exit(ending ?? code);
  })
  // Not reached by any error of a command: those are told and turned into codes by runProgram.
  .catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
