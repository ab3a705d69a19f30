// Running a credential plugin and keeping its answer.
import { describe, expect, it } from 'vitest';
import type { PluginResult } from '../../../proto/kube/config/connection-ports.ts';
import type { ExecEntry } from '../../../proto/kube/config/exec-entry.ts';
import { ExecPlugin } from '../../../proto/kube/config/exec-plugin.ts';
import {
  credential,
  exited,
  type FakePorts,
  fakePorts,
  systemError,
} from '../../support/kubeconfig-ports.ts';

function plugin(ports: FakePorts, values: Partial<ExecEntry> = {}) {
  const exec: ExecEntry = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/opt/plugin',
    args: ['get', 'token'],
    env: { PROFILE: 'staging', BOTH: 'entry' },
    installHint: '',
    provideClusterInfo: false,
    interactiveMode: 'IfAvailable',
    where: 'it',
    ...values,
  };
  const entry = {
    server: 'https://s',
    tlsServerName: '',
    insecureSkipTlsVerify: false,
    certificateAuthority: '',
    certificateAuthorityData: '',
    proxyUrl: '',
    disableCompression: false,
    execConfig: undefined,
    where: 'it',
  };
  return new ExecPlugin(ports, { PATH: '/bin', BOTH: 'shell' }, exec, { entry, certificateAuthority: '' });
}

function answering(...answers: (PluginResult | Error)[]): FakePorts {
  const ports = fakePorts();
  ports.answers.push(...answers);
  return ports;
}

const until = (time: number, token = 't') =>
  credential({ token, expirationTimestamp: new Date(time).toISOString() });

describe('a plugin is run', () => {
  it('with its arguments, the shell environment and its own variables on top', async () => {
    const ports = answering(credential({ token: 't' }));
    await plugin(ports).current();
    expect(ports.plugins).toMatchObject([
      {
        command: '/opt/plugin',
        args: ['get', 'token'],
        env: { PATH: '/bin', PROFILE: 'staging', BOTH: 'entry', KUBERNETES_EXEC_INFO: expect.any(String) },
      },
    ]);
  });

  it.each([
    ['Never', true, false],
    ['Never', false, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
  ] as const)(
    'in mode %s with a terminal %s: interactive %s',
    async (interactiveMode, terminal, interactive) => {
      const ports = answering(credential({ token: 't' }));
      ports.stdinIsTerminal = terminal;
      await plugin(ports, { interactiveMode }).current();
      expect(ports.plugins[0]?.interactive).toBe(interactive);
      expect(JSON.parse(ports.plugins[0]?.env.KUBERNETES_EXEC_INFO ?? '').spec).toEqual({ interactive });
    },
  );

  it('not at all when it needs a terminal and there is none', async () => {
    const ports = answering(credential({ token: 't' }));
    await expect(plugin(ports, { interactiveMode: 'Always' }).current()).rejects.toMatchObject({
      code: 'EXEC_CREDENTIAL',
    });
    expect(ports.plugins).toEqual([]);
  });

  it('with more time when a person sits at the terminal', async () => {
    const ports = answering(credential({ token: 't' }));
    await plugin(ports).current();
    ports.stdinIsTerminal = true;
    await plugin(ports).current();
    const [alone = 0, withPerson = 0] = ports.plugins.map(({ timeLimit }) => timeLimit);
    expect(withPerson).toBeGreaterThan(alone);
    expect(alone).toBeGreaterThan(0);
  });
});

describe('an answer is kept', () => {
  it('for ever when it has no end', async () => {
    const ports = answering(credential({ token: 't' }));
    const source = plugin(ports);
    await source.current();
    ports.time += 1e12;
    expect(await source.current()).toEqual({ authorization: 'Bearer t' });
    expect(ports.plugins).toHaveLength(1);
  });

  it('until the moment it expires', async () => {
    const ports = answering(until(2_000_000, 'one'), until(9_000_000, 'two'));
    const source = plugin(ports);
    await source.current();
    ports.time = 1_999_999;
    expect(await source.current()).toEqual({ authorization: 'Bearer one' });
    ports.time = 2_000_000;
    expect(await source.current()).toEqual({ authorization: 'Bearer two' });
    expect(ports.plugins).toHaveLength(2);
  });

  it('and used once even when it has expired already, as kubectl does', async () => {
    const ports = answering(until(1));
    expect(await plugin(ports).current()).toEqual({ authorization: 'Bearer t' });
    expect(ports.plugins).toHaveLength(1);
  });

  it('until the server refuses it', async () => {
    const ports = answering(credential({ token: 'one' }), credential({ token: 'two' }));
    const source = plugin(ports);
    await source.current();
    expect(source.invalidate()).toBe(true);
    expect(await source.current()).toEqual({ authorization: 'Bearer two' });
  });

  it('for all requests that waited for it', async () => {
    const ports = answering(credential({ token: 't' }));
    const source = plugin(ports);
    const all = await Promise.all([source.current(), source.current(), source.current()]);
    expect(all).toEqual(Array(3).fill({ authorization: 'Bearer t' }));
    expect(ports.plugins).toHaveLength(1);
  });

  it('not when it was a failure', async () => {
    const ports = answering(exited('', { code: 1 }), credential({ token: 't' }));
    const source = plugin(ports);
    await expect(source.current()).rejects.toMatchObject({ code: 'EXEC_CREDENTIAL' });
    expect(await source.current()).toEqual({ authorization: 'Bearer t' });
  });
});

describe('a plugin that does not work', () => {
  const failure = async (answer: PluginResult | Error, values: Partial<ExecEntry> = {}) => {
    const error = await plugin(answering(answer), values)
      .current()
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'EXEC_CREDENTIAL', hint: expect.any(String) });
    return error as { message: string; hint: string };
  };

  it('is named with its exit code and its last message', async () => {
    const { message } = await failure(exited('', { code: 7, lastMessage: 'token has expired' }));
    expect(message).toMatch(/\/opt\/plugin.* 7: token has expired$/);
  });

  it('is named with its exit code when its messages went to the terminal', async () => {
    expect((await failure(exited('', { code: 7 }))).message).toMatch(/ 7$/);
  });

  it('is named with the signal that ended it', async () => {
    const killed: PluginResult = {
      outcome: 'exited',
      code: undefined,
      signal: 'SIGSEGV',
      stdout: '',
      lastMessage: '',
    };
    expect((await failure(killed)).message).toContain('SIGSEGV');
  });

  it('is refused even when it printed a credential before it failed', async () => {
    await failure({ ...credential({ token: 't' }), code: 1 } as PluginResult);
  });

  it('is given up after its time', async () => {
    await failure({ outcome: 'timed-out' });
  });

  it.each(['ENOENT', 'EACCES', 'E2BIG'])('cannot be started: %s', async (code) => {
    await failure(systemError(code));
  });

  it('and is not installed shows the hint of the kubeconfig', async () => {
    const { hint } = await failure(systemError('ENOENT'), { installHint: 'brew install it\n' });
    expect(hint).toBe('brew install it');
  });

  it('cannot steer the terminal through its hint or messages', async () => {
    const { hint } = await failure(systemError('ENOENT'), { installHint: '\u001b[2Jgone\u009b1m' });
    expect(hint).toBe('[2Jgone1m');
    const { message } = await failure(exited('', { code: 1, lastMessage: 'a\u001b]0;x\u0007b' }));
    expect(message).not.toMatch(/[\u0000-\u001f]/);
  });

  it('does not put its arguments into errors, because they may hold secrets', async () => {
    const { message, hint } = await failure(exited('', { code: 1 }), { args: ['--secret=s3cret'] });
    expect(message + hint).not.toContain('s3cret');
  });
});
