// usb list --watch: one line for each change, over every end of a watch.
import { describe, expect, it, vi } from 'vitest';
import { runProgram } from '../../../plugin/run/program.ts';
import { joinDevices } from '../../../plugin/usb/device-row.ts';
import { changedRows } from '../../../plugin/usb/row-changes.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { FakeHost } from './fake-host.ts';
import { FakeKube, forbidden } from './fake-kube.ts';
import {
  ago,
  CAMERA,
  claimOf,
  DISK,
  deviceOf,
  labClaims,
  labFacts,
  labStatuses,
  NOW,
  statusOf,
  TWIN,
  usbName,
} from './lab-facts.ts';

class Watching {
  readonly kube: FakeKube;
  readonly host: FakeHost;
  readonly code: Promise<number>;
  #seen = 0;

  constructor(line = '', kube = new FakeKube()) {
    this.kube = kube;
    this.host = new FakeHost({ kube });
    this.code = runProgram(
      ['usb', 'list', '-w', '--no-headers', ...line.split(' ').filter(Boolean)],
      this.host,
    );
  }

  /** What was printed since the last call: at least `count` lines, once everything that happened was seen. */
  async lines(count: number): Promise<string[]> {
    const fresh = () => this.host.out.slice(this.#seen).split('\n').filter(Boolean);
    await vi.waitUntil(() => fresh().length >= count && this.kube.pending === 0, {
      timeout: 5000,
      interval: 2,
    });
    await new Promise((resolve) => setTimeout(resolve, 15));
    const lines = fresh();
    this.#seen = this.host.out.length;
    return lines;
  }

  async end(): Promise<number> {
    this.host.stop.abort();
    return this.code;
  }
}

const worker1 = labStatuses()[0] ?? statusOf('worker-1');

describe('usb list --watch', () => {
  it('prints the table, then one line when a claim is allocated', async () => {
    const watching = new Watching();
    expect(await watching.lines(8)).toHaveLength(8);
    const object = claimOf('second', 'worker-2', TWIN, ['app']);
    watching.kube.happen('resourceclaims', { type: 'ADDED', object });
    const [line, ...more] = await watching.lines(1);
    expect(line).toMatch(new RegExp(`^${TWIN} .* Assigned +pod/app`));
    expect(more).toEqual([]);
    expect(await watching.end()).toBe(0);
    expect(watching.kube.closed).toBe(true);
  });

  it('prints nothing for a heartbeat', async () => {
    const watching = new Watching();
    await watching.lines(8);
    const status = worker1.status && { ...worker1.status, heartbeat: ago(0) };
    watching.kube.happen('usbnodestatuses', {
      type: 'MODIFIED',
      object: { ...worker1, status } as typeof worker1,
    });
    expect(await watching.lines(0)).toEqual([]);
    await watching.end();
  });

  it('prints a device that comes and one that goes', async () => {
    const watching = new Watching();
    await watching.lines(8);
    const devices = [...(worker1.status?.devices ?? []), deviceOf(usbName('9999'))].filter(
      ({ name }) => name !== CAMERA,
    );
    const object = { ...worker1, status: worker1.status && { ...worker1.status, devices } } as typeof worker1;
    watching.kube.happen('usbnodestatuses', { type: 'MODIFIED', object });
    const lines = await watching.lines(2);
    expect(lines.map((line) => /^\S+/.exec(line)?.[0])).toEqual([usbName('9999'), CAMERA]);
    expect(lines[1]).toMatch(/Absent +<none>/);
    await watching.end();
  });

  it('goes on after the server ends a watch, from where it was', async () => {
    const watching = new Watching();
    await watching.lines(8);
    watching.kube.happen('resourceclaims', { type: 'BOOKMARK', resourceVersion: '250' }, 'end');
    await watching.lines(0);
    await vi.waitUntil(() => watching.kube.calls.includes('watch resourceclaims 250'), { timeout: 5000 });
    await watching.end();
  });

  it('lists again after a 410 and prints only what has changed meanwhile', async () => {
    const watching = new Watching();
    await watching.lines(8);
    watching.kube.answer('resourceclaims', [...labClaims(), claimOf('second', 'worker-2', TWIN)]);
    watching.kube.happen('resourceclaims', new TypedError('GONE', 'too old'));
    const lines = await watching.lines(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('claim/second');
    expect(watching.host.err).toBe('');
    await watching.end();
  });

  it('tells an outage once and goes on', async () => {
    const watching = new Watching();
    await watching.lines(8);
    const away = new TypedError('SERVER_UNREACHABLE', 'connection refused');
    watching.kube.happen('nodes', away, away, away);
    watching.kube.happen('resourceclaims', {
      type: 'ADDED',
      object: claimOf('second', 'worker-2', TWIN),
    });
    expect(await watching.lines(1)).toHaveLength(1);
    expect(watching.host.err.match(/note: /g)).toHaveLength(1);
    await watching.end();
  });

  it('ends with an error when the right is taken away', async () => {
    const watching = new Watching();
    await watching.lines(8);
    watching.kube.happen('usbnodestatuses', forbidden('usbnodestatuses'));
    expect(await watching.code).toBe(4);
    expect(watching.host.err).toContain('(FORBIDDEN)');
    expect(watching.kube.closed).toBe(true);
  });

  it('notices by the clock that a node fell silent', async () => {
    const watching = new Watching();
    await watching.lines(8);
    watching.host.time = NOW + 200_000;
    const lines = await watching.lines(6);
    for (const line of lines) expect(line).toContain('Unreachable');
    await watching.end();
  });

  it('prints names of what changes with -o name', async () => {
    const watching = new Watching('-oname');
    await watching.lines(8);
    watching.kube.happen('resourceclaims', { type: 'DELETED', object: claimOf('serial', 'worker-2', TWIN) });
    expect(await watching.lines(1)).toEqual([expect.stringMatching(/^usb-d48e/)]);
    await watching.end();
  });

  it('watches only what may be listed', async () => {
    const watching = new Watching('', new FakeKube({ resourceclaims: forbidden('resourceclaims') }));
    expect(await watching.lines(7)).toHaveLength(7);
    expect(watching.kube.calls.some((call) => call.startsWith('watch resourceclaims'))).toBe(false);
    await watching.end();
  });

  it('prints the header even when it begins with nothing', async () => {
    const kube = new FakeKube({ usbnodestatuses: [], resourceclaims: [] });
    const host = new FakeHost({ kube });
    const code = runProgram(['usb', 'list', '-w'], host);
    kube.happen('usbnodestatuses', { type: 'ADDED', object: worker1 });
    await vi.waitUntil(() => host.out.split('\n').length === 5, { timeout: 5000, interval: 2 });
    host.stop.abort();
    expect(await code).toBe(0);
    expect(host.out.split('\n')[0]).toMatch(/^NAME +NODE/);
  });
});

describe('changedRows', () => {
  it('finds nothing between the same facts', () => {
    expect(changedRows(joinDevices(labFacts(), NOW), joinDevices(labFacts(), NOW + 5000))).toEqual([]);
  });

  it('finds everything against nothing, and the other way round', () => {
    const rows = joinDevices(labFacts(), NOW);
    expect(changedRows([], rows)).toEqual(rows);
    const gone = changedRows(rows, []);
    expect(gone.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    expect(new Set(gone.map(({ state }) => state))).toEqual(new Set(['Absent']));
  });

  it('finds a device that changed its port, its verdict or its holder', () => {
    const rows = joinDevices(labFacts(), NOW);
    const changes = [{ busID: '9-9' }, { verdict: 'Blocked' as const }, { reason: 'new' }];
    for (const change of changes) {
      const after = rows.map((row) =>
        row.name === CAMERA && row.device ? { ...row, device: { ...row.device, ...change } } : row,
      );
      expect(changedRows(rows, after).map(({ name }) => name)).toEqual([CAMERA]);
    }
    const after = rows.map((row) => (row.name === DISK ? { ...row, hold: undefined } : row));
    expect(changedRows(rows, after).map(({ name }) => name)).toEqual([DISK]);
  });
});
