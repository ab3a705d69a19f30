// The objects that the recorded answers of kubectl are about: every type of value that JSON has.
import type { KubeObject } from '../../../../proto/kube/client.ts';

interface Sample extends KubeObject {
  readonly spec: unknown;
}

export const OBJECTS: readonly Sample[] = [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-10', labels: { 'kubernetes.io/os': 'linux', zone: 'b' } },
    spec: {
      count: 3,
      share: 1.5,
      large: 1e21,
      small: 0.00001,
      yes: true,
      nothing: null,
      text: '<b>&"quoted"',
      empty: '',
      list: [
        { key: 'one', value: 1 },
        { key: 'two', value: 2 },
        { key: 'a ) ] b', value: 4 },
        { key: "it's" },
      ],
      none: [],
      blank: {},
      deep: [[1, 2], [3]],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-2', labels: { zone: 'a' } },
    spec: { count: 10, list: [{ key: 'four', value: 4 }] },
  },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'Node-3' }, spec: { count: 10, yes: false } },
];

/** As kubectl prints several objects: what a template is about. */
export function listOf(items: readonly KubeObject[]): unknown {
  return { apiVersion: 'v1', kind: 'List', items, metadata: { resourceVersion: '' } };
}
