// How the real agent starts, refuses to start, lives without the API server, and ends.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { DRIVER, NODE_LABELS } from '../../../proto/api/names.ts';
import type { ResourceSlice } from '../../../proto/api/resource.ts';
import type { KubeObject } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { RegistrationClient } from '../../../proto/kubelet/gen/registration.ts';
import { AgentBench, type BenchNode } from '../../support/agent-bench.ts';
import { AgentProcess } from '../../support/agent-process.ts';
import { manyDevices, TOKEN } from '../../support/fake-usb-device.ts';

vi.setConfig({ testTimeout: 60_000 });
/** For machines that are busy with other things. */
const soon = { timeout: 20_000, interval: 20 };

let bench: AgentBench;
let node: BenchNode;

beforeEach(async () => {
  bench = await AgentBench.open();
  node = await bench.node('a');
});
afterEach(() => bench.close());

/** As the kubelet does when the registrar's socket appears. */
async function register(): Promise<void> {
  const socket = `unix:${join(node.registry, `${DRIVER}-reg.sock`)}`;
  const kubelet = new RegistrationClient(socket, credentials.createInsecure());
  await new Promise<void>((resolve, reject) => {
    const status = { pluginRegistered: true, error: '' };
    kubelet.notifyRegistrationStatus(status, (error) => (error ? reject(error) : resolve()));
  });
  kubelet.close();
}

async function labels(): Promise<Record<string, string>> {
  const { metadata } = await bench.kube.get<KubeObject>(RESOURCE_TYPES.nodes, { name: 'a' });
  return metadata.labels ?? {};
}

describe('what is wrong from the beginning', () => {
  it('is one error with a hint on stderr, and exit code 2', async () => {
    const rules = join(bench.folder, 'rules.yaml');
    writeFileSync(rules, '- name: x\n  verdict: perhaps\n');
    const broken = join(bench.folder, 'broken');
    writeFileSync(broken, '{"kind":');
    const cases = {
      USAGE: ['--nonsense'],
      BAD_CONFIG: ['--healthz-port=http'],
      BAD_POLICY: [`--policy=${rules}`],
      BAD_KUBECONFIG: [`--kubeconfig=${broken}`],
    };
    const started = Object.entries(cases).map(([code, flags]) => ({ code, agent: node.launch(...flags) }));
    for (const { code, agent } of started) {
      expect(await agent.ended).toEqual({ code: 2, signal: null });
      expect(agent.stderr).toMatch(new RegExp(`^error: .+ \\(${code}\\)\nhint: .+\n$`));
      expect(agent.stdout).toBe('');
    }
  });

  it('is a port that another program has', async () => {
    const { port } = await (await node.start()).logged('probes and metrics are served');
    const second = node.launch(`--healthz-port=${port}`);
    expect(await second.ended).toEqual({ code: 2, signal: null });
    expect(second.stderr).toMatch(/^error: .+ \(BAD_CONFIG\)\nhint: .+\n$/);
  });
});

describe('a person', () => {
  it('is told the flags and the settings in force without a cluster', async () => {
    const help = new AgentProcess({ argv: ['usb-agent', '--help'] });
    const settings = new AgentProcess({ argv: ['usb-agent', '--print-config'], env: { NODE_NAME: 'n1' } });
    expect([await help.ended, await settings.ended]).toEqual(Array(2).fill({ code: 0, signal: null }));
    expect(help.stdout).toContain('--allow-plain-peers');
    expect(settings.stdout).toContain('node-name=n1\n');
    expect(settings.stdout).toContain('usbipd-port=4280\n');
  });
});

describe('an agent without an API server', () => {
  it('stays up, says why it is not ready, and recovers', async () => {
    const port = Number(new URL(bench.api.url).port);
    await bench.api.close();
    node.kernel.plug('1-1', TOKEN);
    const agent = await node.start();
    await register();
    const ready = () => agent.get('/readyz');
    await expect
      .poll(async () => (await ready()).body, soon)
      .toMatch(/failed (slices|status|labels): .+127\.0\.0\.1/);
    expect(await ready()).toMatchObject({ status: 503 });
    expect(await agent.get('/healthz')).toMatchObject({ status: 200 });
    await bench.restartApi(port);
    await bench.nodeObject('a', '127.0.0.1');
    await expect.poll(ready, soon).toMatchObject({ status: 200 });
    await expect.poll(() => node.published(), soon).toHaveLength(1);
    expect(agent.hasEnded).toBe(false);
  });

  it('ends in a few seconds all the same', async () => {
    const agent = await node.start();
    await bench.api.close();
    expect(await agent.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('an agent that is started anew', () => {
  it('takes no device out of the slices, not even for a moment', async () => {
    const devices = manyDevices(40);
    node.kernel.plugAll(devices);
    const first = await node.start();
    await expect.poll(() => node.published(), soon).toHaveLength(devices.size);
    await first.stop('SIGKILL');
    const counts: number[] = [];
    const forget = bench.api.store.subscribe(({ kind, object }) => {
      if (kind.plural === 'resourceslices')
        counts.push((object as ResourceSlice | undefined)?.spec.devices?.length ?? 0);
    });
    const { heartbeat } = (await node.status()) ?? {};
    await node.start();
    await expect.poll(async () => (await node.status())?.heartbeat, soon).not.toBe(heartbeat);
    await expect.poll(() => node.published(), soon).toHaveLength(devices.size);
    forget();
    expect(counts).toEqual([]);
  });

  it('offers nothing before it knows the labels that its rules name', async () => {
    const rules = join(bench.folder, 'rules.json');
    const label = { 'node-labels': { usb: 'private' } };
    writeFileSync(rules, JSON.stringify([{ name: 'private', verdict: 'block', ...label }]));
    await bench.kube.patch(RESOURCE_TYPES.nodes, { name: 'a' }, 'merge', {
      metadata: { labels: { usb: 'private' } },
    });
    node.kernel.plug('1-1', TOKEN);
    const verdicts = new Set<string>();
    const forget = bench.api.store.subscribe(({ kind, object }) => {
      const { status } = (object ?? {}) as UsbNodeStatus;
      if (kind.plural === 'usbnodestatuses')
        for (const device of status?.devices ?? []) verdicts.add(device.rule);
    });
    for (let count = 0; count < 2; count++) {
      bench.api.faults.once(
        { delay: 300 },
        (method, path) => method === 'GET' && path.startsWith('/api/v1/nodes/a'),
      );
    }
    await node.start(`--policy=${rules}`);
    await expect.poll(() => [...verdicts], soon).toContain('private');
    forget();
    expect([...verdicts]).toEqual(['private']);
  });
});

describe('SIGTERM', () => {
  it('removes the sockets and the marks of the node, keeps the slices, and ends at once with 0', async () => {
    node.kernel.plug('1-1', TOKEN);
    const agent = await node.start();
    await register();
    await expect.poll(() => node.published(), soon).toHaveLength(1);
    await expect.poll(labels, soon).toMatchObject({ [NODE_LABELS.gateway]: 'true' });
    await node.kubelet.unprepare({ namespace: 'default', name: 'x', uid: 'unknown' });
    const told = performance.now();
    expect(await agent.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - told).toBeLessThan(2_000);
    expect(readdirSync(node.registry)).toEqual([]);
    expect(existsSync(join(node.plugins, DRIVER, 'dra.sock'))).toBe(false);
    expect(Object.keys(await labels())).not.toContain(NODE_LABELS.gateway);
    expect(await node.published()).toHaveLength(1);
    expect(agent.stderr).toBe('');
  });
});
