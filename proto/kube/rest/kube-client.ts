// The Kubernetes client over node:http and node:https: what the verbs are as requests.
import { TypedError } from '../../api/typed-error.ts';
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
} from '../client.ts';
import type { ClusterConnection } from '../connection.ts';
import { parseJson, readText } from './answer-body.ts';
import type { CallSubject } from './call-subject.ts';
import { DEFAULT_TIMEOUT } from './deadline.ts';
import type { HttpRequest } from './http-exchange.ts';
import { queryText, resourcePath } from './paths.ts';
import { RestCaller } from './rest-caller.ts';
import { watchEvents } from './watch-stream.ts';

export interface KubeClientOptions {
  /** Shown in the audit log of the cluster. */
  readonly userAgent?: string;
  /** Shortest and longest time of one watch in seconds: spread, so that clients do not come back all at once. */
  readonly watchSeconds?: readonly [number, number];
  /**
   * Milliseconds beyond that time after which a silent watch is given up; default 60 s. It cannot be shorter: the
   * server sends bookmarks only for a kind that is written to while the watch is open (seen with 1.37), so a quiet
   * one may send no byte until the end. Dead networks are found sooner, by TCP keep-alive.
   */
  readonly watchGrace?: number;
}

const PAGE_SIZE = 500;

const PATCH_CONTENT: Record<PatchType, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
};

interface ListAnswer<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: T[] | null;
}

/** Errors: see KubeClient; besides PROTOCOL for answers that are no JSON and INTERRUPTED for an aborted call. */
export function createKubeClient(connection: ClusterConnection, options: KubeClientOptions = {}): KubeClient {
  return new RestClient(connection, options);
}

class RestClient implements KubeClient {
  readonly #server: string;
  readonly #source: string;
  readonly #caller: RestCaller;
  readonly #options: Required<KubeClientOptions>;

  constructor(connection: ClusterConnection, options: KubeClientOptions) {
    this.#server = connection.server;
    this.#source = connection.source;
    this.#caller = new RestCaller(connection);
    this.#options = { userAgent: 'kubectl-virt', watchSeconds: [240, 300], watchGrace: 60_000, ...options };
  }

  get<T extends KubeObject>(type: ResourceType, key: ObjectKey, call: CallOptions = {}): Promise<T> {
    return this.#json<T>(
      this.#subject('get', type, key),
      this.#request('GET', resourcePath(type, key)),
      call,
    );
  }

  async list<T extends KubeObject>(
    type: ResourceType,
    options: ListOptions = {},
    call: CallOptions = {},
  ): Promise<ListResult<T>> {
    const end = performance.now() + (call.timeout ?? DEFAULT_TIMEOUT);
    for (let restarted = false; ; restarted = true) {
      const items: T[] = [];
      let token: string | undefined;
      try {
        for (;;) {
          const left = { ...call, timeout: Math.max(1, end - performance.now()) };
          const page = await this.#page<T>(type, options, token, left);
          for (const item of page.items ?? []) items.push(withKind(item, page));
          token = page.metadata?.continue || undefined;
          if (!token) return { items, resourceVersion: page.metadata?.resourceVersion ?? '' };
        }
      } catch (error) {
        // Continue tokens live as long as etcd keeps the revision (5 minutes); a new list may be faster.
        const expired = error instanceof TypedError && error.code === 'GONE' && token !== undefined;
        if (!expired || restarted) throw error;
      }
    }
  }

  create<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = resourcePath(type, keyOf(namespace)) + writeQuery(options);
    const subject = this.#subject('create', type, keyOf(namespace, name));
    return this.#json(subject, this.#request('POST', path, object), call);
  }

  update<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const path = resourcePath(type, key, options.subresource) + writeQuery(options);
    return this.#json(this.#subject('update', type, key), this.#request('PUT', path, object), call);
  }

  patch<T extends KubeObject>(
    type: ResourceType,
    key: ObjectKey,
    patchType: PatchType,
    patch: unknown,
    options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    const path = resourcePath(type, key, options.subresource) + writeQuery(options);
    const request = this.#request('PATCH', path, patch, PATCH_CONTENT[patchType]);
    return this.#json(this.#subject('patch', type, key), request, call);
  }

  async delete(
    type: ResourceType,
    key: ObjectKey,
    preconditions?: DeletePreconditions,
    call: CallOptions = {},
  ): Promise<void> {
    const body = preconditions && { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
    const request = this.#request('DELETE', resourcePath(type, key), body);
    await this.#json(this.#subject('delete', type, key), request, call);
  }

  async *watch<T extends KubeObject>(
    type: ResourceType,
    resourceVersion: string,
    options: ListOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<WatchEvent<T>> {
    const [shortest, longest] = this.#options.watchSeconds;
    const seconds = Math.round(shortest + Math.random() * (longest - shortest));
    const query = queryText({
      watch: 1,
      allowWatchBookmarks: true,
      resourceVersion,
      timeoutSeconds: seconds,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    });
    const subject = this.#subject('watch', type, keyOf(options.namespace));
    const request = this.#request('GET', resourcePath(type, subject.key) + query);
    const answer = await this.#caller.call(subject, request, call, async (head) => {
      if (head.statusCode !== 200) await readText(subject, head);
      return head;
    });
    const idle = seconds * 1000 + this.#options.watchGrace;
    yield* watchEvents<T>(subject, answer, idle, call.signal);
  }

  async getRaw(path: string, call: CallOptions = {}): Promise<unknown> {
    const subject: CallSubject = { verb: 'get', path, server: this.#server, source: this.#source };
    return this.#caller.call(subject, this.#request('GET', path), call, async (answer) => {
      const text = await readText(subject, answer);
      // /readyz and its like answer in plain text.
      return answer.headers['content-type']?.includes('json') ? parseJson(subject, text) : text;
    });
  }

  close(): void {
    this.#caller.close();
  }

  #page<T>(
    type: ResourceType,
    options: ListOptions,
    token: string | undefined,
    call: CallOptions,
  ): Promise<ListAnswer<T>> {
    const { namespace, labelSelector, fieldSelector, limit = PAGE_SIZE } = options;
    const key = keyOf(namespace);
    const query = queryText({ limit, labelSelector, fieldSelector, continue: token });
    return this.#json(
      this.#subject('list', type, key),
      this.#request('GET', resourcePath(type, key) + query),
      call,
    );
  }

  #json<T>(subject: CallSubject, request: HttpRequest, call: CallOptions): Promise<T> {
    return this.#caller.call(subject, request, call, async (answer) =>
      parseJson<T>(subject, await readText(subject, answer)),
    );
  }

  #subject(verb: CallSubject['verb'], type: ResourceType, key: Partial<ObjectKey>): CallSubject {
    return { verb, type, key, server: this.#server, source: this.#source };
  }

  #request(
    method: HttpRequest['method'],
    path: string,
    body?: unknown,
    content = 'application/json',
  ): HttpRequest {
    const headers = { accept: 'application/json', 'user-agent': this.#options.userAgent };
    if (body === undefined) return { method, path, headers };
    return { method, path, headers: { ...headers, 'content-type': content }, body: JSON.stringify(body) };
  }
}

function writeQuery({ dryRun }: WriteOptions): string {
  return queryText({ dryRun: dryRun ? 'All' : undefined });
}

function keyOf(namespace: string | undefined, name?: string): Partial<ObjectKey> {
  return { ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
}

/** Items of built-in kinds come without kind and apiVersion; the list's own say what they are (`PodList`). */
function withKind<T extends KubeObject>(item: T, list: ListAnswer<T>): T {
  if (item.kind !== undefined || !list.kind?.endsWith('List') || list.apiVersion === undefined) return item;
  return { apiVersion: list.apiVersion, kind: list.kind.slice(0, -'List'.length), ...item };
}
