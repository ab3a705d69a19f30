// The steps of a plan, one situation at a time.
import { describe, expect, it } from 'vitest';
import { REPLUG_GRACE } from '../../../node/controller/node-usb-device-plan.ts';
import type { Observed } from '../../../node/controller/observed.ts';
import { planDevices } from '../../../node/controller/plan.ts';
import type { Step } from '../../../node/controller/step.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import { FINALIZERS } from '../../../proto/api/names.ts';
import { ModelCluster } from '../../support/controller/model-cluster.ts';
import {
  DIGITS_A,
  DIGITS_B,
  node,
  nodeUsbDevice,
  observed,
  PRINT_A,
  pluggedDevice,
  START,
  slice,
  template,
  usbDevice,
  virtualMachine,
} from '../../support/controller/objects.ts';

const plugged = [slice('a', [pluggedDevice('usb-1')])];
const inLab = nodeUsbDevice('usb-1', { assignedNamespace: 'lab' });

/** `create nodeUsbDevices usb-1` and the like. */
function told(steps: readonly Step[]): string[] {
  return steps.map(({ do: verb, kind, key }) =>
    [verb, kind, key.namespace, key.name].filter(Boolean).join(' '),
  );
}

const plan = (parts: Partial<Observed>, now = START) => planDevices(observed(parts), now);

/** A cluster with usb-1 in node a, given to `namespace` and at rest. */
function atRest(namespace = ''): ModelCluster {
  const cluster = new ModelCluster();
  cluster.put('nodes', node('a'));
  for (const each of plugged) cluster.put('resourceSlices', each);
  cluster.run();
  if (namespace !== '') assign(cluster, namespace);
  cluster.run();
  return cluster;
}

function assign(cluster: ModelCluster, assignedNamespace: string): void {
  const found = cluster.find('nodeUsbDevices', { name: 'usb-1' });
  const spec = { assignedNamespace };
  if (found) cluster.put('nodeUsbDevices', { ...found, spec } as NodeUsbDevice);
}

describe('a device that is plugged in', () => {
  it('gets an object that belongs to nobody', () => {
    const [step, ...more] = plan({ slices: plugged });
    expect(more).toEqual([]);
    expect(step).toMatchObject({
      do: 'create',
      group: 'device/usb-1',
      object: { metadata: { name: 'usb-1' }, spec: { assignedNamespace: '' } },
      status: { nodeName: 'a', identity: '46f4:0001:S1', fingerprint: PRINT_A, observedGeneration: 1 },
      notes: [{ type: 'Normal', reason: 'Plugged' }],
    });
    expect(step).not.toHaveProperty('owner');
  });

  it('is pinned to its fingerprint by the assignment, which goes with that again', () => {
    const cluster = atRest('lab');
    const status = () => (cluster.find('nodeUsbDevices', { name: 'usb-1' }) as NodeUsbDevice).status;
    expect(status()?.pinnedFingerprint).toBe(PRINT_A);
    assign(cluster, '');
    cluster.run();
    expect(status()).not.toHaveProperty('pinnedFingerprint');
  });

  it('that another name is assigned for stays free', () => {
    const steps = plan({ slices: [slice('a', [pluggedDevice('usb-2')])], nodeUsbDevices: [inLab] });
    const created = steps.filter((step) => step.do === 'create' && step.kind === 'nodeUsbDevices');
    expect(told(created)).toEqual(['create nodeUsbDevices usb-2']);
  });
});

describe('an assignment', () => {
  it('makes the USBDevice, then its template, and tells of it at last', () => {
    expect(told(plan({ slices: plugged, nodeUsbDevices: [inLab] }))).toEqual([
      'create usbDevices lab usb-1',
      'create resourceClaimTemplates lab usb-1-template',
      'status nodeUsbDevices usb-1',
    ]);
  });

  it('works for a device that is away', () => {
    const [first] = plan({ nodeUsbDevices: [inLab] });
    expect(first).toMatchObject({ status: { conditions: [{ type: 'Ready', reason: 'NotFound' }, {}] } });
  });

  it('to another namespace takes it away before it is given', () => {
    const cluster = atRest('lab');
    assign(cluster, 'shop');
    expect(told(cluster.plan())).toEqual([
      'delete resourceClaimTemplates lab usb-1-template',
      'patch usbDevices lab usb-1',
      'delete usbDevices lab usb-1',
      'create usbDevices shop usb-1',
      'create resourceClaimTemplates shop usb-1-template',
      'status nodeUsbDevices usb-1',
    ]);
  });

  it('to another namespace waits while a machine has the device', () => {
    const cluster = atRest('lab');
    cluster.virtualMachines.set('vm', virtualMachine('lab', 'vm', ['usb-1'], { attached: ['usb-1'] }));
    cluster.run();
    assign(cluster, 'shop');
    expect(told(cluster.run())).toEqual([
      'delete resourceClaimTemplates lab usb-1-template',
      'status usbDevices lab usb-1',
      'delete usbDevices lab usb-1',
      'status nodeUsbDevices usb-1',
    ]);
    const held = cluster.find('usbDevices', { namespace: 'lab', name: 'usb-1' });
    expect(held?.metadata).toMatchObject({ finalizers: [FINALIZERS.usbDevice] });
    expect(held?.metadata.deletionTimestamp).toBeDefined();
    cluster.virtualMachines.clear();
    expect(told(cluster.run())).toEqual([
      'patch usbDevices lab usb-1',
      'create usbDevices shop usb-1',
      'create resourceClaimTemplates shop usb-1-template',
      'status nodeUsbDevices usb-1',
    ]);
  });

  it('to a namespace that does not exist waits for it', () => {
    const cluster = atRest('lab');
    cluster.namespaces.delete('lab');
    cluster.collectGarbage();
    cluster.run();
    expect(cluster.all('usbDevices')).toEqual([]);
    expect(cluster.notes.at(-1)?.note.reason).toBe('NamespaceMissing');
    cluster.namespaces.add('lab');
    expect(told(cluster.run())).toEqual([
      'create usbDevices lab usb-1',
      'create resourceClaimTemplates lab usb-1-template',
      'status nodeUsbDevices usb-1',
    ]);
  });
});

describe('a USBDevice', () => {
  it('that somebody deleted is made again', () => {
    const cluster = atRest('lab');
    cluster.delete('usbDevices', { namespace: 'lab', name: 'usb-1' });
    expect(told(cluster.run())).toEqual([
      'patch usbDevices lab usb-1',
      'create usbDevices lab usb-1',
      'delete resourceClaimTemplates lab usb-1-template',
      'create resourceClaimTemplates lab usb-1-template',
    ]);
  });

  it('that was restored from a backup gets its owner and finalizer back', () => {
    const cluster = atRest('lab');
    const found = usbDevice('lab', 'usb-1', { ownerReferences: [], finalizers: [] });
    const { status } = cluster.find('usbDevices', { namespace: 'lab', name: 'usb-1' }) as NodeUsbDevice;
    cluster.put('usbDevices', { ...found, status } as NodeUsbDevice);
    const [step] = cluster.run();
    const uid = cluster.find('nodeUsbDevices', { name: 'usb-1' })?.metadata.uid;
    expect(step).toMatchObject({
      do: 'patch',
      patch: {
        metadata: { ownerReferences: [{ uid, controller: true }], finalizers: [FINALIZERS.usbDevice] },
      },
    });
  });

  it('without a NodeUSBDevice is taken away, with its template', () => {
    const left = { usbDevices: [usbDevice('lab', 'usb-9')], templates: [template('lab', 'usb-9')] };
    expect(told(plan(left))).toEqual([
      'delete resourceClaimTemplates lab usb-9-template',
      'patch usbDevices lab usb-9',
      'delete usbDevices lab usb-9',
    ]);
  });

  it('keeps the finalizers of others', () => {
    const finalizers = ['example.com/x', FINALIZERS.usbDevice];
    const [step] = plan({ usbDevices: [usbDevice('lab', 'usb-9', { finalizers })] });
    expect(step).toMatchObject({ do: 'patch', patch: { metadata: { finalizers: ['example.com/x'] } } });
  });

  it('leaves a template of a person alone that is named like ours', () => {
    const metadata = { namespace: 'lab', name: 'usb-9-template', uid: 'x' };
    expect(plan({ templates: [{ metadata }] })).toEqual([]);
  });
});

describe('a device that is pulled out', () => {
  it('keeps everything that was given, and shows what it was', () => {
    const cluster = atRest('lab');
    cluster.remove('resourceSlices', { name: 'a-slice' });
    expect(told(cluster.run())).toEqual(['status usbDevices lab usb-1', 'status nodeUsbDevices usb-1']);
    expect(cluster.find('usbDevices', { namespace: 'lab', name: 'usb-1' })).toMatchObject({
      status: { nodeName: 'a', attributes: { product: 'disk' }, conditions: [{ reason: 'NotFound' }, {}] },
    });
  });

  it('is forgotten after a minute when nobody has it, as long as nobody touches it in that moment', () => {
    const cluster = atRest();
    cluster.remove('resourceSlices', { name: 'a-slice' });
    cluster.run();
    cluster.now += REPLUG_GRACE - 1_000;
    expect(cluster.plan()).toEqual([]);
    cluster.now += 1_000;
    const { uid, resourceVersion } = cluster.find('nodeUsbDevices', { name: 'usb-1' })?.metadata ?? {};
    expect(cluster.plan()).toMatchObject([{ do: 'delete', uid, version: resourceVersion }]);
  });

  it('is not taken as pulled out while its pool is being rewritten', () => {
    const cluster = atRest('lab');
    cluster.put('resourceSlices', slice('a', [], { generation: 2, count: 2 }));
    expect(cluster.plan()).toEqual([]);
    cluster.put('resourceSlices', slice('a', [], { generation: 2, count: 1 }));
    expect(told(cluster.plan())).toContain('status nodeUsbDevices usb-1');
  });
});

describe('another device under the same name', () => {
  it('costs the namespace the template, and nobody the assignment', () => {
    const cluster = atRest('lab');
    cluster.put('resourceSlices', slice('a', [pluggedDevice('usb-1', { fingerprint: DIGITS_B })]));
    expect(told(cluster.run())).toEqual([
      'status usbDevices lab usb-1',
      'delete resourceClaimTemplates lab usb-1-template',
      'status nodeUsbDevices usb-1',
    ]);
    expect(cluster.find('nodeUsbDevices', { name: 'usb-1' })).toMatchObject({
      spec: { assignedNamespace: 'lab' },
      status: { pinnedFingerprint: PRINT_A, conditions: [{ reason: 'FingerprintChanged' }, {}, {}] },
    });
  });

  it.each([
    [
      'when its node is not ready',
      (cluster: ReturnType<typeof atRest>) => cluster.put('nodes', node('a', { ready: false })),
    ],
    ['when its node is gone', (cluster: ReturnType<typeof atRest>) => cluster.delete('nodes', { name: 'a' })],
    [
      'when it is pulled out',
      (cluster: ReturnType<typeof atRest>) => cluster.put('resourceSlices', slice('a', [])),
    ],
  ])('does not bring the template back %s', (_, happens) => {
    const cluster = atRest('lab');
    cluster.put('resourceSlices', slice('a', [pluggedDevice('usb-1', { fingerprint: DIGITS_B })]));
    cluster.run();
    happens(cluster);
    cluster.run();
    expect(
      cluster.find('resourceClaimTemplates', { namespace: 'lab', name: 'usb-1-template' }),
    ).toBeUndefined();
  });

  it('gives way to the one that was meant, and the template is back', () => {
    const cluster = atRest('lab');
    for (const fingerprint of [DIGITS_B, DIGITS_A]) {
      cluster.put('resourceSlices', slice('a', [pluggedDevice('usb-1', { fingerprint })]));
      cluster.run();
    }
    expect(
      cluster.find('resourceClaimTemplates', { namespace: 'lab', name: 'usb-1-template' }),
    ).toBeDefined();
  });

  it('is no matter for a device that nobody has', () => {
    const cluster = atRest();
    cluster.put('resourceSlices', slice('a', [pluggedDevice('usb-1', { fingerprint: DIGITS_B })]));
    cluster.run();
    expect(cluster.find('nodeUsbDevices', { name: 'usb-1' })).toMatchObject({
      status: { conditions: [{ reason: 'Ready' }, {}, {}] },
    });
  });
});

describe('a NodeUSBDevice that somebody deletes', () => {
  const deleted = (finalizers: string[]) => {
    const cluster = atRest('lab');
    const found = cluster.find('nodeUsbDevices', { name: 'usb-1' });
    if (found) cluster.put('nodeUsbDevices', { ...found, metadata: { ...found.metadata, finalizers } });
    cluster.delete('nodeUsbDevices', { name: 'usb-1' });
    return cluster;
  };

  it('with the finalizer of the former component is let go, and comes back without an assignment', () => {
    const cluster = deleted([FINALIZERS.nodeUsbDevice]);
    expect(told(cluster.run()).slice(-2)).toEqual([
      'patch nodeUsbDevices usb-1',
      'create nodeUsbDevices usb-1',
    ]);
    expect(cluster.find('nodeUsbDevices', { name: 'usb-1' })).toMatchObject({
      spec: { assignedNamespace: '' },
    });
    expect(cluster.all('usbDevices')).toEqual([]);
  });

  it('with the finalizer of somebody else waits for that', () => {
    const cluster = deleted(['example.com/x']);
    cluster.run();
    expect(cluster.find('nodeUsbDevices', { name: 'usb-1' })?.metadata.finalizers).toEqual(['example.com/x']);
    expect(cluster.plan()).toEqual([]);
  });

  it('is held while a machine has the device', () => {
    const cluster = atRest('lab');
    cluster.virtualMachines.set('vm', virtualMachine('lab', 'vm', ['usb-1'], { attached: ['usb-1'] }));
    cluster.delete('nodeUsbDevices', { name: 'usb-1' });
    cluster.collectGarbage();
    cluster.run();
    expect(cluster.find('usbDevices', { namespace: 'lab', name: 'usb-1' })).toBeDefined();
    expect(cluster.find('nodeUsbDevices', { name: 'usb-1' })).toMatchObject({
      status: { conditions: [{}, {}, { reason: 'AttachedToVirtualMachine' }] },
    });
  });
});

describe('a thousand devices', () => {
  it('are planned in a fraction of a second', () => {
    const pools = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const slices = pools.map((pool) =>
      slice(
        pool,
        Array.from({ length: 5 }, (_, index) => pluggedDevice(`usb-${pool}-${index}`)),
      ),
    );
    const begin = performance.now();
    expect(plan({ slices })).toHaveLength(1_000);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});
