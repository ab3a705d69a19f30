// Waiting: what ends it, and what does not.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Progress } from '../../../../plugin/output/progress.ts';
import type { WaitStep } from '../../../../plugin/usb/change/step.ts';
import { waitForGoal } from '../../../../plugin/usb/change/wait-for-goal.ts';
import { TypedError } from '../../../../proto/api/typed-error.ts';
import { FakeHost } from '../fake-host.ts';
import { FakeKube, forbidden } from '../fake-kube.ts';
import { STICK, usbDevice, vmOf } from './change-objects.ts';

const step: WaitStep = {
  kind: 'wait',
  about: 'wait',
  goal: { kind: 'attached', device: STICK, namespace: 'lab', vm: 'web' },
  look: 'kubectl virt usb show it',
};
const asking = vmOf('web', { list: [STICK] });
const using = vmOf('web', { list: [STICK], attached: [STICK] });

function waiting(kube: FakeKube, timeout = Number.POSITIVE_INFINITY, columns?: number) {
  const pause: FakeHost['pause'] = (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
  const host = new FakeHost({ pause, ...(columns === undefined ? {} : { columns }) });
  const progress = new Progress(host.stderr, () => host.now());
  const end = waitForGoal(kube, host, step, timeout, progress).then(
    () => 'reached',
    (error: unknown) => (error instanceof TypedError ? error.code : String(error)),
  );
  return { host, end };
}

function kubeWith(vm: ReturnType<typeof vmOf>): FakeKube {
  return new FakeKube({ virtualmachines: [vm], usbdevices: [usbDevice('lab')] });
}

describe('the wait', () => {
  it('is over at once when the goal is reached already', async () => {
    const { host, end } = waiting(kubeWith(using));
    expect([await end, host.err]).toEqual(['reached', '  0s  attached to vm/web\n']);
  });

  it('asks for the objects of its goal by their names and nothing else', async () => {
    const kube = kubeWith(using);
    await waiting(kube).end;
    expect(kube.calls.filter((call) => call.startsWith('list')).sort()).toEqual([
      `list usbdevices@lab?metadata.name=${STICK}`,
      'list virtualmachines@lab?metadata.name=web',
    ]);
  });

  it('ends with the event that brings the goal, not with the next tick', async () => {
    const kube = kubeWith(asking);
    const { host, end } = waiting(kube);
    await expect.poll(() => host.err).toContain('taken it up');
    const begin = performance.now();
    kube.happen('virtualmachines', { type: 'MODIFIED', object: using });
    expect(await end).toBe('reached');
    expect(performance.now() - begin).toBeLessThan(500);
  });

  it('tells each state once', async () => {
    const kube = kubeWith(asking);
    const { host, end } = waiting(kube);
    await expect.poll(() => host.err).toContain('taken it up');
    kube.happen('virtualmachines', { type: 'MODIFIED', object: asking }, { type: 'MODIFIED', object: using });
    await end;
    expect(host.err.match(/taken it up/g)).toHaveLength(1);
  });

  it('times out without a word from the server too', async () => {
    const kube = kubeWith(asking);
    kube.answer('usbdevices', new TypedError('SERVER_UNREACHABLE', 'no route'));
    const { host, end } = waiting(kube, 60);
    expect(await end).toBe('TIMED_OUT');
    expect(host.err).toContain('note: no route; trying again');
  });

  it('ends when the person stops it', async () => {
    const { host, end } = waiting(kubeWith(asking));
    await expect.poll(() => host.err).toContain('taken it up');
    host.stop.abort();
    expect(await end).toBe('INTERRUPTED');
  });

  it('ends when the objects may not be watched', async () => {
    const kube = kubeWith(asking);
    kube.answer('usbdevices', forbidden('usbdevices'));
    expect(await waiting(kube).end).toBe('FORBIDDEN');
  });

  it('goes on over the ends of watches', async () => {
    const kube = kubeWith(asking);
    const { host, end } = waiting(kube);
    await expect.poll(() => host.err).toContain('taken it up');
    kube.answer('virtualmachines', [using]);
    kube.happen('virtualmachines', new TypedError('GONE', 'too old'));
    expect(await end).toBe('reached');
  });

  it('takes the live line away before a note, so that both can be read', async () => {
    const kube = kubeWith(asking);
    const { host, end } = waiting(kube, Number.POSITIVE_INFINITY, 80);
    await expect.poll(() => host.err).toContain('taken it up');
    kube.happen('virtualmachines', new TypedError('SERVER_ERROR', 'etcd is away'));
    await expect.poll(() => host.err).toContain('\r\u001b[2Knote: etcd is away');
    host.stop.abort();
    await end;
  });
});
