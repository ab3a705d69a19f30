// What is cleaned up behind nodes that died, and when.
import { describe, expect, it } from 'vitest';
import { missingNodes, planDeadNodes } from '../../../node/controller/dead-node-plan.ts';
import { planDevices } from '../../../node/controller/plan.ts';
import { NODE_ANNOTATIONS, NODE_LABELS } from '../../../proto/api/names.ts';
import {
  node,
  nodeUsbDevice,
  observed,
  pluggedDevice,
  START,
  slice,
} from '../../support/controller/objects.ts';

const MINUTE = 60_000;
const marks = Object.fromEntries(Object.values(NODE_LABELS).map((label) => [label, 'true']));

describe('a slice without a Node', () => {
  const slices = [slice('gone', [pluggedDevice('usb-1')])];
  const missing = observed({ slices, missingNodes: new Map([['gone', START]]) });

  it('is deleted after five minutes, if nobody wrote it meanwhile', () => {
    expect(planDeadNodes(missing, START + 5 * MINUTE - 1)).toEqual([]);
    expect(planDeadNodes(missing, START + 5 * MINUTE)).toEqual([
      {
        group: 'slice/gone-slice',
        kind: 'resourceSlices',
        key: { name: 'gone-slice' },
        do: 'delete',
        uid: 'uid-gone-slice',
        version: '1',
      },
    ]);
  });

  it('lists nothing any more in the look that deletes it', () => {
    const given = { ...missing, nodeUsbDevices: [nodeUsbDevice('usb-1', { assignedNamespace: 'lab' })] };
    const ready = (now: number) =>
      planDevices(given, now).find((step) => step.do === 'status' && step.kind === 'nodeUsbDevices');
    expect(ready(START)).toMatchObject({ status: { conditions: [{ reason: 'NodeNotReady' }, {}, {}] } });
    expect(ready(START + 5 * MINUTE)).toMatchObject({
      status: { conditions: [{ reason: 'NotFound' }, {}, {}] },
    });
  });
});

describe('missingNodes', () => {
  const slices = [slice('a', []), slice('gone', [])];
  const nodes = new Map([['a', node('a')]]);

  it('remembers when each Node was first missed, and forgets it when it is back', () => {
    const first = missingNodes({ slices, nodes }, new Map(), START);
    expect(first).toEqual(new Map([['gone', START]]));
    const later = missingNodes({ slices, nodes }, first, START + MINUTE);
    expect(later).toEqual(first);
    const back = new Map([...nodes, ['gone', node('gone')] as const]);
    expect(missingNodes({ slices, nodes: back }, later, START + MINUTE).size).toBe(0);
  });

  it('forgets pools without slices', () => {
    expect(missingNodes({ slices: [], nodes }, new Map([['gone', START]]), START).size).toBe(0);
  });
});

describe('a node that is not ready', () => {
  const dead = (since: number | undefined, labels: Record<string, string> = marks) => {
    const annotations = { [NODE_ANNOTATIONS.address]: '192.0.2.1:4280' };
    const facts = node('a', { metadata: { name: 'a', labels, annotations }, ready: false, since });
    return observed({ nodes: new Map([['a', facts]]) });
  };

  it('loses the labels that invite pods after a minute, but not its name label nor the annotations', () => {
    expect(planDeadNodes(dead(START), START + MINUTE)).toEqual([]);
    const [step] = planDeadNodes(dead(START), START + MINUTE + 1);
    const { gatewayNode: _, ...removed } = NODE_LABELS;
    const labels = Object.fromEntries(Object.values(removed).map((label) => [label, null]));
    expect(step).toMatchObject({
      do: 'patch',
      kind: 'nodes',
      patch: { metadata: { labels, annotations: {} } },
    });
  });

  it('without such labels, or without a time, is left alone', () => {
    expect(planDeadNodes(dead(START, {}), START + 9 * MINUTE)).toEqual([]);
    expect(planDeadNodes(dead(undefined), START + 9 * MINUTE)).toEqual([]);
  });

  it('that is ready again keeps them', () => {
    const facts = node('a', { metadata: { name: 'a', labels: marks } });
    expect(planDeadNodes(observed({ nodes: new Map([['a', facts]]) }), START + 9 * MINUTE)).toEqual([]);
  });
});
