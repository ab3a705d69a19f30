// Which ResourceSlices this node must have, and the writes that make it so. Pure.
import { isDeepStrictEqual } from 'node:util';
import { DRIVER, NODE_LABELS } from '../../proto/api/names.ts';
import type { NodeSelector, ResourceSlice, SliceDevice } from '../../proto/api/resource.ts';

/** The Node object that owns the pool; the pool is named like it. */
export interface PoolOwner {
  readonly name: string;
  readonly uid: string;
}

export type SliceStep =
  | { readonly do: 'create'; readonly slice: ResourceSlice }
  /** Holds the resourceVersion that was seen. */
  | { readonly do: 'update'; readonly slice: ResourceSlice }
  | { readonly do: 'delete'; readonly name: string };

/** The API allows 128 devices a slice, but 64 once one of them has a taint. */
export const DEVICES_PER_SLICE = 64;

/**
 * Exactly one term is allowed. A node with free vhci ports on both hubs is marked `any`; one without is marked with its
 * own name, so that only its own devices, which need no port, are placed there.
 */
function reachableFrom(node: string): NodeSelector {
  return {
    nodeSelectorTerms: [
      {
        matchExpressions: [
          { key: NODE_LABELS.gateway, operator: 'In', values: ['true'] },
          { key: NODE_LABELS.gatewayNode, operator: 'In', values: ['any', node] },
        ],
      },
    ],
  };
}

function chunks(devices: readonly SliceDevice[]): SliceDevice[][] {
  const sorted = devices.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const count = Math.ceil(sorted.length / DEVICES_PER_SLICE);
  return Array.from({ length: count }, (_, i) =>
    sorted.slice(i * DEVICES_PER_SLICE, (i + 1) * DEVICES_PER_SLICE),
  );
}

/** Without spec.nodeName: the kubelet deletes slices that carry it whenever it restarts. */
function wantedSlice(
  devices: SliceDevice[],
  owner: PoolOwner,
  generation: number,
  resourceSliceCount: number,
): ResourceSlice {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: {
      generateName: `${owner.name}-${DRIVER}-`,
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: owner.name, uid: owner.uid, controller: true },
      ],
    },
    spec: {
      driver: DRIVER,
      pool: { name: owner.name, generation, resourceSliceCount },
      nodeSelector: reachableFrom(owner.name),
      devices,
    },
  };
}

/** The server adds the time of a taint and may leave out what is empty. */
function comparable(slice: ResourceSlice): unknown {
  const { generation: _, ...pool } = slice.spec.pool;
  return {
    owners: slice.metadata.ownerReferences,
    ...slice.spec,
    pool,
    devices: (slice.spec.devices ?? []).map(({ name, attributes, taints = [] }) => ({
      name,
      attributes,
      taints: taints.map(({ timeAdded: _added, ...taint }) => taint),
    })),
  };
}

function same(observed: ResourceSlice | undefined, wanted: ResourceSlice): boolean {
  return observed !== undefined && isDeepStrictEqual(comparable(observed), comparable(wanted));
}

function updated(
  { metadata }: ResourceSlice,
  { metadata: wanted, spec, ...rest }: ResourceSlice,
): ResourceSlice {
  return { ...rest, metadata: { ...metadata, ownerReferences: wanted.ownerReferences ?? [] }, spec };
}

/** spec.nodeName cannot be changed once it is set, so such a slice is replaced. */
function isReusable(slice: ResourceSlice): boolean {
  return slice.spec.nodeName === undefined;
}

export function isOfPool(slice: ResourceSlice, pool: string): boolean {
  return slice.spec.driver === DRIVER && slice.spec.pool.name === pool;
}

/**
 * `observed` may hold slices of any pool. One write keeps the generation, because it is atomic by itself; several get
 * a new one in every slice, and the scheduler ignores the pool until all of them are there. Nothing to change: no step.
 */
export function planSlices(
  devices: readonly SliceDevice[],
  observed: readonly ResourceSlice[],
  owner: PoolOwner,
): SliceStep[] {
  const present = observed
    .filter((slice) => isOfPool(slice, owner.name))
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const reusable = present.filter(isReusable);
  const generations = present.map((slice) => slice.spec.pool.generation);
  const newest = Math.max(1, ...generations);
  const parts = chunks(devices);
  const wanted = (generation: number) =>
    parts.map((part) => wantedSlice(part, owner, generation, parts.length));

  const matched = matchSlices(reusable, wanted(newest));
  const wrong = matched.filter(([found, want]) => !same(found, want)).length;
  const surplus = present.length - matched.filter(([found]) => found).length;
  const uniform = generations.every((generation) => generation === newest);
  if (uniform && wrong + surplus === 0) return [];

  const generation = uniform && wrong + surplus === 1 ? newest : newest + 1;
  const kept = new Set(matched.map(([found]) => found));
  return [
    ...matchSlices(reusable, wanted(generation)).flatMap(([found, want]): SliceStep[] => {
      if (!found) return [{ do: 'create', slice: want }];
      if (generation === newest && same(found, want)) return [];
      return [{ do: 'update', slice: updated(found, want) }];
    }),
    ...present
      .filter((slice) => !kept.has(slice))
      .map((slice): SliceStep => ({ do: 'delete', name: slice.metadata.name ?? '' })),
  ];
}

/** Pairs each wanted slice with one that is there: an equal one first, else any that is left. */
function matchSlices(
  present: readonly ResourceSlice[],
  wanted: readonly ResourceSlice[],
): [ResourceSlice | undefined, ResourceSlice][] {
  const left = [...present];
  const equals = wanted.map((want) => {
    const index = left.findIndex((slice) => same(slice, want));
    return index < 0 ? undefined : left.splice(index, 1)[0];
  });
  return wanted.map((want, i) => [equals[i] ?? left.shift(), want]);
}
