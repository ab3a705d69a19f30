// A client whose every call has the time limit of --request-timeout and, from -v 6 on, leaves a line with its time.
import { TypedError } from '../../proto/api/typed-error.ts';
import type {
  CallOptions,
  DeletePreconditions,
  KubeClient,
  KubeObject,
  ListOptions,
  ListResult,
  ObjectKey,
  PatchType,
  ResourceType,
  WatchEvent,
  WriteOptions,
} from '../../proto/kube/client.ts';
import { resourcePath } from '../../proto/kube/rest/paths.ts';

export interface CallClientOptions {
  /** Milliseconds for a call that has no limit of its own. */
  readonly timeout?: number;
  /** Takes whole lines; without it nothing is logged. */
  readonly log?: (line: string) => void;
  /** Address in the lines. */
  readonly server?: string;
}

/** Calls the client below and changes nothing else: no retries, no other errors. */
export class CallClient implements KubeClient {
  readonly #client: KubeClient;
  readonly #options: CallClientOptions;

  constructor(client: KubeClient, options: CallClientOptions) {
    this.#client = client;
    this.#options = options;
  }

  get<T extends KubeObject>(type: ResourceType, key: ObjectKey, call?: CallOptions): Promise<T> {
    return this.#timed('GET', resourcePath(type, key), this.#client.get<T>(type, key, this.#limited(call)));
  }

  list<T extends KubeObject>(
    type: ResourceType,
    options?: ListOptions,
    call?: CallOptions,
  ): Promise<ListResult<T>> {
    const result = this.#client.list<T>(type, options, this.#limited(call));
    return this.#timed('GET', resourcePath(type, placeOf(options)), result);
  }

  create<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T> {
    const result = this.#client.create<T>(type, object, options, this.#limited(call));
    return this.#timed('POST', resourcePath(type, placeOf(object.metadata)), result);
  }

  update<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T> {
    const { name } = object.metadata;
    const key = { ...placeOf(object.metadata), ...(name === undefined ? {} : { name }) };
    const result = this.#client.update<T>(type, object, options, this.#limited(call));
    return this.#timed('PUT', resourcePath(type, key, options?.subresource), result);
  }

  patch<T extends KubeObject>(
    type: ResourceType,
    key: ObjectKey,
    patchType: PatchType,
    patch: unknown,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T> {
    const result = this.#client.patch<T>(type, key, patchType, patch, options, this.#limited(call));
    return this.#timed('PATCH', resourcePath(type, key, options?.subresource), result);
  }

  delete(
    type: ResourceType,
    key: ObjectKey,
    preconditions?: DeletePreconditions,
    call?: CallOptions,
  ): Promise<void> {
    const result = this.#client.delete(type, key, preconditions, this.#limited(call));
    return this.#timed('DELETE', resourcePath(type, key), result);
  }

  /** The line comes when the watch is over, with how long it lasted. */
  async *watch<T extends KubeObject>(
    type: ResourceType,
    resourceVersion: string,
    options?: ListOptions,
    call?: CallOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    const path = `${resourcePath(type, placeOf(options))}?watch=1&resourceVersion=${resourceVersion}`;
    const events = this.#client.watch<T>(type, resourceVersion, options, this.#limited(call));
    const begin = performance.now();
    try {
      yield* events;
    } catch (error) {
      this.#line('GET', path, begin, error);
      throw error;
    }
    this.#line('GET', path, begin);
  }

  getRaw(path: string, call?: CallOptions): Promise<unknown> {
    return this.#timed('GET', path, this.#client.getRaw(path, this.#limited(call)));
  }

  close(): void {
    this.#client.close();
  }

  /** As in kubectl, the flag is stronger than what a command thinks is enough. */
  #limited(call: CallOptions = {}): CallOptions {
    const { timeout } = this.#options;
    return timeout === undefined ? call : { ...call, timeout };
  }

  /** Paths are those of the collection or object; selectors and pages are left out. */
  async #timed<R>(method: string, path: string, result: Promise<R>): Promise<R> {
    const begin = performance.now();
    try {
      const value = await result;
      this.#line(method, path, begin);
      return value;
    } catch (error) {
      this.#line(method, path, begin, error);
      throw error;
    }
  }

  #line(method: string, path: string, begin: number, error?: unknown): void {
    const { log, server = '' } = this.#options;
    const outcome = error instanceof TypedError ? ` failed (${error.code})` : '';
    log?.(`${method} ${server}${path}${outcome} in ${Math.round(performance.now() - begin)} ms\n`);
  }
}

function placeOf(at: { readonly namespace?: string } | undefined): { namespace?: string } {
  return at?.namespace === undefined ? {} : { namespace: at.namespace };
}
