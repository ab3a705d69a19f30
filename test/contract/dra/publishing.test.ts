// What the driver writes about its node: ResourceSlices and the marks of the Node object.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PublishedDevice } from '../../../node/dra/device-attributes.ts';
import { NodeMarker } from '../../../node/dra/node-marker.ts';
import { type NodeState, planMarks } from '../../../node/dra/node-marks.ts';
import { SlicePublisher } from '../../../node/dra/slice-publisher.ts';
import { NODE_LABELS } from '../../../proto/api/names.ts';
import type { ResourceSlice } from '../../../proto/api/resource.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { quietLog } from '../../support/dra/driver-bench.ts';
import { MemoryKube } from '../../support/dra/memory-kube.ts';
import { nodeObject, published, sliceOf } from '../../support/dra/objects.ts';

const type = RESOURCE_TYPES.resourceSlices;
const never = new AbortController().signal;
let kube: MemoryKube;

beforeEach(() => {
  kube = new MemoryKube();
  kube.put(RESOURCE_TYPES.nodes, nodeObject('a'));
  kube.put(type, sliceOf('b', []));
});

describe('the slices of a node', () => {
  let devices: PublishedDevice[];
  let publisher: SlicePublisher;
  let warnings: string[];

  beforeEach(() => {
    devices = [published('usb-1'), published('usb-2', { verdict: 'Blocked' })];
    warnings = [];
    const log = { ...quietLog, warn: (_: object, message: string) => void warnings.push(message) };
    publisher = new SlicePublisher(kube, 'a', () => devices, log);
  });
  afterEach(() => publisher.stop());

  const own = () => kube.all<ResourceSlice>(type).filter((slice) => slice.spec.pool.name === 'a');
  const names = () => own().flatMap((slice) => slice.spec.devices?.map(({ name }) => name));
  const soon = { timeout: 1_000, interval: 5 };

  it('show the offered devices', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    expect(own()[0]?.metadata.ownerReferences?.[0]?.uid).toBe('uid-a');
    expect(publisher.problem).toBeUndefined();
  });

  it('show a new device at once', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    devices.push(published('usb-3'));
    publisher.trigger();
    await expect.poll(names, { timeout: 500, interval: 5 }).toEqual(['usb-1', 'usb-3']);
  });

  it('are written once for a burst, and not at all without a change', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    devices.push(published('usb-3'));
    for (let i = 0; i < 50; i++) publisher.trigger();
    await expect.poll(names, soon).toEqual(['usb-1', 'usb-3']);
    publisher.trigger();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const writes = kube.calls.filter((call) => /^(create|update|delete)/.test(call));
    expect(writes.map((call) => call.split(' ')[0])).toEqual(['create', 'update']);
  });

  it('come back when somebody deletes or edits them', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    kube.remove(type, { name: own()[0]?.metadata.name ?? '' });
    await expect.poll(names, soon).toEqual(['usb-1']);
    const [slice] = own();
    if (slice) kube.put(type, { ...slice, spec: { ...slice.spec, devices: [] } } as ResourceSlice);
    await expect.poll(names, soon).toEqual(['usb-1']);
  });

  it('are written again at once after a conflict, without a warning', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    let conflicts = 2;
    kube.before = (call) => {
      if (call.startsWith('update') && conflicts-- > 0) throw new TypedError('CONFLICT', 'changed');
    };
    devices.push(published('usb-3'));
    publisher.trigger();
    await expect.poll(names, soon).toEqual(['usb-1', 'usb-3']);
    expect(warnings).toEqual([]);
  });

  it('say what keeps them from being written, until it is over', async () => {
    kube.before = (call) => {
      if (call.startsWith('create')) throw new TypedError('FORBIDDEN', 'not allowed');
    };
    publisher.start();
    await expect.poll(() => publisher.problem, soon).toContain('not allowed');
    kube.before = () => {};
    await expect.poll(() => publisher.problem, soon).toBeUndefined();
    expect(names()).toEqual(['usb-1']);
  });

  it('stay when the agent stops, and go when it is asked to clean up', async () => {
    publisher.start();
    await expect.poll(names, soon).toEqual(['usb-1']);
    await publisher.stop();
    expect(own()).toHaveLength(1);
    await publisher.remove(never);
    expect(own()).toEqual([]);
    expect(kube.all(type)).toHaveLength(1);
  });
});

describe('the marks of a node', () => {
  const free: NodeState = {
    nodeName: 'a',
    ports: { highSpeed: { total: 8, used: 0 }, superSpeed: { total: 8, used: 0 } },
    address: { host: '10.0.0.1', port: 4280 },
  };
  let state: NodeState;
  let marker: NodeMarker;

  beforeEach(() => {
    state = free;
    marker = new NodeMarker(kube, () => state, 'a', quietLog);
  });
  afterEach(() => marker.stop());

  const metadata = () => kube.all(RESOURCE_TYPES.nodes)[0]?.metadata ?? {};

  it('follow the ports, keep the labels of others and write only what changed', async () => {
    kube.put(RESOURCE_TYPES.nodes, { metadata: { name: 'a', labels: { other: 'x' } } });
    marker.trigger();
    await expect
      .poll(() => metadata().labels)
      .toMatchObject({ other: 'x', [NODE_LABELS.gatewayNode]: 'any' });
    state = { ...free, ports: { ...free.ports, superSpeed: { total: 8, used: 8 } } };
    marker.trigger();
    await expect.poll(() => metadata().labels?.[NODE_LABELS.gatewayNode]).toBe('a');
    expect(planMarks(state, metadata())).toBeUndefined();
    marker.trigger();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(kube.calls.filter((call) => call.startsWith('patch'))).toHaveLength(2);
  });

  it('go on a clean stop', async () => {
    marker.trigger();
    await expect.poll(() => metadata().labels?.[NODE_LABELS.gateway]).toBe('true');
    await marker.stop();
    await marker.unmark(never);
    expect(metadata().labels).toEqual({ [NODE_LABELS.gatewayNode]: 'any' });
  });

  it('need no node on a clean stop', async () => {
    kube.remove(RESOURCE_TYPES.nodes, { name: 'a' });
    await expect(marker.unmark(never)).resolves.toBeUndefined();
  });

  it('say what keeps them from being written', async () => {
    kube.before = () => Promise.reject(new TypedError('FORBIDDEN', 'not allowed'));
    marker.trigger();
    await expect.poll(() => marker.problem).toContain('not allowed');
  });
});
