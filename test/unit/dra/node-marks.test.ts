// Labels and annotations of the Node object.
import { describe, expect, it } from 'vitest';
import { type NodeState, planMarks, planUnmark } from '../../../node/dra/node-marks.ts';
import { NODE_ANNOTATIONS, NODE_LABELS } from '../../../proto/api/names.ts';

const state = (highUsed: number, superUsed: number, total = 8): NodeState => ({
  nodeName: 'b',
  ports: { highSpeed: { total, used: highUsed }, superSpeed: { total, used: superUsed } },
  address: { host: '10.0.0.2', port: 4280 },
});

const labels = (of: NodeState) => planMarks(of, {})?.metadata.labels;

describe('the marks of a node', () => {
  it('say any while both hubs have a free port', () => {
    expect(planMarks(state(7, 0), {})).toEqual({
      metadata: {
        labels: {
          [NODE_LABELS.gateway]: 'true',
          [NODE_LABELS.gatewayShort]: 'true',
          [NODE_LABELS.gatewayNode]: 'any',
          [NODE_LABELS.highSpeed]: 'true',
          [NODE_LABELS.superSpeed]: 'true',
        },
        annotations: {
          [NODE_ANNOTATIONS.address]: '10.0.0.2:4280',
          [NODE_ANNOTATIONS.totalPorts]: '16',
          [NODE_ANNOTATIONS.usedPorts]: '7',
          [NODE_ANNOTATIONS.highSpeedUsed]: '7',
          [NODE_ANNOTATIONS.superSpeedUsed]: '0',
        },
      },
    });
  });

  it.each([
    ['the high speed hub is full', state(8, 0), undefined, 'true'],
    ['the super speed hub is full', state(0, 8), 'true', undefined],
    ['there is no vhci', state(0, 0, 0), undefined, undefined],
  ])('keep imports away when %s', (_, of, high, superSpeed) => {
    expect(labels(of)?.[NODE_LABELS.gatewayNode]).toBe('b');
    expect(labels(of)?.[NODE_LABELS.highSpeed]).toBe(high);
    expect(labels(of)?.[NODE_LABELS.superSpeed]).toBe(superSpeed);
  });

  it('leave the node open to its own devices when it shares none', () => {
    const { address: _, ...alone } = state(0, 0);
    const patch = planMarks(alone, { annotations: { [NODE_ANNOTATIONS.address]: 'old:1' } });
    expect(patch?.metadata.labels).toMatchObject({
      [NODE_LABELS.gateway]: 'true',
      [NODE_LABELS.gatewayNode]: 'b',
    });
    expect(patch?.metadata.annotations[NODE_ANNOTATIONS.address]).toBeNull();
  });

  it('put an IPv6 address in brackets', () => {
    const six = { ...state(0, 0), address: { host: 'fd00::2', port: 1 } };
    expect(planMarks(six, {})?.metadata.annotations[NODE_ANNOTATIONS.address]).toBe('[fd00::2]:1');
  });

  it('are not written when they are there', () => {
    const { labels: l, annotations: a } = planMarks(state(1, 1), {})?.metadata ?? {};
    const metadata = { labels: { ...l, other: 'x' }, annotations: { ...a } } as Record<
      string,
      Record<string, string>
    >;
    expect(planMarks(state(1, 1), metadata)).toBeUndefined();
  });

  it('change by themselves only: a label is removed when the hub is full', () => {
    const before = planMarks(state(7, 0), {})?.metadata as unknown as Record<string, Record<string, string>>;
    expect(planMarks(state(8, 0), before)?.metadata).toEqual({
      labels: { [NODE_LABELS.gatewayNode]: 'b', [NODE_LABELS.highSpeed]: null },
      annotations: { [NODE_ANNOTATIONS.usedPorts]: '8', [NODE_ANNOTATIONS.highSpeedUsed]: '8' },
    });
  });
});

describe('a clean stop', () => {
  it('removes the labels but the one that says nothing alone, and no annotation', () => {
    const before = planMarks(state(0, 0), {})?.metadata as unknown as Record<string, Record<string, string>>;
    const patch = planUnmark(before);
    expect(Object.keys(patch?.metadata.labels ?? {}).sort()).toEqual(
      [NODE_LABELS.gateway, NODE_LABELS.gatewayShort, NODE_LABELS.highSpeed, NODE_LABELS.superSpeed].sort(),
    );
    expect(patch?.metadata.annotations).toEqual({});
  });

  it('writes nothing when nothing is marked', () => {
    expect(planUnmark({ labels: { other: 'x' } })).toBeUndefined();
  });
});
