// `npm start`: the main job without root or a cluster. The API server is in memory, the two nodes' kernels are simulated
// behind folders; the agents, the DRA calls, the USB/IP requests between them and the CLI are the real programs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DEVICE_CLASS, DRIVER } from '../../proto/api/names.ts';
import type { ResourceSlice } from '../../proto/api/resource.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { startMemoryApi } from '../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import { DISK, KEYBOARD, TOKEN } from './fake-usb-device.ts';
import { openKubelet } from './kubelet-client.ts';
import { SimulatedNode } from './simulated-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const keep = process.argv.includes('--keep');
const folder = mkdtempSync(join(tmpdir(), 'kubectl-virt-'));
const kubeconfig = join(folder, 'kubeconfig');
const colour = process.stdout.isTTY;
const say = (text: string) => process.stdout.write(colour ? `\x1b[2m# ${text}\x1b[0m\n` : `# ${text}\n`);

/** Runs `kubectl virt ...` as a person would see it. */
async function virt(...args: string[]): Promise<void> {
  process.stdout.write(`$ kubectl virt ${args.join(' ')}\n`);
  const child = spawn(process.execPath, [join(root, 'plugin/main.ts'), ...args], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`kubectl virt ${args.join(' ')} ended with ${code}`);
  process.stdout.write('\n');
}

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}; logs are in ${folder}`);
    await sleep(25);
  }
}

function startAgent(name: string, kernel: SimulatedNode): ChildProcess {
  const home = join(folder, name);
  for (const below of ['plugins', 'registry', 'cdi']) mkdirSync(join(home, below), { recursive: true });
  const log = openSync(join(home, 'log'), 'w');
  const settings = {
    'node-name': name,
    kubeconfig,
    'host-root': kernel.root,
    uevents: 'watch',
    'kubelet-plugins-dir': join(home, 'plugins'),
    'kubelet-registry-dir': join(home, 'registry'),
    'cdi-root': join(home, 'cdi'),
    'usbipd-address': '127.0.0.1',
    'usbipd-port': '0',
    'healthz-port': '0',
  };
  const flags = Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`);
  const program = [...kernel.nodeArguments, join(root, 'node/main.ts'), 'usb-agent', '--allow-plain-peers'];
  return spawn(process.execPath, [...program, ...flags], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...kernel.environment },
  });
}

async function deviceOf(kube: KubeClient, serial: string): Promise<string> {
  return until(`the device ${serial} in a ResourceSlice`, async () => {
    const { items } = await kube.list<ResourceSlice>(RESOURCE_TYPES.resourceSlices);
    const devices = items.flatMap(({ spec }) => spec.devices ?? []);
    return devices.find(({ attributes }) => {
      const attribute = attributes?.serial;
      return attribute && 'string' in attribute && attribute.string === serial;
    })?.name;
  });
}

/** What a person's pod, the scheduler and the kubelet's admission leave in the API. */
async function claimFor(kube: KubeClient, device: string) {
  const pod = await kube.create<KubeObject & { spec: object }>(RESOURCE_TYPES.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'backup', namespace: 'default' },
    spec: { nodeName: 'b' },
  });
  const claim = await kube.create<KubeObject & { spec: object }>(RESOURCE_TYPES.resourceClaims, {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'backup-disk', namespace: 'default' },
    spec: { devices: { requests: [{ name: 'usb', exactly: { deviceClassName: DEVICE_CLASS } }] } },
  });
  const status = {
    allocation: { devices: { results: [{ request: 'usb', driver: DRIVER, pool: 'a', device }] } },
    reservedFor: [{ resource: 'pods', name: 'backup', uid: pod.metadata.uid }],
  };
  const key = { namespace: 'default', name: 'backup-disk' };
  await kube.patch(RESOURCE_TYPES.resourceClaims, key, 'merge', { status }, { subresource: 'status' });
  return { ...key, uid: claim.metadata.uid ?? '' };
}

const started = performance.now();
const api = await startMemoryApi();
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'demo', cluster: { server: api.url } }],
    users: [{ name: 'demo', user: {} }],
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
    'current-context': 'demo',
  }),
);
const kube = createKubeClient({
  server: api.url,
  tls: {},
  namespace: 'default',
  source: 'the demo',
  credentials: async () => ({ headers: {} }),
  invalidate: () => false,
});
for (const name of ['a', 'b']) {
  await kube.create(RESOURCE_TYPES.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await kube.patch(RESOURCE_TYPES.nodes, { name }, 'merge', { status }, { subresource: 'status' });
}
const a = new SimulatedNode(join(folder, 'a', 'host'));
const b = new SimulatedNode(join(folder, 'b', 'host'));
a.connectTo(b);
b.connectTo(a);
a.plug('1-1', KEYBOARD);
b.plug('1-2', TOKEN);
const agents = [startAgent('a', a), startAgent('b', b)];

async function end(): Promise<void> {
  for (const agent of agents) agent.kill('SIGTERM');
  await Promise.all(agents.map((agent) => new Promise((gone) => agent.once('exit', gone))));
  a.close();
  b.close();
  kube.close();
  await api.close();
}

try {
  say('Two nodes, a and b, each with the agent. There is a keyboard in a and a smart-card reader in b.');
  const bothReport = async () => {
    const { items } = await kube.list(RESOURCE_TYPES.usbNodeStatuses);
    return items.length === 2 && items.every((item) => 'status' in item) ? true : undefined;
  };
  await until('both agents', bothReport);
  await virt('usb', 'list');

  say('A disk is plugged into node a.');
  a.plug('2-1', DISK);
  const plugged = performance.now();
  const device = await deviceOf(kube, 'LAB0001');
  say(`It is in the API after ${Math.round(performance.now() - plugged)} ms.`);
  await virt('usb', 'list');

  say('A pod on node b claims it: the kubelet of b asks the agent, which imports it from a.');
  const claim = await claimFor(kube, device);
  const kubelet = openKubelet(join(folder, 'b', 'plugins', DRIVER, 'dra.sock'));
  const asked = performance.now();
  await kubelet.prepare(claim);
  say(`Prepared in ${Math.round(performance.now() - asked)} ms.`);
  await sleep(200);
  await virt('usb', 'list');
  await virt('usb', 'show', 'LAB0001');

  say('The pod is deleted: the device goes back to a at once.');
  await kubelet.unprepare(claim);
  kubelet.close();
  await kube.delete(RESOURCE_TYPES.resourceClaims, claim);
  await kube.delete(RESOURCE_TYPES.pods, { namespace: 'default', name: 'backup' });
  await sleep(400);
  await virt('usb', 'list');
  say(`That took ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
  if (keep) {
    say(`Left open. In another terminal: export KUBECONFIG=${kubeconfig}`);
    say(`then: ${process.execPath} ${join(root, 'plugin/main.ts')} usb list      Ctrl-C ends it.`);
    await new Promise((interrupted) => process.once('SIGINT', interrupted));
  }
} finally {
  await end();
}
// After a failure the logs stay.
rmSync(folder, { recursive: true, force: true });
