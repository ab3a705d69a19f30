// The writer of steps against an API server: order, preconditions, owners, events.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '../../../node/controller/step.ts';
import { StepWriter } from '../../../node/controller/step-writer.ts';
import type { KubeEvent } from '../../../proto/api/event.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { ControllerBench } from '../../support/controller/controller-bench.ts';
import { START } from '../../support/controller/objects.ts';
import { keptLog } from '../../support/kept-log.ts';
import { codeOf } from '../../support/kube-connection.ts';

const api = 'virtualization.deckhouse.io/v1alpha2';
const owned = { group: 'g', kind: 'usbDevices', key: { namespace: 'lab', name: 'usb-1' } } as const;
const note = { type: 'Normal', reason: 'Assigned', message: 'assigned to namespace lab' } as const;
const create: Step = {
  ...owned,
  do: 'create',
  object: { apiVersion: api, kind: 'USBDevice', metadata: { ...owned.key, finalizers: ['example.com/x'] } },
  owner: { kind: 'nodeUsbDevices', key: { name: 'usb-1' }, uid: 'uid-1' },
  status: { nodeName: 'a' },
  notes: [note],
};

let bench: ControllerBench;
let steps: string[];
let log: ReturnType<typeof keptLog>;
let writer: StepWriter;

beforeEach(async () => {
  bench = await ControllerBench.open();
  steps = [];
  log = keptLog();
  writer = new StepWriter(
    bench.kube,
    log,
    () => START,
    (step) => steps.push(step.do),
  );
});
afterEach(() => bench.close());

const write = (...all: Step[]) => writer.write(all, new AbortController().signal);
const found = () => bench.all<UsbDevice>(RESOURCE_TYPES.usbDevices)[0];
const events = () => bench.all<KubeEvent>(RESOURCE_TYPES.events);

async function made(): Promise<UsbDevice> {
  await write(create);
  const object = found();
  if (!object) throw new Error('nothing was made');
  return object;
}

describe('StepWriter', () => {
  it('makes an object with its owner, then its status, then tells of it', async () => {
    const written = await write(create);
    expect(found()).toMatchObject({
      metadata: {
        ownerReferences: [{ apiVersion: api, kind: 'NodeUSBDevice', name: 'usb-1', uid: 'uid-1' }],
      },
      status: { nodeName: 'a' },
    });
    expect(events()).toMatchObject([
      {
        reason: 'Assigned',
        involvedObject: { kind: 'USBDevice', name: 'usb-1', uid: found()?.metadata.uid },
      },
    ]);
    expect(written).toEqual([
      {
        kind: 'usbDevices',
        key: owned.key,
        uid: found()?.metadata.uid,
        version: found()?.metadata.resourceVersion,
      },
    ]);
  });

  it('knows the uid of an owner that an earlier step made', async () => {
    const template: Step = {
      group: 'g',
      kind: 'resourceClaimTemplates',
      key: { namespace: 'lab', name: 't' },
      do: 'create',
      object: { metadata: { namespace: 'lab', name: 't' } },
      owner: { kind: 'usbDevices', key: owned.key },
    };
    await write(create, template);
    const [object] = bench.all(RESOURCE_TYPES.resourceClaimTemplates);
    expect(object?.metadata.ownerReferences).toMatchObject([
      { kind: 'USBDevice', uid: found()?.metadata.uid },
    ]);
  });

  it('goes on from its own writes to the same object', async () => {
    const object = await made();
    await write(
      { ...owned, do: 'patch', object, patch: { metadata: { finalizers: ['example.com/y'] } } },
      { ...owned, do: 'status', object, status: { nodeName: 'b' } },
    );
    expect(found()).toMatchObject({ metadata: { finalizers: ['example.com/y'] }, status: { nodeName: 'b' } });
  });

  it('replaces a status as a whole', async () => {
    await write({ ...owned, do: 'status', object: await made(), status: { identity: 'x' } });
    expect(found()?.status).toEqual({ identity: 'x' });
  });

  it('writes nothing over what somebody else wrote, nor what comes behind it', async () => {
    const object = await made();
    bench.put(RESOURCE_TYPES.usbDevices, { ...object, status: { nodeName: 'other' } });
    const status: Step = { ...owned, do: 'status', object, status: { nodeName: 'b' }, notes: [note] };
    expect(await codeOf(write(status, { ...owned, do: 'delete', uid: object.metadata.uid }))).toBe(
      'CONFLICT',
    );
    expect(found()?.status).toEqual({ nodeName: 'other' });
    expect(events()).toHaveLength(1);
    expect(steps).toEqual(['create']);
  });

  it('does not make what is there', async () => {
    await made();
    expect(await codeOf(write(create))).toBe('CONFLICT');
  });

  it('deletes only the object that was meant, in the version that was meant', async () => {
    const { uid, resourceVersion } = (await made()).metadata;
    expect(await codeOf(write({ ...owned, do: 'delete', uid: 'another' }))).toBe('CONFLICT');
    expect(await codeOf(write({ ...owned, do: 'delete', uid, version: '1' }))).toBe('CONFLICT');
    const written = await write({ ...owned, do: 'delete', uid, version: resourceVersion });
    expect(written).toEqual([{ kind: 'usbDevices', key: owned.key, uid, version: undefined }]);
    expect(found()?.metadata.deletionTimestamp).toBeDefined();
  });

  it('takes what is missing as deleted', async () => {
    const written = await write({ ...owned, do: 'delete', uid: 'x' });
    expect(written).toMatchObject([{ version: undefined }]);
  });

  it('does not fail for an event that is lost', async () => {
    bench.api.faults.once({ status: 403 }, (method, path) => method === 'POST' && path.endsWith('/events'));
    await write(create);
    expect(found()).toBeDefined();
    expect(log.lines).toMatchObject([{ level: 'warn' }]);
  });
});
