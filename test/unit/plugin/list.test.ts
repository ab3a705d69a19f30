// usb list and usb show with few rights, and what they ask the cluster for.
import { describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { run } from './fake-host.ts';
import { FakeKube, forbidden } from './fake-kube.ts';
import { ADAPTER, claimOf, DISK } from './lab-facts.ts';

describe('usb list', () => {
  it('asks once for each kind and closes its connections', async () => {
    const kube = new FakeKube();
    await run('usb list', { kube });
    expect(kube.calls.sort()).toEqual([
      'list nodes',
      'list nodeusbdevices',
      'list resourceclaims',
      'list usbdevices',
      'list usbnodestatuses',
      'list virtualmachines',
    ]);
    expect(kube.closed).toBe(true);
  });

  it('lists devices without the right to list claims, with one note on stderr', async () => {
    const kube = new FakeKube({ resourceclaims: forbidden('resourceclaims') });
    const { code, out, err } = await run('usb list --no-headers', { kube });
    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(7);
    expect(out).toContain('pod/web');
    expect(err.match(/^note: /gm)).toHaveLength(1);
  });

  it('asks for the claims of the namespace when those of all are forbidden', async () => {
    const kube = new FakeKube({
      resourceclaims: forbidden('resourceclaims'),
      'resourceclaims@lab': [claimOf('serial', 'worker-2', ADAPTER)],
    });
    const { out, err } = await run('usb list -n lab', { kube });
    expect(out).toMatch(/Assigned +claim\/serial/);
    expect(err).toMatch(/^note: .*lab/);
  });

  it('goes on without claims where the server has no such API', async () => {
    const missing = new TypedError('API_NOT_SERVED', 'no resource.k8s.io/v1');
    const { code, err } = await run('usb list', { kube: new FakeKube({ resourceclaims: missing }) });
    expect([code, err.includes('claims')]).toEqual([0, true]);
  });

  it('does not hide other failures of optional kinds', async () => {
    const away = new TypedError('SERVER_UNREACHABLE', 'no route');
    const { code, out } = await run('usb list', { kube: new FakeKube({ nodes: away }) });
    expect([code, out]).toEqual([1, '']);
  });

  it('fails when the devices themselves may not be listed, and closes its connections', async () => {
    const kube = new FakeKube({ usbnodestatuses: forbidden('usbnodestatuses') });
    const { code, out, err } = await run('usb list', { kube });
    expect([code, out, kube.closed]).toEqual([4, '', true]);
    expect(err).toContain('(FORBIDDEN)');
  });

  it('shows all namespaces with -A, also when -n is given', async () => {
    const all = await run('usb list');
    expect((await run('usb list -A')).out).toBe(all.out);
    expect((await run('usb list -A -n other')).out).toBe(all.out);
    expect((await run('usb list -n other')).out).not.toBe(all.out);
  });

  it('prints no header with --no-headers, and none when nothing is found', async () => {
    expect((await run('usb list --no-headers')).out).not.toContain('NAME');
    const empty = await run('usb list', { kube: new FakeKube({ usbnodestatuses: [], resourceclaims: [] }) });
    expect(empty.out).toBe('');
  });

  it('prints an empty List as JSON for a namespace without devices', async () => {
    const kube = new FakeKube({ usbnodestatuses: [], resourceclaims: [] });
    const { out, err } = await run('usb list -n other -ojson', { kube });
    expect([JSON.parse(out).items, err]).toEqual([[], '']);
  });

  it('cuts nothing in a pipe and holds every line within a terminal that is wide enough', async () => {
    expect((await run('usb list')).out).not.toContain('…');
    const { out } = await run('usb list', { columns: 132 });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(132);
    expect(out).toContain('…');
  });
});

describe('usb show', () => {
  it('prints the name for other commands with -o name', async () => {
    expect((await run('usb show 0951:1666 -o name')).out).toBe(`${DISK}\n`);
  });

  it('looks only among the devices of a namespace with -n', async () => {
    const { code, out } = await run('usb show 0403:6001 -n other -oname');
    expect([code, out]).toEqual([0, expect.stringMatching(/^usb-d48f/)]);
  });

  it('asks for the events of the claim and its pods only', async () => {
    const kube = new FakeKube();
    await run(['usb', 'show', DISK], { kube });
    expect(kube.calls.filter((call) => call.includes('events')).sort()).toEqual([
      'list events@lab?involvedObject.uid=uid-of-disk',
      'list events@lab?involvedObject.uid=uid-of-web',
    ]);
  });

  it('shows the page without events where they are forbidden', async () => {
    const { code, out } = await run(['usb', 'show', DISK], {
      kube: new FakeKube({ events: forbidden('events') }),
    });
    expect([code, out.includes('cannot be listed')]).toEqual([0, true]);
  });

  it('does not hide other failures of events', async () => {
    const kube = new FakeKube({ events: new TypedError('SERVER_ERROR', 'etcd is away') });
    expect((await run(['usb', 'show', DISK], { kube })).code).toBe(1);
  });

  it('shows the ten newest events in order, in the words of both event APIs', async () => {
    const event = (index: number) => ({
      metadata: { name: `e${index}` },
      involvedObject: { kind: 'Pod', name: 'web' },
      reason: `R${index}`,
      message: 'm',
      type: 'Warning',
      lastTimestamp: index % 2 ? `2026-03-01T11:0${index % 10}:00Z` : null,
      eventTime: index % 2 ? null : `2026-03-01T11:0${index % 10}:00Z`,
    });
    const events = Array.from({ length: 10 }, (_, index) => event(9 - index));
    const old = { ...event(1), reason: 'Old', lastTimestamp: '2026-03-01T10:00:00Z' };
    const kube = new FakeKube({ 'events@lab?involvedObject.uid=uid-of-web': [...events, old] });
    const { out } = await run(['usb', 'show', DISK], { kube });
    expect(out.match(/^ {2}(R\d|Old):/gm)?.map((line) => line.trim())).toEqual(
      Array.from({ length: 10 }, (_, index) => `R${index}:`),
    );
  });
});
