// Manifests made to run the checkout: code mounted, arguments kept, other objects untouched.
import { describe, expect, it } from 'vitest';
import { BUSYBOX_IMAGE } from '../../lab/artefacts/images.ts';
import { CHECKOUT, NODE_JS } from '../../lab/guest-files.ts';
import { changePodSpec, fromCheckout, type Manifest, readManifests } from '../../lab/manifests.ts';

const spec = {
  volumes: [{ name: 'dev', hostPath: { path: '/dev' } }],
  containers: [
    {
      name: 'agent',
      image: 'virt-node:1',
      args: ['usb-agent'],
      volumeMounts: [{ name: 'dev', mountPath: '/dev' }],
    },
  ],
};
const metadata = { name: 'x' };
const pod: Manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
const daemonSet: Manifest = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata,
  spec: { selector: {}, template: { spec } },
};

function podOf(manifest: Manifest): typeof spec {
  const outer = manifest.spec as { template?: { spec: typeof spec } } & typeof spec;
  return outer.template?.spec ?? outer;
}

describe.each([pod, daemonSet])('a $kind from the checkout', (manifest) => {
  const changed = podOf(fromCheckout()(manifest));

  it('runs the program with the arguments of the manifest', () => {
    expect(changed.containers[0]).toMatchObject({
      image: BUSYBOX_IMAGE,
      imagePullPolicy: 'Never',
      command: [NODE_JS, `${CHECKOUT}/node/main.ts`],
      args: ['usb-agent'],
    });
  });

  it('has the code of the node, read-only, beside its own volumes', () => {
    const mounts = changed.containers[0]?.volumeMounts ?? [];
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/dev', CHECKOUT, '/usr', '/lib', '/lib64']);
    expect(mounts.slice(1).every((mount) => 'readOnly' in mount && mount.readOnly)).toBe(true);
    expect(changed.volumes.map(({ name }) => name)).toEqual(mounts.map(({ name }) => name));
  });

  it('leaves the manifest itself alone', () => {
    expect(podOf(manifest)).toBe(spec);
    expect(spec.containers[0]?.image).toBe('virt-node:1');
  });
});

describe('other objects', () => {
  const account: Manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };

  it('stay as they are', () => {
    expect(fromCheckout()(account)).toBe(account);
    expect(changePodSpec(account, () => ({ containers: [] }))).toBe(account);
  });
});

describe('the manifests of the agent', () => {
  it('are read with all their documents', () => {
    const kinds = readManifests('node/deploy/usb-agent.yaml').map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['ServiceAccount', 'ClusterRole', 'DaemonSet']));
  });
});
