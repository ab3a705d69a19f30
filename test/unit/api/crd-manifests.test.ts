// The CRDs as they are installed: what kubectl and other clients find the kinds by.
import { describe, expect, it } from 'vitest';
import type { Column } from '../../../proto/api/generator/custom-kinds.ts';
import { structuralSchema } from '../../../proto/api/generator/structural-schema.ts';
import { NODE_USB_DEVICE, USB_DEVICE, USB_NODE_STATUS } from '../../../proto/api/names.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { only, repositoryText } from './manifests.ts';

interface Crd {
  readonly spec: {
    group: string;
    scope: string;
    names: Record<string, string | string[]>;
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      subresources: object;
      additionalPrinterColumns: Column[];
      schema: { openAPIV3Schema: object };
    }[];
  };
}

function crd(file: string) {
  const manifest = only<Crd>(`crds/${file}`, 'CustomResourceDefinition');
  const [version, ...more] = manifest.spec.versions;
  if (!version || more.length > 0) throw new Error(`${file} has not exactly one version`);
  return { manifest, version, names: manifest.spec.names };
}

/** `Name` or, where it is shown with `-o wide` only, `Name*`. */
function columns(file: string): string[] {
  return crd(file).version.additionalPrinterColumns.map((one) => one.name + (one.priority === 1 ? '*' : ''));
}

const condition = (type: string) => `.status.conditions[?(@.type=="${type}")].status`;

describe.each([
  ['node-usb-device', NODE_USB_DEVICE, RESOURCE_TYPES.nodeUsbDevices, 'Cluster', 'nusb'],
  ['usb-device', USB_DEVICE, RESOURCE_TYPES.usbDevices, 'Namespaced', 'usb'],
  ['usb-node-status', USB_NODE_STATUS, RESOURCE_TYPES.usbNodeStatuses, 'Cluster', 'uns'],
] as const)('CRD of %s', (file, kind, type, scope, shortName) => {
  const { manifest, version, names } = crd(`${file}.yaml`);

  it('is served under the names that our programs use', () => {
    expect(manifest.metadata.name).toBe(`${kind.plural}.${kind.group}`);
    expect(manifest.spec).toMatchObject({ group: type.group, scope });
    expect(names).toMatchObject({
      kind: kind.kind,
      plural: type.plural,
      singular: kind.kind.toLowerCase(),
      listKind: `${kind.kind}List`,
      shortNames: [shortName],
    });
    expect(version).toMatchObject({ name: type.version, served: true, storage: true });
  });

  it('has a status that is written on its own', () => {
    expect(version.subresources).toEqual({ status: {} });
  });

  it('holds the whole schema', () => {
    expect(version.schema.openAPIV3Schema).toEqual(structuralSchema(`${file}.json`));
  });

  it('shows columns of fields that exist', () => {
    const schema = JSON.stringify(version.schema);
    for (const { jsonPath } of version.additionalPrinterColumns) {
      if (jsonPath === '.metadata.creationTimestamp') continue;
      const last = jsonPath
        .replace(/\[.*\]/, '')
        .split('.')
        .at(-1);
      expect(schema).toContain(`"${last}":{`);
    }
  });

  it('has no anchors: people read a field where it is', () => {
    expect(repositoryText(`node/deploy/crds/${file}.yaml`)).not.toMatch(/[:-] [&*]\w+$/m);
  });
});

describe('kinds of the component we replace', () => {
  it.each(['node-usb-device.yaml', 'usb-device.yaml'])('%s has its category and labels', (file) => {
    const { manifest, names } = crd(file);
    expect(names.categories).toEqual(['virtualization']);
    expect(manifest.metadata.labels).toEqual({ heritage: 'deckhouse', module: 'virtualization' });
  });

  it('show its columns', () => {
    expect(columns('node-usb-device.yaml')).toEqual([
      'Node',
      'Ready',
      'Assigned',
      'Attached',
      'Namespace',
      'Age',
    ]);
    expect(columns('usb-device.yaml')).toEqual([
      'Node',
      'VendorID*',
      'ProductID*',
      'Bus*',
      'DeviceNumber*',
      'Manufacturer',
      'Product',
      'Serial*',
      'Attached',
      'Age',
    ]);
  });

  it('show conditions by their status', () => {
    const paths = new Map(
      crd('node-usb-device.yaml').version.additionalPrinterColumns.map((one) => [one.name, one.jsonPath]),
    );
    for (const type of ['Ready', 'Assigned', 'Attached']) expect(paths.get(type)).toBe(condition(type));
    expect(paths.get('Namespace')).toBe('.spec.assignedNamespace');
  });
});

describe('USBNodeStatus', () => {
  it('has a group of its own, so it bears no marks of another component', () => {
    const { manifest, names } = crd('usb-node-status.yaml');
    expect(manifest.metadata.labels).toBeUndefined();
    expect(names.categories).toBeUndefined();
  });

  it('shows the heartbeat and the use of ports', () => {
    expect(columns('usb-node-status.yaml')).toEqual(['Heartbeat', 'Agent', 'HS-Used', 'SS-Used']);
  });
});
