// Nodes with simulated kernels and real agents, around an API server in memory.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectRef, UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { ACCESS_CONFIG, DRIVER } from '../../proto/api/names.ts';
import type { ResourceClaim, ResourceSlice, SliceDevice } from '../../proto/api/resource.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { type MemoryApi, startMemoryApi } from '../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import { AgentProcess } from './agent-process.ts';
import { memoryFolder } from './dra/driver-bench.ts';
import { connectionTo } from './kube-connection.ts';
import { type KubeletClient, openKubelet } from './kubelet-client.ts';
import { SimulatedNode } from './simulated-node.ts';

export interface Wish {
  /** Node that the device is plugged into. */
  readonly pool: string;
  readonly device: string;
  /** Node where the pod runs. */
  readonly node: string;
  readonly mode?: 'usbfs' | 'driver';
}

export class AgentBench {
  readonly folder: string;
  readonly kubeconfig: string;
  api: MemoryApi;
  kube: KubeClient;
  readonly #nodes: BenchNode[] = [];

  private constructor(api: MemoryApi) {
    this.folder = memoryFolder();
    this.kubeconfig = join(this.folder, 'kubeconfig');
    this.api = api;
    this.kube = this.#connect(api);
  }

  static async open(): Promise<AgentBench> {
    return new AgentBench(await startMemoryApi());
  }

  /** A node that is ready, with a kernel that knows those of the other nodes. */
  async node(name: string): Promise<BenchNode> {
    await this.nodeObject(name, '127.0.0.1');
    const node = new BenchNode(name, join(this.folder, name), this);
    for (const other of this.#nodes) {
      node.kernel.connectTo(other.kernel);
      other.kernel.connectTo(node.kernel);
    }
    this.#nodes.push(node);
    return node;
  }

  async nodeObject(name: string, address: string): Promise<void> {
    await this.kube.create(RESOURCE_TYPES.nodes, { metadata: { name } });
    const addresses = [{ type: 'InternalIP', address }];
    const status = { addresses, conditions: [{ type: 'Ready', status: 'True' }] };
    await this.kube.patch(RESOURCE_TYPES.nodes, { name }, 'merge', { status }, { subresource: 'status' });
  }

  /** A pod that runs and a claim that is allocated and reserved for it, as the scheduler leaves them. */
  async claim(name: string, { pool, device, node, mode }: Wish): Promise<ObjectRef> {
    const metadata = { name, namespace: 'default' };
    const pod = { metadata, spec: { nodeName: node } };
    const { metadata: made } = await this.kube.create<KubeObject>(RESOURCE_TYPES.pods, pod);
    const claim = await this.kube.create<ResourceClaim>(RESOURCE_TYPES.resourceClaims, {
      metadata,
      spec: { devices: { requests: [{ name: 'usb' }] } },
    });
    const parameters = { ...ACCESS_CONFIG, mode };
    const config = [{ source: 'FromClaim', opaque: { driver: DRIVER, parameters } }];
    const results = [{ request: 'usb', driver: DRIVER, pool, device }];
    const status = {
      allocation: { devices: { results, ...(mode && { config }) } },
      reservedFor: [{ resource: 'pods', name, uid: made.uid }],
    };
    const subresource = { subresource: 'status' } as const;
    await this.kube.patch(RESOURCE_TYPES.resourceClaims, metadata, 'merge', { status }, subresource);
    return { ...metadata, uid: claim.metadata.uid ?? '' };
  }

  /** What is deleted with a pod. */
  async forget(claim: ObjectRef): Promise<void> {
    await this.kube.delete(RESOURCE_TYPES.resourceClaims, claim);
    await this.kube.delete(RESOURCE_TYPES.pods, claim);
  }

  async annotations(claim: ObjectRef): Promise<Record<string, string>> {
    const { metadata } = await this.kube.get(RESOURCE_TYPES.resourceClaims, claim);
    return metadata.annotations ?? {};
  }

  /** Ends every agent by force: how they end is the matter of tests. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
    this.kube.close();
    await this.api.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** An API server that was away: as at the start, but without any object. */
  async restartApi(port: number): Promise<void> {
    this.kube.close();
    this.api = await startMemoryApi({ port });
    this.kube = this.#connect(this.api);
  }

  #connect({ url }: MemoryApi): KubeClient {
    writeFileSync(this.kubeconfig, kubeconfig(url));
    return createKubeClient(connectionTo(url));
  }
}

export class BenchNode {
  readonly name: string;
  readonly kernel: SimulatedNode;
  readonly cdi: string;
  readonly plugins: string;
  readonly registry: string;
  readonly #bench: AgentBench;
  readonly #agents: AgentProcess[] = [];
  #kubelet: KubeletClient | undefined;

  constructor(name: string, home: string, bench: AgentBench) {
    this.name = name;
    this.cdi = join(home, 'cdi');
    this.plugins = join(home, 'plugins');
    this.registry = join(home, 'registry');
    this.#bench = bench;
    for (const folder of [this.cdi, this.plugins, this.registry]) mkdirSync(folder, { recursive: true });
    this.kernel = new SimulatedNode(join(home, 'host'));
  }

  /** Everything but the name is on this node alone and on free ports. */
  get flags(): string[] {
    const values = {
      'node-name': this.name,
      kubeconfig: this.#bench.kubeconfig,
      'host-root': this.kernel.root,
      uevents: 'watch',
      'kubelet-plugins-dir': this.plugins,
      'kubelet-registry-dir': this.registry,
      'cdi-root': this.cdi,
      'usbipd-address': '127.0.0.1',
      'usbipd-port': '0',
      'healthz-port': '0',
    };
    return Object.entries(values).map(([flag, value]) => `--${flag}=${value}`);
  }

  /** Later flags win. */
  launch(...flags: string[]): AgentProcess {
    const agent = new AgentProcess({
      argv: ['usb-agent', '--allow-plain-peers', ...this.flags, ...flags],
      env: this.kernel.environment,
      nodeArguments: this.kernel.nodeArguments,
    });
    this.#agents.push(agent);
    return agent;
  }

  /** Launches and waits until it serves. */
  async start(...flags: string[]): Promise<AgentProcess> {
    const agent = this.launch(...flags);
    await agent.logged('USB agent started');
    return agent;
  }

  /** The kubelet of this node, which calls the driver. */
  get kubelet(): KubeletClient {
    this.#kubelet ??= openKubelet(join(this.plugins, DRIVER, 'dra.sock'));
    return this.#kubelet;
  }

  /** Devices in this node's ResourceSlices. */
  async published(): Promise<SliceDevice[]> {
    const { items } = await this.#bench.kube.list<ResourceSlice>(RESOURCE_TYPES.resourceSlices);
    const own = items.filter(({ spec }) => spec.pool.name === this.name);
    return own.flatMap(({ spec }) => spec.devices ?? []);
  }

  async status(): Promise<UsbNodeStatus['status']> {
    const { items } = await this.#bench.kube.list<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses);
    return items.find(({ metadata }) => metadata.name === this.name)?.status;
  }

  /** What is kept for claims: uids of checkpoints and names of CDI files, without the one for all claims. */
  kept(): { checkpoints: string[]; cdi: string[] } {
    const cdi = readdirSync(this.cdi).filter((file) => !file.includes('_common'));
    return { checkpoints: namesIn(join(this.plugins, DRIVER, 'checkpoint')), cdi };
  }

  /** The only CDI file of a claim. */
  cdiFile(): { devices: { name: string; containerEdits: { deviceNodes: { path: string }[] } }[] } {
    const [file = ''] = this.kept().cdi;
    return JSON.parse(readFileSync(join(this.cdi, file), 'utf8'));
  }

  /** The native driver or usbip-host. */
  driverOf(busId: string): string | undefined {
    return this.kernel.driverOf(busId);
  }

  async close(): Promise<void> {
    this.#kubelet?.close();
    await Promise.all(this.#agents.map((agent) => agent.stop('SIGKILL')));
    this.kernel.close();
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).map(({ name }) => name.replace(/\.json$/, ''));
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
