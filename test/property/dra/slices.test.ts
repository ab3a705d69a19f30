// The planner of ResourceSlices: from anything to what is wanted, then nothing more.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEVICES_PER_SLICE, planSlices, type SliceStep } from '../../../node/dra/slices.ts';
import type { ResourceSlice, SliceDevice } from '../../../proto/api/resource.ts';

const owner = { name: 'a', uid: 'uid-a' };

/** What the API server makes of the steps; names and versions are its own. */
function apply(observed: readonly ResourceSlice[], steps: readonly SliceStep[]): ResourceSlice[] {
  const slices = new Map(observed.map((slice) => [slice.metadata.name ?? '', slice]));
  let made = 0;
  for (const step of steps) {
    if (step.do === 'delete') slices.delete(step.name);
    else {
      const name = step.slice.metadata.name ?? `made-${slices.size}-${made++}`;
      const devices = step.slice.spec.devices?.map((device) => ({
        ...device,
        ...(device.taints && {
          taints: device.taints.map((taint) => ({ timeAdded: '2026-01-01T00:00:00Z', ...taint })),
        }),
      }));
      slices.set(name, {
        ...step.slice,
        metadata: { ...step.slice.metadata, name },
        spec: { ...step.slice.spec, ...(devices && { devices }) },
      });
    }
  }
  return [...slices.values()];
}

const deviceNamed = (name: string, speed: number, tainted: boolean): SliceDevice => ({
  name,
  attributes: { speed: { int: speed } },
  ...(tainted && { taints: [{ key: 'unplugged', effect: 'NoSchedule' as const }] }),
});

const devices = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 2 }), fc.boolean()), {
    selector: ([n]) => n,
    maxLength: 200,
  })
  .map((list) => list.map(([n, speed, tainted]) => deviceNamed(`usb-${n}`, speed, tainted)));

const foreign = fc.record({
  name: fc.constantFrom('x1', 'x2', 'x3'),
  driver: fc.constantFrom('virtualization-usb', 'other'),
  pool: fc.constantFrom('a', 'b'),
  generation: fc.nat({ max: 3 }),
  resourceSliceCount: fc.integer({ min: 1, max: 3 }),
  nodeName: fc.option(fc.constant('a'), { nil: undefined }),
});

const observed = fc.uniqueArray(foreign, { selector: ({ name }) => name, maxLength: 3 }).map((list) =>
  list.map(
    ({ name, driver, pool, generation, resourceSliceCount, nodeName }): ResourceSlice => ({
      metadata: { name, resourceVersion: '1' },
      spec: {
        driver,
        pool: { name: pool, generation, resourceSliceCount },
        ...(nodeName !== undefined && { nodeName }),
        devices: [deviceNamed('usb-1', 0, false)],
      },
    }),
  ),
);

const own = (slices: readonly ResourceSlice[]) =>
  slices.filter(({ spec }) => spec.driver === 'virtualization-usb' && spec.pool.name === 'a');

const names = (slices: readonly ResourceSlice[]) =>
  slices.flatMap(({ spec }) => (spec.devices ?? []).map(({ name }) => name)).sort();

describe('the plan for the slices of a node', () => {
  it('makes the pool hold the wanted devices, whatever was there', () => {
    fc.assert(
      fc.property(devices, observed, (wanted, present) => {
        const result = own(apply(present, planSlices(wanted, present, owner)));
        expect(names(result)).toEqual(wanted.map(({ name }) => name).sort());
        for (const { spec, metadata } of result) {
          expect(spec.devices?.length).toBeLessThanOrEqual(DEVICES_PER_SLICE);
          expect(spec.pool.resourceSliceCount).toBe(result.length);
          expect(spec.pool.generation).toBe(result[0]?.spec.pool.generation);
          expect(spec.nodeName).toBeUndefined();
          expect(spec.nodeSelector?.nodeSelectorTerms).toHaveLength(1);
          expect(metadata.ownerReferences).toEqual([
            { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'uid-a', controller: true },
          ]);
        }
      }),
    );
  });

  it('has nothing left to do once it is done', () => {
    fc.assert(
      fc.property(devices, observed, (wanted, present) => {
        const result = apply(present, planSlices(wanted, present, owner));
        expect(planSlices(wanted.toReversed(), result, owner)).toEqual([]);
      }),
    );
  });

  it('leaves other pools and drivers alone', () => {
    fc.assert(
      fc.property(devices, observed, (wanted, present) => {
        const others = present.filter((slice) => !own([slice]).length);
        const result = apply(present, planSlices(wanted, present, owner));
        expect(result).toEqual(expect.arrayContaining(others));
        expect(result.length).toBe(own(result).length + others.length);
      }),
    );
  });

  it('goes from any set of devices to any other, with a generation that never goes back', () => {
    fc.assert(
      fc.property(devices, devices, (before, after) => {
        const first = apply([], planSlices(before, [], owner));
        const steps = planSlices(after, first, owner);
        const second = apply(first, steps);
        expect(names(second)).toEqual(after.map(({ name }) => name).sort());
        const generation = (slices: ResourceSlice[]) => slices[0]?.spec.pool.generation ?? 1;
        if (second.length > 0) expect(generation(second)).toBeGreaterThanOrEqual(generation(first));
        if (steps.length > 1 && first.length > 0 && second.length > 0) {
          expect(generation(second)).toBeGreaterThan(generation(first));
        }
      }),
    );
  });

  it('survives a stop after any step', () => {
    fc.assert(
      fc.property(devices, observed, fc.nat({ max: 5 }), (wanted, present, done) => {
        const half = apply(present, planSlices(wanted, present, owner).slice(0, done));
        const result = apply(half, planSlices(wanted, half, owner));
        expect(planSlices(wanted, result, owner)).toEqual([]);
      }),
    );
  });
});

describe('the generation', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => deviceNamed(`usb-${i + 100}`, 0, false));

  it('stays when one slice changes, because that write is whole by itself', () => {
    const slices = apply([], planSlices(many(3), [], owner));
    const [step, ...rest] = planSlices(many(4), slices, owner);
    expect(rest).toEqual([]);
    expect(step).toMatchObject({ do: 'update', slice: { spec: { pool: { generation: 1 } } } });
  });

  it('goes up in all slices when a second one is needed', () => {
    const slices = apply([], planSlices(many(64), [], owner));
    const steps = planSlices(many(65), slices, owner);
    expect(steps.map((step) => [step.do, step.do !== 'delete' && step.slice.spec.pool])).toEqual([
      ['update', { name: 'a', generation: 2, resourceSliceCount: 2 }],
      ['create', { name: 'a', generation: 2, resourceSliceCount: 2 }],
    ]);
  });
});

describe('an edit by somebody else', () => {
  const wanted = [deviceNamed('usb-1', 480, false)];
  const [slice] = apply([], planSlices(wanted, [], owner)) as [ResourceSlice];

  it.each<[string, (copy: ResourceSlice) => void]>([
    ['an attribute', (copy) => Object.assign(copy.spec.devices?.[0] ?? {}, { attributes: {} })],
    ['a device more', (copy) => copy.spec.devices?.push(deviceNamed('usb-2', 1, false))],
    ['a taint', (copy) => Object.assign(copy.spec.devices?.[0] ?? {}, deviceNamed('usb-1', 480, true))],
    ['the node selector', (copy) => delete copy.spec.nodeSelector],
    ['the owner', (copy) => delete copy.metadata.ownerReferences],
    ['the count', (copy) => Object.assign(copy.spec.pool, { resourceSliceCount: 2 })],
  ])('of %s is put right', (_, edit) => {
    const copy = structuredClone(slice);
    edit(copy);
    expect(planSlices(wanted, [copy], owner)).toMatchObject([{ do: 'update', slice: { spec: slice.spec } }]);
  });

  it('that adds a slice is deleted', () => {
    const copy = { ...slice, metadata: { ...slice.metadata, name: 'z-copy' } };
    expect(planSlices(wanted, [slice, copy], owner)).toEqual([{ do: 'delete', name: 'z-copy' }]);
  });

  it('names the version it saw, so that a later edit is not lost', () => {
    const copy = structuredClone(slice);
    copy.metadata.resourceVersion = '7';
    copy.spec.devices = [];
    expect(planSlices(wanted, [copy], owner)).toMatchObject([
      { slice: { metadata: { resourceVersion: '7' } } },
    ]);
  });
});
