// Real child processes as credential plugins.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PluginCall } from '../../../proto/kube/config/connection-ports.ts';
import { pluginRunner } from '../../../proto/kube/config/plugin-process.ts';

function run(script: string, values: Partial<PluginCall> = {}) {
  const written: Uint8Array[] = [];
  const result = pluginRunner({ write: (chunk) => written.push(chunk) })({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    interactive: false,
    timeLimit: 10_000,
    ...values,
  });
  return { result, messages: () => Buffer.concat(written).toString() };
}

describe('a plugin process', () => {
  it('gives its whole stdout, characters beyond ASCII too', async () => {
    const { result } = run('process.stdout.write("é".repeat(70000))');
    expect(await result).toMatchObject({ outcome: 'exited', code: 0, stdout: 'é'.repeat(70_000) });
  });

  it('passes its stderr on and keeps the last line', async () => {
    const { result, messages } = run('console.error("one\\ntwo\\r\\n\\n"); process.exitCode = 3');
    expect(await result).toMatchObject({ outcome: 'exited', code: 3, stdout: '', lastMessage: 'two' });
    expect(messages()).toBe('one\ntwo\r\n\n\n');
  });

  it('gets the given environment and no other', async () => {
    const { result } = run('process.stdout.write(JSON.stringify([process.env.A, process.env.HOME]))', {
      env: { A: '1', HOME: undefined },
    });
    expect(await result).toMatchObject({ stdout: '["1",null]' });
  });

  it('gets an empty stdin when it may not talk to a person', async () => {
    const { result } = run('process.stdin.on("end", () => console.log("end")).resume()');
    expect(await result).toMatchObject({ outcome: 'exited', stdout: 'end\n' });
  });

  it('may leave the answer to a child that outlives it', async () => {
    const { result } = run(`
      const late = ['-e', 'setTimeout(() => console.log("late"), 100)'];
      require('node:child_process').spawn(process.execPath, late, { stdio: 'inherit', detached: true }).unref();`);
    expect(await result).toMatchObject({ outcome: 'exited', code: 0, stdout: 'late\n' });
  });

  it('is named by the signal that ended it', async () => {
    const { result } = run('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)');
    expect(await result).toMatchObject({ outcome: 'exited', code: undefined, signal: 'SIGTERM' });
  });

  it('is killed when its time is up, though it ignores signals', async () => {
    const script = 'process.on("SIGTERM", () => {}); console.error(process.pid); setInterval(() => {}, 1000)';
    const { result, messages } = run(script, { timeLimit: 400 });
    expect(await result).toEqual({ outcome: 'timed-out' });
    await expect.poll(() => alive(Number(messages()))).toBe(false);
  });

  it('does not hold us when a child of its own keeps the pipes open', async () => {
    const hang = 'setTimeout(() => {}, 20000)';
    const plugin = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', '${hang}'], { stdio: 'inherit', detached: true });
      console.error(child.pid);
      ${hang}`;
    const call = {
      command: process.execPath,
      args: ['-e', plugin],
      env: {},
      interactive: false,
      timeLimit: 500,
    };
    const ours = `
      import { pluginRunner } from ${JSON.stringify(import.meta.resolve('../../../proto/kube/config/plugin-process.ts'))};
      console.log((await pluginRunner(process.stderr)(${JSON.stringify(call)})).outcome);`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', ours],
      {
        timeout: 10_000,
      },
    );
    process.kill(Number(stderr));
    expect(stdout).toBe('timed-out\n');
  });

  it.each([
    ['does not exist', '/nonexistent/plugin', 'ENOENT'],
    ['is not in PATH', 'kubectl-virt-no-such-plugin', 'ENOENT'],
    ['is a file that may not be executed', import.meta.filename, 'EACCES'],
  ])('that %s is an error of the system', async (_name, command, code) => {
    await expect(run('', { command, env: { PATH: '/bin' } }).result).rejects.toMatchObject({ code });
  });
});

/** A process id that no longer exists makes kill(2) fail with ESRCH. */
function alive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 2) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
