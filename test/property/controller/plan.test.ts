// The plan of the USB controller under random histories: it settles in one look, loses no assignment, doubles nothing, and
// ends where a controller would that saw only the end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPLUG_GRACE } from '../../../node/controller/node-usb-device-plan.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import { NODE_LABELS, UNPLUGGED_TAINT } from '../../../proto/api/names.ts';
import type { ResourceSlice, SliceDevice } from '../../../proto/api/resource.ts';
import { ModelCluster } from '../../support/controller/model-cluster.ts';
import {
  DIGITS_A,
  DIGITS_B,
  node,
  nodeUsbDevice,
  pluggedDevice,
  slice,
  virtualMachine,
} from '../../support/controller/objects.ts';

const NODES = ['a', 'b'];
const NAMESPACES = ['lab', 'shop'];
/** Two devices a node; the first ones are twins with one serial number. */
const DEVICES = NODES.flatMap((pool) => ['usb-1', 'usb-2'].map((name) => ({ pool, name: `${name}${pool}` })));

interface World {
  readonly cluster: ModelCluster;
  /** What people wrote into spec, of objects that nobody deleted. */
  readonly assigned: Map<string, string>;
}

type Command = (world: World) => void;

function listed(cluster: ModelCluster, pool: string): SliceDevice[] {
  const found = cluster.find('resourceSlices', { name: `${pool}-slice` }) as ResourceSlice | undefined;
  return [...(found?.spec.devices ?? [])];
}

function publish(cluster: ModelCluster, pool: string, devices: SliceDevice[]): void {
  if (devices.length === 0) cluster.remove('resourceSlices', { name: `${pool}-slice` });
  else cluster.put('resourceSlices', slice(pool, devices));
}

const device = fc.constantFrom(...DEVICES);
const pool = fc.constantFrom(...NODES);
const namespace = fc.constantFrom(...NAMESPACES);

const plug = fc
  .record({
    device,
    fingerprint: fc.constantFrom(DIGITS_A, DIGITS_B),
    busID: fc.constantFrom('2-1', '2-2'),
    lost: fc.boolean(),
  })
  .map(
    ({ device: { pool, name }, fingerprint, busID, lost }): Command =>
      ({ cluster }) => {
        const taints = lost ? [{ key: UNPLUGGED_TAINT, effect: 'NoSchedule' as const }] : [];
        const others = listed(cluster, pool).filter((each) => each.name !== name);
        publish(cluster, pool, [...others, pluggedDevice(name, { fingerprint, busID, taints })]);
      },
  );

const unplug = device.map(
  ({ pool, name }): Command =>
    ({ cluster }) => {
      publish(
        cluster,
        pool,
        listed(cluster, pool).filter((each) => each.name !== name),
      );
    },
);

const nodeChange = fc.record({ pool, state: fc.constantFrom('ready', 'not ready', 'gone') }).map(
  ({ pool, state }): Command =>
    ({ cluster }) => {
      if (state === 'gone') cluster.remove('nodes', { name: pool });
      else {
        const labels = { [NODE_LABELS.gateway]: 'true', [NODE_LABELS.gatewayNode]: 'any' };
        const facts = { metadata: { name: pool, labels }, ready: state === 'ready', since: cluster.now };
        cluster.put('nodes', node(pool, facts));
      }
    },
);

const assign = fc.record({ device, namespace: fc.constantFrom('', ...NAMESPACES, 'nowhere') }).map(
  ({ device: { name }, namespace }): Command =>
    ({ cluster, assigned }) => {
      changeSpec(cluster, name, { assignedNamespace: namespace });
      if (cluster.find('nodeUsbDevices', { name })) assigned.set(name, namespace);
    },
);

const approve = device.map(
  ({ name }): Command =>
    ({ cluster }) => {
      const found = cluster.find('nodeUsbDevices', { name }) as NodeUsbDevice | undefined;
      changeSpec(cluster, name, { fingerprint: found?.status?.fingerprint ?? '' });
    },
);

function changeSpec(cluster: ModelCluster, name: string, change: NodeUsbDevice['spec']): void {
  const found = cluster.find('nodeUsbDevices', { name }) as NodeUsbDevice | undefined;
  if (!found) return;
  const generation = (found.metadata.generation ?? 1) + 1;
  const spec = { ...found.spec, ...change };
  cluster.put('nodeUsbDevices', {
    ...found,
    metadata: { ...found.metadata, generation },
    spec,
  } as NodeUsbDevice);
}

const namespaceChange = fc.record({ namespace, exists: fc.boolean() }).map(
  ({ namespace, exists }): Command =>
    ({ cluster }) => {
      if (exists) cluster.namespaces.add(namespace);
      else cluster.namespaces.delete(namespace);
      cluster.collectGarbage();
    },
);

const vm = fc.record({ device, namespace, wants: fc.boolean(), has: fc.boolean(), on: pool }).map(
  ({ device: { name }, namespace, wants, has, on }): Command =>
    ({ cluster }) => {
      const attached = has && cluster.find('usbDevices', { namespace, name }) ? [name] : [];
      const machine = virtualMachine(namespace, 'vm', wants ? [name] : [], { attached, nodeName: on });
      cluster.virtualMachines.set(namespace, machine);
    },
);

const deletion = fc
  .record({
    device,
    namespace,
    kind: fc.constantFrom('nodeUsbDevices', 'usbDevices', 'resourceClaimTemplates'),
  })
  .map(
    ({ device: { name }, namespace, kind }): Command =>
      ({ cluster, assigned }) => {
        if (kind === 'nodeUsbDevices') {
          cluster.delete(kind, { name });
          assigned.delete(name);
        } else if (kind === 'usbDevices') cluster.delete(kind, { namespace, name });
        else if (kind === 'resourceClaimTemplates')
          cluster.delete(kind, { namespace, name: `${name}-template` });
        cluster.collectGarbage();
      },
  );

const time = fc.integer({ min: 1, max: 400 }).map(
  (seconds): Command =>
    ({ cluster }) => {
      cluster.now += seconds * 1_000;
    },
);

/** A look that is cut short, as when the controller is killed. */
const run = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 4 })).map(
  (limit): Command =>
    ({ cluster }) => {
      cluster.run(limit);
    },
);

const history = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: run },
    { weight: 3, arbitrary: plug },
    { weight: 3, arbitrary: assign },
    ...[unplug, nodeChange, approve, namespaceChange, vm, deletion, time].map((arbitrary) => ({
      weight: 1,
      arbitrary,
    })),
  ),
  { maxLength: 40, size: 'large' },
);

function newWorld(): World {
  const cluster = new ModelCluster();
  for (const name of NODES) cluster.put('nodes', node(name));
  return { cluster, assigned: new Map() };
}

function play(commands: readonly Command[], each: (world: World) => void = () => undefined): World {
  const world = newWorld();
  for (const command of commands) {
    command(world);
    each(world);
  }
  return world;
}

/** Lets the cluster come to rest: machines give back what was taken from them, and all graces end. */
function settle({ cluster }: World): void {
  for (const [namespace, machine] of cluster.virtualMachines) {
    const held = (machine.status?.usbDevices ?? []).filter(({ name }) => {
      const found = cluster.find('nodeUsbDevices', { name }) as NodeUsbDevice | undefined;
      return cluster.namespaces.has(namespace) && found?.spec.assignedNamespace === namespace;
    });
    cluster.virtualMachines.set(namespace, { ...machine, status: { ...machine.status, usbDevices: held } });
  }
  for (let round = 0; round < 4; round++) {
    cluster.run();
    cluster.collectGarbage();
    cluster.now += 10 * REPLUG_GRACE;
  }
}

/** The same inputs for a controller that has seen nothing yet; what it cannot know of a device that is away is kept. */
function freshFrom({ cluster }: World): World {
  const fresh = newWorld();
  fresh.cluster.now = cluster.now;
  for (const name of NODES) fresh.cluster.remove('nodes', { name });
  for (const kind of ['nodes', 'resourceSlices'] as const) {
    for (const object of cluster.all(kind)) fresh.cluster.put(kind, object);
  }
  fresh.cluster.namespaces.clear();
  for (const name of cluster.namespaces) fresh.cluster.namespaces.add(name);
  for (const [name, machine] of cluster.virtualMachines) fresh.cluster.virtualMachines.set(name, machine);
  for (const { metadata, spec, status } of cluster.all<NodeUsbDevice>('nodeUsbDevices')) {
    const { conditions: _, ...facts } = status ?? {};
    const { name = '', generation = 1 } = metadata;
    fresh.cluster.put(
      'nodeUsbDevices',
      nodeUsbDevice(name, spec, { status: facts, metadata: { generation } }),
    );
  }
  return fresh;
}

/** The state without what differs from run to run: uids, versions, times. */
function stateOf({ cluster }: World): unknown {
  const state = [
    'nodeUsbDevices',
    'usbDevices',
    'resourceClaimTemplates',
    'resourceSlices',
    'nodes',
  ] as const;
  return state
    .map((kind) =>
      cluster.all<NodeUsbDevice>(kind).map(({ metadata, spec, status }) => ({
        name: metadata.name,
        namespace: metadata.namespace,
        labels: metadata.labels,
        annotations: metadata.annotations,
        finalizers: metadata.finalizers,
        owners: metadata.ownerReferences?.map(({ kind, name, controller }) => ({ kind, name, controller })),
        spec,
        status: status && {
          ...status,
          conditions: status.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition),
        },
      })),
    )
    .map((objects) =>
      objects.sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1)),
    );
}

describe('planDevices, under any history', () => {
  it('has nothing more to do once its steps are done', () => {
    fc.assert(
      fc.property(history, (commands) => {
        play(commands, ({ cluster }) => {
          const copy = cluster.plan();
          if (copy.length === 0) return;
          cluster.run();
          expect(cluster.plan()).toEqual([]);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('ends where a controller ends that saw only the last state', () => {
    fc.assert(
      fc.property(history, (commands) => {
        const world = play(commands);
        settle(world);
        const fresh = freshFrom(world);
        settle(fresh);
        expect(stateOf(world)).toEqual(stateOf(fresh));
      }),
      { numRuns: 100 },
    );
  });

  it('never writes, loses or invents an assignment', () => {
    fc.assert(
      fc.property(history, (commands) => {
        play(commands, ({ cluster, assigned }) => {
          const objects = cluster.all<NodeUsbDevice>('nodeUsbDevices');
          for (const { metadata, spec } of objects) {
            if (metadata.deletionTimestamp) continue;
            expect(spec.assignedNamespace ?? '').toBe(assigned.get(metadata.name ?? '') ?? '');
          }
          for (const [name, namespace] of assigned) {
            if (namespace === '' && !cluster.find('nodeUsbDevices', { name })) assigned.delete(name);
            else expect(cluster.find('nodeUsbDevices', { name })).toBeDefined();
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('has a device in one namespace at a time, and its template nowhere else', () => {
    fc.assert(
      fc.property(history, (commands) => {
        play(commands, ({ cluster }) => {
          const devices = cluster.all<UsbDevice>('usbDevices');
          const live = devices.filter(({ metadata }) => !metadata.deletionTimestamp);
          expect(new Set(live.map(({ metadata }) => metadata.name)).size).toBe(live.length);
          const templates = cluster.all('resourceClaimTemplates').map(({ metadata }) => metadata.name);
          expect(new Set(templates).size).toBe(templates.length);
        });
      }),
      { numRuns: 100 },
    );
  });
});
