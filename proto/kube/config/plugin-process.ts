// Runs a credential plugin as a child process.
import type { ChildProcess } from 'node:child_process';
import type { ConnectionPorts, PluginCall, PluginResult } from './connection-ports.ts';

/** Where what the plugin tells the person goes: stderr, or a screen that owns the terminal. */
export interface PluginMessages {
  readonly isTTY?: boolean;
  write(chunk: Uint8Array): unknown;
}

/** How much of stderr is kept for the last line, in bytes. */
const TAIL = 4096;

function start(
  spawn: typeof import('node:child_process').spawn,
  call: PluginCall,
  messages: PluginMessages,
): ChildProcess {
  // A plugin that may ask questions gets the real terminal: some ask only when their stderr is one too.
  const ownStderr = call.interactive && messages === process.stderr && messages.isTTY;
  return spawn(call.command, call.args, {
    env: { ...call.env },
    stdio: [call.interactive ? 'inherit' : 'ignore', 'pipe', ownStderr ? 'inherit' : 'pipe'],
    windowsHide: true,
  });
}

function lastLine(tail: Buffer): string {
  const lines = tail
    .toString()
    .trimEnd()
    .split(/[\r\n]+/);
  return lines.at(-1) ?? '';
}

/** `runPlugin` of ConnectionPorts. What the plugin writes to stderr is passed on to `messages` as it comes. */
export function pluginRunner(messages: PluginMessages): ConnectionPorts['runPlugin'] {
  return async (call) => {
    // Most kubeconfigs have no plugin; they need not pay for loading this module.
    const { spawn } = await import('node:child_process');
    const { promise, resolve, reject } = Promise.withResolvers<PluginResult>();
    const child = start(spawn, call, messages);
    const stdout: Buffer[] = [];
    let tail = Buffer.alloc(0);
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      messages.write(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL);
    });
    const timer = setTimeout(() => {
      // A plugin that hangs may well ignore a polite signal, and nobody is left to send a second one.
      child.kill('SIGKILL');
      // A child of the plugin may hold the pipes open for ever.
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ outcome: 'timed-out' });
    }, call.timeLimit);
    child.on('error', reject);
    // `exit` comes too early: stdout may still hold a part of the answer.
    child.on('close', (code, signal) =>
      resolve({
        outcome: 'exited',
        code: code ?? undefined,
        signal: signal ?? undefined,
        stdout: Buffer.concat(stdout).toString(),
        lastMessage: lastLine(tail),
      }),
    );
    return promise.finally(() => clearTimeout(timer));
  };
}
