// kubectl virt version.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { agentVersions, skewWarning } from '../../../plugin/version/agent-versions.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { run } from './fake-host.ts';
import { FakeKube, forbidden } from './fake-kube.ts';
import { statusOf } from './lab-facts.ts';

const client = `v${manifest.version}`;

describe('kubectl virt version', () => {
  it('asks no server with --client', async () => {
    const kube = new FakeKube();
    expect(await run('version --client', { kube })).toEqual({
      code: 0,
      out: `Client Version: ${client}\n`,
      err: '',
    });
    expect(kube.calls).toEqual([]);
  });

  it('prints the server and the agents', async () => {
    const { code, out, err } = await run('version');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      `Client Version: ${client}\nServer Version: v1.34.1\nAgent Version: v${manifest.version} (3 nodes)\n`,
    );
  });

  it('prints the same in the shape of kubectl with -o json and yaml', async () => {
    const json = JSON.parse((await run('version -ojson')).out);
    expect(json).toEqual({
      clientVersion: { gitVersion: client, platform: `${process.platform}/${process.arch}` },
      serverVersion: { gitVersion: 'v1.34.1' },
      agentVersions: [{ gitVersion: client, nodes: ['worker-1', 'worker-2', 'worker-3'] }],
    });
    expect(parse((await run('version -oyaml')).out)).toEqual(json);
  });

  it.each([
    ['not installed', new TypedError('API_NOT_SERVED', 'no such kind')],
    ['forbidden', forbidden('usbnodestatuses')],
  ])('says that agents are not known when they are %s', async (_, error) => {
    const { code, out } = await run('version', { kube: new FakeKube({ usbnodestatuses: error }) });
    expect([code, out.includes('Agent Version: unknown')]).toEqual([0, true]);
  });

  it('fails when the server is away, and closes its connections', async () => {
    const kube = new FakeKube();
    kube.version = new TypedError('SERVER_UNREACHABLE', 'no route');
    const { code, out } = await run('version', { kube });
    expect([code, out, kube.closed]).toEqual([1, '', true]);
  });

  it('survives a server that answers something else', async () => {
    const kube = new FakeKube({ usbnodestatuses: [] });
    kube.version = 'ok';
    const { code, out } = await run('version', { kube });
    expect(code).toBe(0);
    expect(out).toContain('Server Version: unknown\nAgent Version: none has reported yet');
  });

  it('warns on stderr when an agent is of another minor version', async () => {
    const kube = new FakeKube({ usbnodestatuses: [statusOf('n1', { agentVersion: '9.4.0' })] });
    const { code, err } = await run('version', { kube });
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: .*v9\.4\.0/);
  });
});

describe('agentVersions', () => {
  it('groups nodes by version and leaves out those that have not reported', () => {
    const statuses = [
      statusOf('n2', { agentVersion: 'v0.1.0' }),
      statusOf('n1', { agentVersion: '0.1.0' }),
      statusOf('n3', { agentVersion: '0.2.0' }),
      { metadata: { name: 'n4' } },
    ];
    expect(agentVersions(statuses)).toEqual([
      { gitVersion: 'v0.1.0', nodes: ['n1', 'n2'] },
      { gitVersion: 'v0.2.0', nodes: ['n3'] },
    ]);
  });
});

describe('skewWarning', () => {
  it('minds minor versions and not patches', () => {
    const of = (gitVersion: string) => [{ gitVersion, nodes: ['n'] }];
    expect(skewWarning('v1.2.3', of('v1.2.9'))).toBeUndefined();
    expect(skewWarning('v1.2.3', of('v1.3.0'))).toContain('v1.3.0');
    expect(skewWarning('v1.2.3', of('v2.2.3'))).toBeDefined();
    expect(skewWarning('v1.2.3', [])).toBeUndefined();
  });
});
