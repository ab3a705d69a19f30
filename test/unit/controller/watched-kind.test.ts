// A kind that is watched: what counts as news, and kinds that a cluster lacks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WatchedKind } from '../../../node/controller/watched-kind.ts';
import type { KubeObject } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { ControllerBench } from '../../support/controller/controller-bench.ts';
import { keptLog } from '../../support/kept-log.ts';
import { until } from '../../support/kube-connection.ts';

interface Facts {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly zone: string;
}

const facts = ({ metadata: { name = '', resourceVersion = '', labels } }: KubeObject): Facts => ({
  metadata: { name, resourceVersion },
  zone: labels?.zone ?? '',
});

let bench: ControllerBench;
let abort: AbortController;
let running: Promise<void>;
let changes: number;
let log: ReturnType<typeof keptLog>;

beforeEach(async () => {
  bench = await ControllerBench.open({ machines: false });
  abort = new AbortController();
  changes = 0;
  log = keptLog();
});
afterEach(async () => {
  abort.abort();
  await running;
  await bench.close();
});

function watched(
  type: Parameters<ControllerBench['all']>[0],
  optional = false,
): WatchedKind<KubeObject, Facts> {
  const onChange = () => {
    changes++;
  };
  const kind = new WatchedKind<KubeObject, Facts>({ type, transform: facts, optional, onChange, log });
  running = kind.run(bench.kube, abort.signal);
  return kind;
}

describe('WatchedKind', () => {
  it('tells of all objects at first, and keeps them', async () => {
    const kind = watched(RESOURCE_TYPES.nodes);
    expect(kind.problem).toContain('nodes');
    await until(() => kind.problem === undefined);
    expect([...kind.cache.values()].map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(changes).toBe(1);
  });

  it('does not tell of changes that are not looked at, but keeps the new version', async () => {
    const kind = watched(RESOURCE_TYPES.nodes);
    await until(() => bench.api.faults.openWatches === 1);
    bench.node('a', 'False');
    const version = () => bench.all(RESOURCE_TYPES.nodes)[0]?.metadata.resourceVersion;
    await until(() => kind.cache.get({ name: 'a' })?.metadata.resourceVersion === version());
    expect(changes).toBe(1);
    bench.node('a', 'False', { zone: 'z' });
    await until(() => changes === 2);
    bench.remove(RESOURCE_TYPES.nodes, { name: 'a' });
    await until(() => changes === 3);
    expect(kind.cache.size).toBe(1);
  });

  it('takes a kind that the cluster lacks as empty when it may be lacking, and says so once', async () => {
    const kind = watched(RESOURCE_TYPES.virtualMachines, true);
    await until(() => kind.problem === undefined);
    expect([kind.cache.size, changes]).toEqual([0, 1]);
    expect(log.lines).toHaveLength(1);
  });

  it('waits for a kind that must be there', async () => {
    const kind = watched(RESOURCE_TYPES.virtualMachines);
    await until(() => log.lines.length > 0);
    expect(kind.problem).toContain('virtualmachines');
    expect(kind.cache.synced).toBe(false);
  });

  it('does not take a refusal as empty', async () => {
    bench.api.faults.once({ status: 403 });
    const kind = watched(RESOURCE_TYPES.nodes, true);
    await until(() => log.lines.length > 0);
    expect(kind.problem).toBeDefined();
    await until(() => kind.problem === undefined);
    expect(kind.cache.size).toBe(2);
  });
});
