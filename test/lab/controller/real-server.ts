// The lab's API server as the contract of the Kubernetes client wants it: a kind, a policy and users of its own.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import { hostPorts } from '../../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import type { ClusterConnection } from '../../../proto/kube/connection.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { GADGET_CRD, GADGET_POLICY, type Gadget, gadgets, UNLUCKY } from '../../contract/kube/gadget-kind.ts';
import type { KubeUnderTest } from '../../contract/kube/kube-under-test.ts';
import { configMaps } from '../../contract/kube/own-objects.ts';
import type { Cluster } from '../cluster.ts';
import type { Manifest } from '../manifests.ts';
import { waitFor } from '../wait.ts';

const NAMESPACE = 'kube-contract';
const BUSY = 'contract-busy';

/** Nobody is there: the API server gives up after the time limit, and lets the write pass. */
const SILENT_WEBHOOK = {
  clientConfig: { url: 'https://10.7.0.250/' },
  timeoutSeconds: 2,
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

const SLOW = { slow: 'yes' };

/**
 * A user whose level of priority and fairness has no seats: then one call at a time is served and all others get a 429
 * (apiserver, fairqueuing/queueset). Creates of objects with the label `slow` take two seconds.
 */
const BUSY_USER: Manifest[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: BUSY, namespace: NAMESPACE },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: BUSY }],
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: BUSY },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
    },
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: BUSY },
    spec: {
      priorityLevelConfiguration: { name: BUSY },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: BUSY } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: BUSY },
    webhooks: [
      {
        ...SILENT_WEBHOOK,
        name: 'slow.kubectl-virt.dev',
        objectSelector: { matchLabels: SLOW },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  },
];

const MADE: Manifest[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  { ...GADGET_CRD },
  ...GADGET_POLICY,
  ...BUSY_USER,
];

export class RealServer {
  readonly kube: KubeUnderTest;
  readonly #cluster: Cluster;
  readonly #client: KubeClient;
  readonly #busy: KubeClient;

  private constructor(
    cluster: Cluster,
    admin: ClusterConnection,
    jane: ClusterConnection,
    busy: ClusterConnection,
  ) {
    this.#cluster = cluster;
    this.#client = createKubeClient(admin);
    this.#busy = createKubeClient(busy);
    const { ca = '' } = admin.tls;
    this.kube = {
      admin,
      jane,
      busy,
      stranger: {
        ...admin,
        tls: { ca },
        credentials: async () => ({ headers: { authorization: 'Bearer of-nobody' } }),
      },
      namespace: NAMESPACE,
      // The last bookmark comes two seconds before the end (apiserver, cacher); a second must remain for the test.
      watchSeconds: 5,
      forget: () => this.#forget(),
      overload: () => this.#overload(),
    };
  }

  static async setUp(cluster: Cluster): Promise<RealServer> {
    const as = (user?: string) =>
      resolveConnection({ kubeconfig: cluster.kubeconfig, as: user }, {}, hostPorts());
    const server = new RealServer(cluster, await as(), await as('jane'), await as(BUSY));
    try {
      await cluster.apply(MADE);
      await server.#ready();
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }

  async remove(): Promise<void> {
    await this.#cluster.delete(MADE);
    this.#client.close();
    this.#busy.close();
  }

  /** The kind is served, its policy denies, and pods may be made: all of that comes some time after the objects. */
  async #ready(): Promise<void> {
    await this.#cluster.kubectl('wait', '--for=create', '-n', NAMESPACE, 'serviceaccount/default');
    const gadget: Gadget = {
      apiVersion: `${gadgets.group}/${gadgets.version}`,
      kind: GADGET_CRD.spec.names.kind,
      metadata: { namespace: NAMESPACE, name: 'probe' },
      spec: { size: UNLUCKY.size },
    };
    await waitFor('the policy denies', async () => {
      const denied = await failure(this.#client.create(gadgets, gadget, { dryRun: true }));
      return denied?.message.includes(UNLUCKY.message);
    });
  }

  /** Has etcd throw away all old revisions, in the way of API servers, of which this one takes note at once. */
  async #forget(): Promise<void> {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1`;
    const { metadata } = (await this.#client.getRaw(path)) as { metadata: { continue: string } };
    const object: KubeObject = { metadata: { namespace: NAMESPACE, generateName: 'newer-' } };
    const newer = await this.#client.create(configMaps, object);
    const { resourceVersion: revision = '' } = newer.metadata;
    await this.#etcd('put', { key: base64('compact_rev_key'), value: base64(revision) });
    await this.#etcd('compaction', { revision });
    const old = `${path}&continue=${metadata.continue}`;
    await waitFor('old states are forgotten', async () => {
      return (await failure(this.#client.getRaw(old)))?.code === 'GONE';
    });
  }

  /** The JSON form of etcd's gRPC service KV. */
  async #etcd(method: string, request: object): Promise<void> {
    const data = ['-q', '-O', '-', '--post-data', JSON.stringify(request)];
    await this.#cluster.network.run('busybox', ['wget', ...data, `http://127.0.0.1:2379/v3/kv/${method}`]);
  }

  /** A slow create takes the only seat; the webhook may have to be noticed first. */
  async #overload(): Promise<void> {
    await waitFor('calls are put off', async () => {
      const metadata = { namespace: NAMESPACE, generateName: 'slow-', labels: SLOW };
      void failure(this.#busy.create(configMaps, { metadata }));
      // The client waits for a second after a 429, and so has no answer in time.
      const hung = await failure(this.#busy.list(configMaps, { namespace: NAMESPACE }, { timeout: 300 }));
      return hung?.code === 'TIMED_OUT';
    });
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function failure(work: Promise<unknown>): Promise<TypedError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error;
    throw error;
  }
}
