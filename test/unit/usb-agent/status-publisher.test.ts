// USBNodeStatus of a node: written when something changed, else as a heartbeat, whatever the API server does.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NodeStatusContent, StatusPublisher } from '../../../node/usb/status-publisher.ts';
import type { UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { MemoryKube } from '../../support/dra/memory-kube.ts';
import { deviceStatus } from '../../support/dra/objects.ts';
import { keptLog } from '../../support/kept-log.ts';

const MINUTE = 60_000;

const EMPTY: NodeStatusContent = {
  agentVersion: '0.1.0',
  kernel: '6.12.0',
  rulesHash: '00',
  ports: { highSpeed: { total: 8, used: 0 }, superSpeed: { total: 8, used: 0 } },
  devices: [],
  attachments: [],
  exports: [],
};

let kube: MemoryKube;
let content: NodeStatusContent;
let publisher: StatusPublisher;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  kube = new MemoryKube();
  content = EMPTY;
  publisher = new StatusPublisher(kube, 'a', async () => content, keptLog());
});
afterEach(async () => {
  await publisher.stop();
  vi.useRealTimers();
});

async function run(milliseconds = 100): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

const object = () => kube.all<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses)[0];
const writes = () => kube.calls.filter((call) => call.startsWith('patch')).length;

describe('StatusPublisher', () => {
  it('makes the object of its node when there is none', async () => {
    publisher.trigger();
    await run();
    expect(object()).toMatchObject({
      apiVersion: 'kubectl-virt.dev/v1alpha1',
      kind: 'USBNodeStatus',
      metadata: { name: 'a' },
      status: { ...EMPTY, heartbeat: new Date(Date.now() - 80).toISOString() },
    });
    expect(publisher.problem).toBeUndefined();
  });

  it('writes a burst of changes once', async () => {
    for (let count = 0; count < 10; count++) publisher.trigger();
    await run();
    const before = writes();
    for (let count = 0; count < 10; count++) {
      content = { ...EMPTY, devices: [deviceStatus(`usb-${count}`)] };
      publisher.trigger();
    }
    await run();
    expect(writes()).toBe(before + 1);
    expect(object()?.status?.devices).toMatchObject([{ name: 'usb-9' }]);
  });

  it('writes nothing when nothing changed', async () => {
    publisher.trigger();
    await run();
    const before = writes();
    content = structuredClone(EMPTY);
    publisher.trigger();
    await run(1_000);
    expect(writes()).toBe(before);
  });

  it('writes a heartbeat each minute, give or take a quarter', async () => {
    publisher.trigger();
    await run();
    const first = object()?.status?.heartbeat ?? '';
    await run(1.25 * MINUTE);
    const second = object()?.status?.heartbeat ?? '';
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(MINUTE);
    const before = writes();
    await run(10 * MINUTE);
    expect(writes() - before).toBeGreaterThanOrEqual(8);
    expect(writes() - before).toBeLessThanOrEqual(10);
  });

  it('replaces lists as a whole: what is gone is gone', async () => {
    content = { ...EMPTY, devices: [deviceStatus('usb-1', { serial: 'S' }), deviceStatus('usb-2')] };
    publisher.trigger();
    await run();
    content = { ...EMPTY, devices: [deviceStatus('usb-2')] };
    publisher.trigger();
    await run();
    expect(object()?.status?.devices).toEqual([deviceStatus('usb-2')]);
  });

  it('does not mind that another instance made the object in between', async () => {
    let raced = false;
    kube.before = (call) => {
      if (!call.startsWith('create') || raced) return;
      raced = true;
      kube.put(RESOURCE_TYPES.usbNodeStatuses, { metadata: { name: 'a' } });
      throw new TypedError('CONFLICT', 'it exists');
    };
    publisher.trigger();
    await run();
    expect(object()).toMatchObject({ status: { agentVersion: '0.1.0' } });
    expect(publisher.problem).toBeUndefined();
  });

  it('says what is wrong while the kind is not served, and recovers when it is', async () => {
    kube.before = () => {
      throw new TypedError('API_NOT_SERVED', 'the server knows no usbnodestatuses');
    };
    publisher.trigger();
    await run();
    expect(publisher.problem).toContain('usbnodestatuses');
    kube.before = () => undefined;
    await run(MINUTE / 4);
    expect([publisher.problem, object()?.status?.kernel]).toEqual([undefined, '6.12.0']);
  });

  it('writes again what it takes as written, when a later write failed that may have arrived', async () => {
    publisher.trigger();
    await run();
    const patch = kube.patch.bind(kube);
    vi.spyOn(kube, 'patch').mockImplementationOnce(async (...args) => {
      await patch(...args);
      throw new TypedError('SERVER_UNREACHABLE', 'the connection broke before the answer');
    });
    content = { ...EMPTY, devices: [deviceStatus('usb-1')] };
    publisher.trigger();
    await run();
    expect(object()?.status?.devices).toHaveLength(1);
    content = EMPTY;
    await run(1_000);
    expect(publisher.problem).toBeUndefined();
    expect(object()?.status?.devices).toEqual([]);
  });

  it('writes nothing after it was stopped', async () => {
    await publisher.stop();
    publisher.trigger();
    await run(MINUTE);
    expect(kube.calls).toEqual([]);
  });
});
