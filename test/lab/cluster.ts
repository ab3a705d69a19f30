// A whole lab: network, nodes and a real Kubernetes on them, and the things that tests do with it.
import { MAX_NODES } from './addresses.ts';
import { attempt, type CommandOptions, type CommandResult, run } from './command.ts';
import { ControlPlane } from './control-plane.ts';
import { writeGuestFiles } from './guest-files.ts';
import { LabError } from './lab-error.ts';
import { removeLab } from './leftovers.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { LabNetwork } from './network.ts';
import { LabNode } from './node.ts';
import { startKubelet, startServices, stopKubelet } from './node-services.ts';
import { type LabPrograms, labPrograms } from './programs.ts';
import { requireRoot } from './requirements.ts';
import type { RunRecord } from './run-record.ts';
import { waitFor } from './wait.ts';

export interface ClusterOptions {
  /** Default 2: a and b; 0 is a control plane alone. */
  readonly nodes?: number;
  /** MiB of memory a node; default 1536. */
  readonly memory?: number;
  /** Is told what has become ready and when. */
  readonly report?: (line: string) => void;
}

export class Cluster {
  readonly network: LabNetwork;
  readonly nodes: LabNode[] = [];
  readonly #plane: ControlPlane;
  readonly #record: RunRecord;
  readonly #programs: LabPrograms;
  readonly #options: ClusterOptions;

  private constructor(
    record: RunRecord,
    network: LabNetwork,
    plane: ControlPlane,
    programs: LabPrograms,
    options: ClusterOptions,
  ) {
    this.#record = record;
    this.network = network;
    this.#plane = plane;
    this.#programs = programs;
    this.#options = options;
  }

  /** Resolves when all nodes are Ready. What was started before a failure is in `record`, for `removeLab`. */
  static async start(record: RunRecord, options: ClusterOptions = {}): Promise<Cluster> {
    requireRoot();
    const start = performance.now();
    const report = (what: string) => options.report?.(`lab: ${what} after ${seconds(start)}`);
    const programs = labPrograms();
    writeGuestFiles(record, programs.path);
    const network = await LabNetwork.create(record);
    const plane = await ControlPlane.start(record, network, programs);
    report('API server ready');
    const cluster = new Cluster(record, network, plane, programs, options);
    await Promise.all(Array.from({ length: options.nodes ?? 2 }, () => cluster.addNode()));
    await waitFor('pods may be made', () => cluster.kubectl('get', 'serviceaccount', 'default'));
    report(`${cluster.nodes.length} nodes Ready`);
    return cluster;
  }

  /** File for KUBECONFIG, good on this machine; user admin. */
  get kubeconfig(): string {
    return this.#plane.kubeconfig;
  }

  /** The kubectl of the lab's version. */
  get kubectlProgram(): string {
    return this.#programs.kubectl;
  }

  /** The lab's folder: logs of the control plane, and a folder for each node. */
  get folder(): string {
    return this.#record.folder;
  }

  /** A node by its name; throws LabError when there is none. */
  node(name: string): LabNode {
    const node = this.nodes.find((candidate) => candidate.name === name);
    if (!node)
      throw new LabError(`there is no node ${name}, only ${this.nodes.map((n) => n.name).join(', ')}`);
    return node;
  }

  /** Boots one more node and waits until it is Ready. */
  async addNode(): Promise<LabNode> {
    const index = this.nodes.length;
    if (index >= MAX_NODES) throw new LabError(`a lab has at most ${MAX_NODES} nodes`);
    const { memory } = this.#options;
    const { kernel } = this.#programs;
    const node = new LabNode({ index, kernel, ...(memory ? { memory } : {}) }, this.#record, this.network);
    this.nodes.push(node);
    await this.network.addNode(index);
    await this.#plane.kubeconfigFor(`node-${node.name}`, `/O=system:nodes/CN=system:node:${node.name}`);
    await this.boot(node);
    return node;
  }

  /** Switches a node on, starts its services and waits until the API server has heard from its new kubelet. */
  async boot(node: LabNode): Promise<void> {
    await node.boot();
    const since = new Date();
    await startServices(node, {
      images: this.#programs.images,
      authority: this.#plane.authority.own.certificate,
      kubeconfig: this.#kubeletConfig(node),
    });
    await this.#nodeReady(node, since);
  }

  async stopKubelet(node: LabNode): Promise<void> {
    await stopKubelet(node);
  }

  async startKubelet(node: LabNode): Promise<void> {
    const since = new Date();
    await startKubelet(node, this.#kubeletConfig(node));
    await this.#nodeReady(node, since);
  }

  /** Runs kubectl as admin and returns its standard output; throws LabError with its message unless it succeeds. */
  kubectl(...args: string[]): Promise<string> {
    return run(this.#programs.kubectl, args, this.#withConfig({}));
  }

  /** The same with input or a time limit, and without judging the exit code. */
  tryKubectl(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return attempt(this.#programs.kubectl, args, this.#withConfig(options));
  }

  /** Reads one object or a list as JSON. */
  async get<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...args, '-o', 'json')) as T;
  }

  /** `kubectl apply` of objects, or of YAML text with any number of documents. */
  async apply(manifests: string | readonly Manifest[]): Promise<void> {
    await this.#send('apply', manifests);
  }

  /** `kubectl delete` of the same; returns when they are gone, and ignores what is gone already. */
  async delete(manifests: string | readonly Manifest[]): Promise<void> {
    await this.#send('delete', manifests, ['--ignore-not-found', '--timeout=60s']);
  }

  /** Applies files of the checkout, each object changed by `patch` first (see manifests.ts); returns the objects. */
  async applyManifests(
    files: readonly string[],
    patch: (manifest: Manifest) => Manifest = (manifest) => manifest,
  ): Promise<Manifest[]> {
    const manifests = files.flatMap(readManifests).map(patch);
    await this.apply(manifests);
    return manifests;
  }

  /** Ends everything and removes the lab's folder. */
  async stop(): Promise<void> {
    await removeLab(this.#record);
  }

  #kubeletConfig(node: LabNode): string {
    return this.#record.path('pki', `node-${node.name}.kubeconfig`);
  }

  #withConfig(options: CommandOptions): CommandOptions {
    return { ...options, env: { ...process.env, KUBECONFIG: this.kubeconfig } };
  }

  async #send(
    verb: string,
    manifests: string | readonly Manifest[],
    args: readonly string[] = [],
  ): Promise<void> {
    const input =
      typeof manifests === 'string'
        ? manifests
        : JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
    const options = this.#withConfig({ input, timeout: 90_000 });
    await run(this.#programs.kubectl, [verb, '-f', '-', ...args], options);
  }

  /** A rebooted node is still called Ready for a while, so only a heartbeat after `since` counts. */
  async #nodeReady(node: LabNode, since: Date): Promise<void> {
    const isReady = async () => {
      const { status } = await this.get<NodeObject>('node', node.name);
      const ready = status.conditions.find(({ type }) => type === 'Ready');
      return ready?.status === 'True' && new Date(ready.lastHeartbeatTime).getTime() >= floorSecond(since);
    };
    await waitFor(`node ${node.name} is Ready`, isReady, { timeout: 120_000, interval: 250 });
  }
}

interface NodeObject {
  readonly status: {
    readonly conditions: {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime: string;
    }[];
  };
}

/** Times in the API have whole seconds. */
function floorSecond(time: Date): number {
  return Math.floor(time.getTime() / 1000) * 1000;
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
