// Runs a program of the machine to its end and hands back what it printed.
import { type ChildProcess, spawn } from 'node:child_process';
import { LabError } from './lab-error.ts';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to its standard input. */
  readonly input?: string | Buffer;
  /** Milliseconds until it is killed; default 60 000. */
  readonly timeout?: number;
}

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const KEPT = 2000;
const running = new Set<ChildProcess>();

/** Ends all commands that are running, so that whoever waits for them gets an error. */
export function endCommands(): void {
  for (const child of running) child.kill('SIGTERM');
}

function tail(text: string): string {
  return text.length > KEPT ? `...${text.slice(-KEPT)}` : text;
}

/** Runs it and reports whatever exit code it had; a kill by signal or timeout is code -1. */
export function attempt(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      timeout: options.timeout ?? 60_000,
      killSignal: 'SIGKILL',
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (cause) =>
      reject(
        new LabError(`cannot start ${program}: ${cause.message}`, 'npm run lab:build -- --install', {
          cause,
        }),
      ),
    );
    child.on('close', (code) =>
      resolve({
        code: code ?? -1,
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
      }),
    );
    // A program that ends without reading its input is judged by its exit code, not by EPIPE here.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

/** Runs it and returns its standard output; throws LabError with the end of its output unless it exits with 0. */
export async function run(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, out, err } = await attempt(program, args, options);
  if (code === 0) return out;
  throw new LabError(`${program} ${args.join(' ')} ended with ${code}: ${tail((err + out).trim())}`);
}
