// What nodes leave behind that died: slices without a Node, and labels that still invite pods. Pure.
import type { ResourceSlice } from '../../proto/api/resource.ts';
import { planUnmark } from '../dra/node-marks.ts';
import type { Observed } from './observed.ts';
import type { Step } from './step.ts';

/** Milliseconds: a Node that is made anew in this time finds its slices. */
const MISSING_GRACE = 5 * 60_000;

/** Milliseconds: the agent of a node that is not ready for longer does not keep its marks. */
const NOT_READY_GRACE = 60_000;

/** Slices of Nodes that are gone for good: what they list is plugged in nowhere. */
export function staleSlices(
  { slices, missingNodes }: Pick<Observed, 'slices' | 'missingNodes'>,
  now: number,
): ResourceSlice[] {
  return slices.filter(({ spec }) => {
    const since = missingNodes.get(spec.pool.name);
    return since !== undefined && now - since >= MISSING_GRACE;
  });
}

/** Marks of a Node that is gone went with it. */
export function planDeadNodes(observed: Observed, now: number): Step[] {
  return [...staleSlices(observed, now).map(sliceRemoval), ...staleMarks(observed, now)];
}

/** Under its version: an agent that comes back writes the slice first. */
function sliceRemoval({ metadata: { name = '', uid, resourceVersion: version } }: ResourceSlice): Step {
  return { group: `slice/${name}`, kind: 'resourceSlices', key: { name }, do: 'delete', uid, version };
}

/** The scheduler looks at the labels through the nodeSelector of the slices, and a taint alone is tolerated by some pods. */
function staleMarks({ nodes }: Observed, now: number): Step[] {
  const dead = [...nodes.values()].filter(
    ({ ready, since }) => !ready && since !== undefined && now - since > NOT_READY_GRACE,
  );
  return dead.flatMap((node): Step[] => {
    const patch = planUnmark(node.metadata);
    const { name = '' } = node.metadata;
    return patch
      ? [{ group: `node/${name}`, kind: 'nodes', key: { name }, do: 'patch', object: node, patch }]
      : [];
  });
}

/** Since when each pool has no Node: as before where it was missing before, else since now. */
export function missingNodes(
  { slices, nodes }: Pick<Observed, 'slices' | 'nodes'>,
  before: ReadonlyMap<string, number>,
  now: number,
): Map<string, number> {
  const pools = new Set(slices.map(({ spec }) => spec.pool.name));
  const missing = [...pools].filter((pool) => !nodes.has(pool));
  return new Map(missing.map((pool) => [pool, before.get(pool) ?? now]));
}
