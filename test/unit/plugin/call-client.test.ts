// What --request-timeout and -v add to every call.
import { describe, expect, it } from 'vitest';
import { CallClient } from '../../../plugin/run/call-client.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { CallOptions, KubeClient, KubeObject, WatchEvent } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOfPromise } from './code-of.ts';

const { resourceClaims, nodes } = RESOURCE_TYPES;
const object = { metadata: { name: 'n', namespace: 'lab' } };
const key = { namespace: 'lab', name: 'n' };

/** Answers everything and keeps the call options that it got. */
class Recorder implements KubeClient {
  readonly options: (CallOptions | undefined)[] = [];
  failure: TypedError | undefined;
  closed = false;

  async #answer<R>(value: unknown, call: CallOptions | undefined): Promise<R> {
    this.options.push(call);
    if (this.failure) throw this.failure;
    return value as R;
  }

  get = <T>(_t: unknown, _k: unknown, call?: CallOptions) => this.#answer<T>(object, call);
  list = <T>(_t: unknown, _o: unknown, call?: CallOptions) =>
    this.#answer<{ items: T[]; resourceVersion: string }>({ items: [], resourceVersion: '1' }, call);
  create = <T>(_t: unknown, _v: unknown, _o: unknown, call?: CallOptions) => this.#answer<T>(object, call);
  update = <T>(_t: unknown, _v: unknown, _o: unknown, call?: CallOptions) => this.#answer<T>(object, call);
  patch = <T>(_t: unknown, _k: unknown, _p: unknown, _b: unknown, _o: unknown, call?: CallOptions) =>
    this.#answer<T>(object, call);
  delete = (_t: unknown, _k: unknown, _p: unknown, call?: CallOptions) => this.#answer<void>(undefined, call);
  getRaw = (_path: string, call?: CallOptions) => this.#answer<unknown>('ok', call);

  async *watch<T extends KubeObject>(
    _t: unknown,
    _v: unknown,
    _o: unknown,
    call?: CallOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    yield { type: 'BOOKMARK', resourceVersion: '7' };
    await this.#answer(undefined, call);
  }

  close(): void {
    this.closed = true;
  }
}

async function callEverything(client: KubeClient): Promise<void> {
  await client.get(resourceClaims, key);
  await client.list(nodes, { labelSelector: 'a=b' });
  await client.create(resourceClaims, object);
  await client.update(resourceClaims, object, { subresource: 'status' });
  await client.patch(resourceClaims, key, 'merge', {});
  await client.delete(resourceClaims, key);
  for await (const event of client.watch(nodes, '5')) expect(event.type).toBe('BOOKMARK');
  await client.getRaw('/version');
}

describe('CallClient', () => {
  it('gives every call the time limit', async () => {
    const recorder = new Recorder();
    await callEverything(new CallClient(recorder, { timeout: 1234 }));
    expect(recorder.options).toHaveLength(8);
    for (const options of recorder.options) expect(options?.timeout).toBe(1234);
  });

  it('keeps the signal of a call', async () => {
    const recorder = new Recorder();
    const { signal } = new AbortController();
    await new CallClient(recorder, { timeout: 5 }).list(nodes, {}, { signal });
    expect(recorder.options).toEqual([{ signal, timeout: 5 }]);
  });

  it('leaves a line with address and time for every call', async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line.replace(/\d+ ms\n$/, 'N ms'));
    await callEverything(new CallClient(new Recorder(), { log, server: 'https://s' }));
    const claims = 'https://s/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims';
    expect(lines).toEqual([
      `GET ${claims}/n in N ms`,
      'GET https://s/api/v1/nodes in N ms',
      `POST ${claims} in N ms`,
      `PUT ${claims}/n/status in N ms`,
      `PATCH ${claims}/n in N ms`,
      `DELETE ${claims}/n in N ms`,
      'GET https://s/api/v1/nodes?watch=1&resourceVersion=5 in N ms',
      'GET https://s/version in N ms',
    ]);
  });

  it('says in the line with which code a call failed, and fails with it', async () => {
    const lines: string[] = [];
    const recorder = new Recorder();
    recorder.failure = forbiddenNodes;
    const client = new CallClient(recorder, { log: (line) => lines.push(line) });
    expect(await codeOfPromise(client.list(nodes))).toBe('FORBIDDEN');
    expect(await codeOfPromise(drain(client.watch(nodes, '1')))).toBe('FORBIDDEN');
    for (const line of lines) expect(line).toContain(' failed (FORBIDDEN) in ');
    expect(lines).toHaveLength(2);
  });

  it('closes the client below', () => {
    const recorder = new Recorder();
    new CallClient(recorder, {}).close();
    expect(recorder.closed).toBe(true);
  });
});

const forbiddenNodes = new TypedError('FORBIDDEN', 'no');

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) expect(event).toBeDefined();
}
