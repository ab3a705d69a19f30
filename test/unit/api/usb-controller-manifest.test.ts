// What the controller may do in a cluster, and as what it runs there.
import { describe, expect, it } from 'vitest';
import { SERVICE_ACCOUNTS } from '../../../proto/api/names.ts';
import { deployed, ofKind, only } from './manifests.ts';

interface Rules {
  readonly rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

interface Binding {
  readonly roleRef: { kind: string; name: string };
  readonly subjects: object[];
}

interface Container {
  readonly args: string[];
  readonly env: { name: string }[];
  readonly ports: { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly [probe: string]: unknown;
}

interface Workload {
  readonly spec: {
    replicas: number;
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: {
        serviceAccountName: string;
        containers: [Container];
        securityContext: object;
        volumes?: object[];
      };
    };
  };
}

const FILE = 'usb-controller.yaml';
const manifests = deployed(FILE);
const pod = only<Workload>(FILE, 'Deployment').spec.template.spec;
const [container] = pod.containers;

/** `group/resource` to its verbs, sorted; the core group is `core`. */
function rights(kind: 'Role' | 'ClusterRole'): Record<string, string> {
  const { rules } = only<Rules>(FILE, kind);
  return Object.fromEntries(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((one) => [`${group || 'core'}/${one}`, [...verbs].sort().join(' ')]),
      ),
    ),
  );
}

describe('rights of the controller', () => {
  it('are these in the cluster and no others', () => {
    expect(rights('ClusterRole')).toEqual({
      'core/namespaces': 'list watch',
      'core/nodes': 'list patch watch',
      'core/events': 'create',
      'resource.k8s.io/resourceslices': 'delete list watch',
      'resource.k8s.io/resourceclaimtemplates': 'create delete list watch',
      'virtualization.deckhouse.io/virtualmachines': 'list watch',
      'virtualization.deckhouse.io/nodeusbdevices': 'create delete list patch watch',
      'virtualization.deckhouse.io/nodeusbdevices/status': 'update',
      'virtualization.deckhouse.io/usbdevices': 'create delete list patch watch',
      'virtualization.deckhouse.io/usbdevices/status': 'update',
    });
  });

  it('are the Lease in its own namespace', () => {
    expect(rights('Role')).toEqual({ 'coordination.k8s.io/leases': 'create get update' });
    expect(only(FILE, 'Role').metadata.namespace).toBe(SERVICE_ACCOUNTS.namespace);
  });

  it('name no wildcard', () => {
    const roles = [...ofKind<Rules>(manifests, 'Role'), ...ofKind<Rules>(manifests, 'ClusterRole')];
    expect(JSON.stringify(roles)).not.toContain('*');
  });

  it.each(['Role', 'ClusterRole'])('of its %s go to its account alone', (kind) => {
    const { roleRef, subjects } = only<Binding>(FILE, `${kind}Binding`);
    expect(roleRef).toMatchObject({ kind, name: only(FILE, kind).metadata.name });
    expect(subjects).toEqual([
      {
        kind: 'ServiceAccount',
        name: SERVICE_ACCOUNTS.controller,
        namespace: SERVICE_ACCOUNTS.namespace,
      },
    ]);
  });
});

describe('deployment of the controller', () => {
  it('runs two replicas of the sub-command with its account', () => {
    expect(only<Workload>(FILE, 'Deployment').spec.replicas).toBe(2);
    expect(container.args).toEqual(['usb-controller']);
    expect(pod.serviceAccountName).toBe(only(FILE, 'ServiceAccount').metadata.name);
    expect(pod.serviceAccountName).toBe(SERVICE_ACCOUNTS.controller);
  });

  it('is in the namespace that comes with the agent', () => {
    expect(only('usb-agent.yaml', 'Namespace').metadata.name).toBe(SERVICE_ACCOUNTS.namespace);
    const inNamespaces = manifests.filter(({ kind }) => !kind.startsWith('Cluster'));
    expect(new Set(inNamespaces.map(({ metadata }) => metadata.namespace))).toEqual(
      new Set([SERVICE_ACCOUNTS.namespace]),
    );
  });

  it('selects its own pods', () => {
    const { selector, template } = only<Workload>(FILE, 'Deployment').spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
  });

  it('has no privileges and cannot write to its own files', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.volumes).toBeUndefined();
    expect(pod).not.toHaveProperty('hostNetwork');
    expect(pod).not.toHaveProperty('hostPID');
  });

  it('is probed as the agent is', () => {
    const agent = only<Workload>('usb-agent.yaml', 'DaemonSet').spec.template.spec.containers[0];
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe', 'ports']) {
      expect(container[probe]).toEqual(agent[probe]);
    }
  });

  it('tells the process which replica it is, and where the Lease is', () => {
    expect(container.env.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POD_NAME', 'POD_NAMESPACE']),
    );
  });
});
