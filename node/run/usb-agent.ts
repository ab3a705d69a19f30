// The USB agent of a node put together: discovery, names and verdicts, publication, the DRA driver, exports and imports.
import { join } from 'node:path';
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { UNPLUGGED_TAINT } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { reflect } from '../../proto/kube/watch/reflect.ts';
import type { DevicePolicy } from '../../wasm/host/device-policy.ts';
import { FileCdiStore } from '../dra/cdi-store.ts';
import { ClaimCache } from '../dra/claim-cache.ts';
import { ClaimGrants } from '../dra/claim-grants.ts';
import { FileClaimStore } from '../dra/claim-store.ts';
import { claimUse } from '../dra/claim-use.ts';
import type { PublishedDevice } from '../dra/device-attributes.ts';
import { DraDriver, type Outcome } from '../dra/driver.ts';
import { KubeletPlugin } from '../dra/kubelet-plugin.ts';
import { NodeMarker } from '../dra/node-marker.ts';
import type { NodeState } from '../dra/node-marks.ts';
import { SlicePublisher } from '../dra/slice-publisher.ts';
import { judgeDevices } from '../policy/judge-devices.ts';
import type { RuleSet } from '../policy/rule-set.ts';
import { withFileLock } from '../sys/file-lock.ts';
import { openUeventSocket } from '../sys/uevent-socket.ts';
import { Discovery, type SeenDevice } from '../usb/discovery.ts';
import type { IdentityMap } from '../usb/identity-map.ts';
import { isImportedPath } from '../usb/imported-path.ts';
import { netlinkUevents } from '../usb/netlink-uevents.ts';
import { NodeInventory } from '../usb/node-inventory.ts';
import { attachmentRows, exportRows } from '../usb/node-status.ts';
import { type NodeStatusContent, StatusPublisher } from '../usb/status-publisher.ts';
import { ANY_USB_DEVICE } from '../usb/uevent-source.ts';
import { watchUevents } from '../usb/watch-uevents.ts';
import { Exporter } from '../usbip/exporter.ts';
import { portUse } from '../usbip/port-use.ts';
import { type AgentMetrics, createAgentMetrics } from './agent-metrics.ts';
import { Changes } from './changes.ts';
import { ClaimRecords } from './claim-records.ts';
import type { DamagedFile } from './durable-file.ts';
import { Foreground } from './foreground.ts';
import { LevelLoop } from './level-loop.ts';
import type { Log } from './log.ts';
import type { Probes } from './probe-server.ts';
import type { UsbAgentOptions } from './usb-agent-options.ts';
import { openUsbHost, stateFolder, type UsbHost } from './usb-host.ts';

export interface UsbAgentParts {
  readonly options: UsbAgentOptions;
  readonly kube: KubeClient;
  readonly policy: DevicePolicy;
  readonly rules: RuleSet;
  readonly identities: { readonly map: IdentityMap; readonly save: (map: IdentityMap) => Promise<void> };
  readonly bootId: string;
  readonly version: string;
  readonly log: Log;
}

/** Milliseconds: how often the labels of the node are looked at, which rules may name. */
const LABELS = 60_000;

/** Milliseconds: so much later than the kernel's events the status tells of imports; claims in work come first. */
const IMPORTS = 300;

/** Milliseconds for the last writes of a clean stop. */
const FAREWELL = 3_000;

export class UsbAgent {
  readonly #parts: UsbAgentParts;
  readonly #host: UsbHost;
  readonly #foreground = new Foreground();
  readonly #claims: ClaimCache;
  readonly #records: ClaimRecords;
  readonly #inventory: NodeInventory;
  readonly #discovery: Discovery;
  readonly #driver: DraDriver;
  readonly #slices: SlicePublisher;
  readonly #status: StatusPublisher;
  readonly #marks: NodeMarker;
  readonly #labelsLoop: LevelLoop;
  readonly #verdictsLoop: LevelLoop;
  readonly #importsLoop: LevelLoop;
  readonly #allocated = new Changes<Set<string>>();
  readonly #shown = new Changes<PublishedDevice[]>();
  readonly #marked = new Changes<NodeState>();
  readonly #exporter: Exporter | undefined;
  readonly #abort = new AbortController();
  readonly metrics: AgentMetrics;
  /** Undefined before the API server was asked. */
  #labels: Readonly<Record<string, string>> | undefined;
  #publishing = false;
  #plugin: KubeletPlugin | undefined;
  #watching: Promise<void> | undefined;
  #exporterPort = 0;

  constructor(parts: UsbAgentParts) {
    const { options, kube, policy, rules, identities, bootId, log } = parts;
    const { nodeName } = options;
    const folder = stateFolder(options);
    this.#parts = parts;
    this.#host = openUsbHost(options, log, () => this.#holdersChanged());
    this.#claims = new ClaimCache(log);
    const store = new FileClaimStore(join(folder, 'checkpoint'), (file) => reportDamage(log, file));
    this.#records = new ClaimRecords(store, bootId);
    this.#inventory = new NodeInventory({
      nodeName,
      identities: identities.map,
      saveIdentities: identities.save,
      judge: (devices) =>
        this.#canJudge
          ? judgeDevices(policy, rules, { name: nodeName, labels: this.#labels ?? {} }, devices)
          : [],
      readNow: this.#host.see,
      allocated: () => this.#claims.allocatedIn(nodeName),
      held: () => this.#heldNames(),
      onChange: () => this.#publish(),
    });
    this.#driver = new DraDriver({
      nodeName,
      bootId,
      kube,
      access: this.#host.access,
      devices: this.#inventory,
      claims: store,
      cdi: new FileCdiStore(options.cdiRoot),
      fileLock: withFileLock,
      lockPath: join(folder, 'serialize.lock'),
      holderOf: (pool, device, uid) => this.#claims.holderOf(pool, device, uid),
      log,
    });
    this.metrics = createAgentMetrics({
      devices: () => this.#verdicts(),
      ports: () => portUse(this.#host.vhci.ports()),
      exports: () => this.#host.exports.list().length,
      requests: () => ({ ...this.#exporter?.counts }),
    });
    this.#discovery = new Discovery({
      tree: this.#host.tree,
      source: options.uevents === 'watch' ? watchUevents(options.hostRoot) : netlinkUevents(openUeventSocket),
      log,
      onSighting: async ({ devices }) => {
        this.#host.news.sighted(devices.flatMap(blockDevices));
        this.#host.exports.adopt();
        await this.#inventory.take(devices, new Date().toISOString());
      },
      onGap: () => {
        this.#host.news.gap();
        this.metrics.ueventGaps.inc();
      },
      onEvent: (event) => {
        this.#host.news.take(event);
        if (isImportedPath(event.devpath) || event.devpath === ANY_USB_DEVICE) this.#importsLoop.trigger();
      },
      turn: (signal) => this.#foreground.turn(signal),
      onScan: (milliseconds) => this.metrics.scanSeconds.observe(milliseconds / 1_000),
    });
    this.#slices = new SlicePublisher(kube, nodeName, () => this.#published(), log);
    this.#status = new StatusPublisher(kube, nodeName, () => this.#content(), log);
    this.#marks = new NodeMarker(kube, () => this.#nodeState(), nodeName, log);
    this.#labelsLoop = new LevelLoop({
      name: 'Node labels',
      log,
      period: LABELS,
      work: (signal) => this.#readLabels(signal),
    });
    this.#verdictsLoop = new LevelLoop({
      name: 'Verdicts',
      log,
      turn: (signal) => this.#foreground.turn(signal),
      work: () => this.#inventory.judgeAgain(new Date().toISOString()),
    });
    this.#importsLoop = new LevelLoop({
      name: 'Imports',
      log,
      gather: IMPORTS,
      work: async () => this.#publish(),
    });
    this.#exporter = options.allowPlainPeers ? this.#createExporter() : undefined;
  }

  /** Rejects when a socket or port cannot be had. Everything that needs the API server retries by itself. */
  async start(): Promise<void> {
    const { options, kube, log } = this.#parts;
    await this.#records.refresh();
    this.#watching = reflect(kube, RESOURCE_TYPES.resourceClaims, { transform: claimUse }, this.#claims, {
      signal: this.#abort.signal,
    }).catch((error: unknown) => {
      if (!this.#abort.signal.aborted) throw error;
    });
    this.#claims.onChange(() => this.#claimsChanged());
    this.#exporterPort = (await this.#exporter?.listen()) ?? 0;
    this.#discovery.start();
    this.#labelsLoop.trigger();
    this.#marks.trigger();
    this.#plugin = await KubeletPlugin.start({
      driver: {
        prepare: (claims, cancelled) =>
          this.#timed('prepare', () => this.#foreground.run(() => this.#driver.prepare(claims, cancelled))),
        unprepare: (claims) => this.#timed('unprepare', () => this.#driver.unprepare(claims)),
      },
      pluginsDir: options.pluginsDir,
      registryDir: options.registryDir,
      log,
    });
    log.info({ node: options.nodeName, exporterPort: this.#exporterPort }, 'USB agent started');
  }

  /** The kubelet's sockets go first; slices and prepared claims stay, because a restart is no unplugging. */
  async stop(): Promise<void> {
    await this.#plugin?.close();
    await this.#exporter?.close();
    await Promise.all([
      this.#discovery.stop(),
      this.#labelsLoop.stop(),
      this.#verdictsLoop.stop(),
      this.#importsLoop.stop(),
      this.#slices.stop(),
      this.#status.stop(),
      this.#marks.stop(),
    ]);
    this.#host.exports.stop();
    this.#abort.abort();
    await this.#watching;
    await this.#marks.unmark(AbortSignal.timeout(FAREWELL)).catch((err: unknown) => {
      this.#parts.log.warn({ err }, 'the marks of the node stay: the API server did not answer');
    });
  }

  probes(): Probes {
    return {
      // An answer is all: nothing that can be wrong here is cured by a restart.
      live: { answers: () => undefined },
      ready: {
        discovery: () => (this.#inventory.ready ? this.#discovery.problem : 'devices were not read yet'),
        kubelet: () => (this.#plugin ? this.#plugin.problem : 'the sockets are not there yet'),
        labels: () => this.#labelsLoop.problem,
        slices: () => this.#slices.problem,
        status: () => this.#status.problem,
      },
    };
  }

  #createExporter(): Exporter {
    const { options, kube, log } = this.#parts;
    const { nodeName, usbipAddress, usbipPort, maxConnections } = options;
    const { exports: table, readDevice, setSocketOptions } = this.#host;
    return new Exporter({
      ...(usbipAddress !== '' && { address: usbipAddress }),
      port: usbipPort,
      maxConnections,
      table,
      grants: new ClaimGrants(kube, nodeName, this.#inventory, this.#claims, (device) =>
        this.#records.holderOf(nodeName, device),
      ),
      readDevice,
      setSocketOptions,
      foreground: this.#foreground,
      log,
    });
  }

  async #timed<T>(
    call: string,
    work: () => Promise<Map<string, Outcome<T>>>,
  ): Promise<Map<string, Outcome<T>>> {
    const begin = performance.now();
    const outcomes = await work();
    const seconds = (performance.now() - begin) / 1_000;
    for (const outcome of outcomes.values()) {
      this.metrics.callSeconds.observe(
        { call, outcome: 'error' in outcome ? outcome.error.code : 'ok' },
        seconds,
      );
    }
    void this.#rereadRecords();
    return outcomes;
  }

  /** Only the status needs it: what the kubelet asked for is done. */
  async #rereadRecords(): Promise<void> {
    await this.#records.refresh().catch((err: unknown) => {
      this.#parts.log.warn({ err }, 'the checkpoints could not be read for the status');
    });
    this.#holdersChanged();
  }

  async #readLabels(signal: AbortSignal): Promise<void> {
    const { kube, options } = this.#parts;
    const node = await kube.get<KubeObject>(RESOURCE_TYPES.nodes, { name: options.nodeName }, { signal });
    this.#labels = node.metadata.labels ?? {};
    await this.#inventory.judgeAgain(new Date().toISOString());
  }

  /** Who holds a device decides whether its use by the node counts. */
  #holdersChanged(): void {
    this.#verdictsLoop.trigger();
  }

  /** Claims of the whole cluster are watched: most changes are about devices of other nodes. */
  #claimsChanged(): void {
    if (this.#allocated.differs(this.#claims.allocatedIn(this.#parts.options.nodeName)))
      this.#holdersChanged();
    else if (this.#records.list().length > 0) this.#publish();
  }

  /** Rules may name labels of the node. A device that is not judged is blocked. */
  get #canJudge(): boolean {
    const { rules } = this.#parts.rules;
    return this.#labels !== undefined || rules.every(({ nodeLabels }) => nodeLabels.length === 0);
  }

  /** Not before all is known: what the former run wrote would look unplugged for a moment. */
  #publish(): void {
    if (!this.#inventory.ready || !this.#canJudge) return;
    if (!this.#publishing) this.#slices.start();
    this.#publishing = true;
    this.#status.trigger();
    // Both ask the API server before they write, so only when there is something to write.
    if (this.#shown.differs(this.#published())) this.#slices.trigger();
    if (this.#marked.differs(this.#nodeState())) this.#marks.trigger();
  }

  #heldNames(): Set<string> {
    const exported = new Set(this.#host.exports.list().map(({ busId }) => busId));
    const names = this.#inventory
      .list()
      .filter(({ busID }) => exported.has(busID))
      .map(({ name }) => name);
    return new Set([...names, ...this.#records.heldOf(this.#parts.options.nodeName)]);
  }

  #verdicts(): { offered: number; blocked: number } {
    const all = this.#inventory.list();
    const offered = all.filter(({ verdict }) => verdict === 'Offered').length;
    return { offered, blocked: all.length - offered };
  }

  #published(): PublishedDevice[] {
    const taints = [{ key: UNPLUGGED_TAINT, effect: 'NoSchedule' as const }];
    const lost = this.#inventory.lost().map((entry) => ({ ...entry, taints }));
    return [...this.#inventory.entries(), ...lost];
  }

  #nodeState(): NodeState {
    const { nodeName, usbipAddress } = this.#parts.options;
    return {
      nodeName,
      ports: portUse(this.#host.vhci.ports()),
      ...(this.#exporter && { address: { host: usbipAddress, port: this.#exporterPort } }),
    };
  }

  async #content(): Promise<NodeStatusContent> {
    const { version, rules } = this.#parts;
    const { tree, vhci, access, exports } = this.#host;
    const podsOf = (claim: ObjectRef) => this.#claims.podsOf(claim);
    return {
      agentVersion: version,
      kernel: tree.readText('/proc/sys/kernel/osrelease')?.trim() ?? 'unknown',
      rulesHash: rules.hash,
      ports: portUse(vhci.ports()),
      devices: this.#inventory
        .list()
        .toSorted((a, b) => a.busID.localeCompare(b.busID, 'en', { numeric: true })),
      attachments: attachmentRows(this.#records.list(), {
        busIdOf: (attachment) => access.inspect(attachment, attachment.mode)?.busId,
        podsOf,
      }),
      exports: exportRows(exports.list(), this.#inventory.entries()),
    };
  }
}

function blockDevices({ device }: SeenDevice): string[] {
  return device.functions.filter(({ kind }) => kind === 'block').map(({ name }) => name);
}

function reportDamage(log: Log, { path, movedTo, error }: DamagedFile): void {
  const typed = error instanceof TypedError ? error : undefined;
  log.error({ path, movedTo, code: typed?.code, err: error }, `a damaged file was put aside: ${path}`);
}
