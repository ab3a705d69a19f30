// etcd, API server, controller manager and scheduler as processes of the machine, inside the lab's namespace.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { GATEWAY, SERVICE_ADDRESS, SERVICE_RANGE } from './addresses.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { LabError } from './lab-error.ts';
import type { LabNetwork } from './network.ts';
import { Authority, type KeyPair } from './pki.ts';
import type { LabPrograms } from './programs.ts';
import type { RunRecord } from './run-record.ts';
import { waitFor } from './wait.ts';

const ETCD = 'http://127.0.0.1:2379';

export class ControlPlane {
  readonly authority: Authority;
  /** For anyone on this machine; user admin. */
  readonly kubeconfig: string;
  readonly #record: RunRecord;
  readonly #network: LabNetwork;
  readonly #programs: LabPrograms;

  private constructor(authority: Authority, record: RunRecord, network: LabNetwork, programs: LabPrograms) {
    this.authority = authority;
    this.kubeconfig = record.path('kubeconfig');
    this.#record = record;
    this.#network = network;
    this.#programs = programs;
  }

  /** Resolves when the API server says that it is ready. */
  static async start(record: RunRecord, network: LabNetwork, programs: LabPrograms): Promise<ControlPlane> {
    const authority = await Authority.create(record.makeFolder('pki'));
    const plane = new ControlPlane(authority, record, network, programs);
    plane.#startEtcd();
    const admin = await authority.issue('admin', '/O=system:masters/CN=admin');
    const server = await plane.#startApiServer();
    writeKubeconfig(plane.kubeconfig, `https://${network.address}`, authority.own, admin);
    await plane.#ready(server, admin);
    await plane.#startController('kube-controller-manager', programs.controllerManager, [
      ...['--service-account-private-key-file', plane.#tokenKey, '--root-ca-file', authority.own.certificate],
      ...[
        '--cluster-signing-cert-file',
        authority.own.certificate,
        '--cluster-signing-key-file',
        authority.own.key,
      ],
      '--use-service-account-credentials',
    ]);
    await plane.#startController('kube-scheduler', programs.scheduler, []);
    return plane;
  }

  /** A kubeconfig for a program inside the lab's network. */
  async kubeconfigFor(name: string, subject: string): Promise<string> {
    const pair = await this.authority.issue(name, subject);
    const file = this.#record.path('pki', `${name}.kubeconfig`);
    writeKubeconfig(file, `https://${GATEWAY}`, this.authority.own, pair);
    return file;
  }

  get #tokenKey(): string {
    return this.#record.path('pki', 'tokens.key');
  }

  #startEtcd(): void {
    this.#start('etcd', this.#programs.etcd, [
      ...['--data-dir', this.#record.path('etcd'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', ETCD, '--advertise-client-urls', ETCD],
      ...['--listen-peer-urls', 'http://127.0.0.1:2380'],
    ]);
  }

  async #startApiServer(): Promise<ChildProcess> {
    const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
    const addresses = ['127.0.0.1', GATEWAY, SERVICE_ADDRESS, this.#network.address];
    const [server, kubelet] = await Promise.all([
      this.authority.issue('apiserver', '/CN=kube-apiserver', [
        ...names.map((name) => `DNS:${name}`),
        ...addresses.map((address) => `IP:${address}`),
      ]),
      this.authority.issue('kubelet-client', '/O=system:masters/CN=kubelet-client'),
      this.authority.tokenKey(),
    ]);
    // Port 443 and no other: the service address then needs no translation, and so no kube-proxy.
    return this.#start('kube-apiserver', this.#programs.apiServer, [
      ...['--etcd-servers', ETCD, '--secure-port', '443', '--bind-address', '0.0.0.0'],
      ...['--advertise-address', GATEWAY, '--service-cluster-ip-range', SERVICE_RANGE],
      ...['--tls-cert-file', server.certificate, '--tls-private-key-file', server.key],
      ...['--client-ca-file', this.authority.own.certificate],
      ...['--service-account-key-file', this.#tokenKey, '--service-account-signing-key-file', this.#tokenKey],
      ...['--service-account-issuer', 'https://kubernetes.default.svc'],
      ...['--authorization-mode', 'Node,RBAC', '--enable-admission-plugins', 'NodeRestriction'],
      ...['--kubelet-client-certificate', kubelet.certificate, '--kubelet-client-key', kubelet.key],
      // Nodes have no names in any DNS.
      ...['--kubelet-preferred-address-types', 'InternalIP', '--allow-privileged'],
      '--enable-aggregator-routing',
    ]);
  }

  async #startController(name: string, program: string, args: readonly string[]): Promise<void> {
    const kubeconfig = await this.kubeconfigFor(name, `/CN=system:${name}`);
    this.#start(name, program, ['--kubeconfig', kubeconfig, '--leader-elect=false', ...args]);
  }

  #start(name: string, program: string, args: readonly string[]): ChildProcess {
    const log = openSync(this.#record.path(`${name}.log`), 'a');
    const child = spawn(...this.#network.inside(program, args), {
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.#record.noteGroup(child.pid, name);
    return child;
  }

  async #ready(server: ChildProcess, user: KeyPair): Promise<void> {
    const ended = new AbortController();
    server.once('exit', () => ended.abort(new LabError('the API server ended')));
    const probe = () => isReady(this.#network.address, this.authority.own, user);
    const options = { timeout: 90_000, signal: ended.signal };
    await waitFor('the API server is ready', probe, options).catch((cause) => {
      const log = readFileSync(this.#record.path('kube-apiserver.log'), 'utf8').split('\n').slice(-10);
      throw new LabError(`${cause.message}\n${log.join('\n')}`, undefined, { cause });
    });
  }
}

function isReady(address: string, authority: KeyPair, user: KeyPair): Promise<boolean> {
  const options = {
    host: address,
    path: '/readyz',
    ca: readFileSync(authority.certificate),
    cert: readFileSync(user.certificate),
    key: readFileSync(user.key),
    timeout: 2_000,
  };
  return new Promise((resolve) => {
    const call = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('error', () => resolve(false));
    call.on('timeout', () => call.destroy());
    call.end();
  });
}
