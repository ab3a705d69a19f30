// Requests, in order, whose answers tell how an API server refuses: recorded from a real one, asked of the one in memory.

export interface AnswerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Default: application/json. */
  readonly contentType?: string;
  /** Default: admin, who may do everything; jane may do nothing, stranger has no known token. */
  readonly as?: 'jane' | 'stranger';
}

export interface RecordedAnswer {
  readonly request: string;
  readonly status: number;
  /** Of a Status: reason, message and details; of an object the parts that a rule of the server made. */
  readonly answer: object | string;
}

const maps = '/api/v1/namespaces/default/configmaps';
const statuses = '/apis/kubectl-virt.dev/v1alpha1/usbnodestatuses';
const typed = { apiVersion: 'kubectl-virt.dev/v1alpha1', kind: 'USBNodeStatus' };
const json = 'application/json-patch+json';
const merge = 'application/merge-patch+json';

/** A custom kind `usbnodestatuses.kubectl-virt.dev` with a status subresource must be served. */
export const ANSWER_REQUESTS: readonly AnswerRequest[] = [
  { method: 'GET', path: `${maps}/a` },
  { method: 'POST', path: maps, body: { metadata: { name: 'a' }, data: { k: 'v' } } },
  { method: 'POST', path: maps, body: { metadata: { name: 'a' } } },
  { method: 'POST', path: maps, body: { metadata: { name: 'b', resourceVersion: '5' } } },
  { method: 'POST', path: maps, body: { metadata: {} } },
  { method: 'POST', path: maps, body: { metadata: { name: 'B_' } } },
  { method: 'POST', path: maps, body: { metadata: { name: 'b', namespace: 'other' } } },
  { method: 'POST', path: '/api/v1/configmaps', body: { metadata: { name: 'b' } } },
  { method: 'PUT', path: maps, body: {} },
  { method: 'PUT', path: `${maps}/a`, body: { metadata: { name: 'b' } } },
  { method: 'PUT', path: `${maps}/a`, body: { metadata: { name: 'a', resourceVersion: '1' } } },
  { method: 'PUT', path: `${maps}/b`, body: { metadata: { name: 'b', resourceVersion: '1' } } },
  {
    method: 'PATCH',
    path: `${maps}/a`,
    contentType: json,
    body: [{ op: 'test', path: '/data/k', value: 'w' }],
  },
  { method: 'PATCH', path: `${maps}/a`, contentType: json, body: [{ op: 'remove', path: '/data/none' }] },
  {
    method: 'PATCH',
    path: `${maps}/a`,
    contentType: json,
    body: [{ op: 'replace', path: '/data/none', value: 'w' }],
  },
  { method: 'PATCH', path: `${maps}/a`, contentType: json, body: [{ op: 'bogus', path: '/data/k' }] },
  { method: 'PATCH', path: `${maps}/a`, contentType: merge, body: { metadata: { name: 'c' } } },
  { method: 'PATCH', path: `${maps}/a`, contentType: merge, body: { metadata: { resourceVersion: '1' } } },
  { method: 'GET', path: `${maps}/a/status` },
  { method: 'GET', path: '/api/v1/gadgets' },
  { method: 'GET', path: '/api/v1/configmaps/a' },
  { method: 'GET', path: '/api/v1/namespaces/default/nodes/a' },
  { method: 'GET', path: '/apis/nobody.example/v1/gadgets' },
  { method: 'GET', path: '/apis/nobody.example' },
  { method: 'GET', path: '/api/v1/nodes', as: 'stranger' },
  { method: 'GET', path: '/api/v1/nodes', as: 'jane' },
  { method: 'GET', path: `${maps}/a`, as: 'jane' },
  { method: 'POST', path: maps, body: { metadata: { name: 'b' } }, as: 'jane' },
  { method: 'PATCH', path: `${statuses}/n/status`, contentType: merge, body: {}, as: 'jane' },
  { method: 'GET', path: '/api/v1/pods?watch=1', as: 'jane' },
  { method: 'DELETE', path: `${maps}/a`, body: { preconditions: { uid: 'other' } } },
  { method: 'DELETE', path: `${maps}/a`, body: { preconditions: { resourceVersion: '1' } } },
  { method: 'DELETE', path: `${maps}/a?dryRun=All` },
  { method: 'PATCH', path: `${maps}/a`, contentType: merge, body: { metadata: { finalizers: ['x.dev/f'] } } },
  { method: 'DELETE', path: `${maps}/a` },
  { method: 'PATCH', path: `${maps}/a`, contentType: merge, body: { metadata: { finalizers: ['x.dev/g'] } } },
  { method: 'PATCH', path: `${maps}/a`, contentType: merge, body: { metadata: { finalizers: null } } },
  { method: 'GET', path: `${maps}/a` },
  {
    method: 'POST',
    path: statuses,
    body: { ...typed, metadata: { name: 'n' }, spec: { a: 1 }, status: { b: 1 } },
  },
  { method: 'POST', path: statuses, body: { ...typed, metadata: { name: 'n' } } },
  {
    method: 'PATCH',
    path: `${statuses}/n/status`,
    contentType: merge,
    body: { spec: { a: 2 }, status: { b: 2 } },
  },
  { method: 'PATCH', path: `${statuses}/n`, contentType: merge, body: { spec: { a: 3 }, status: { b: 3 } } },
  { method: 'PATCH', path: `${statuses}/n`, contentType: merge, body: { metadata: { labels: { x: 'y' } } } },
  { method: 'GET', path: `${statuses}/n/scale` },
  { method: 'GET', path: `${statuses}/none` },
  { method: 'DELETE', path: `${statuses}/n` },
];
