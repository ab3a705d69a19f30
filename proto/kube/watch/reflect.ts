// Keeps a reader in step with all objects of a kind: list once, then watch, resumed for as long as the server can.
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedError } from '../../api/typed-error.ts';
import type { KubeClient, KubeObject, ListOptions, ResourceType, WatchEvent } from '../client.ts';
import { type BackoffLimits, backoffDelay } from './backoff.ts';

/** What it needs of a client. */
export type ReflectClient = Pick<KubeClient, 'list' | 'watch'>;

export interface ReflectOptions<S extends KubeObject, T> extends ListOptions {
  /** Keeps what the reader needs of an object, before anything is held: whole objects cost 11 KB each. */
  readonly transform: (object: S) => T;
  readonly backoff?: BackoffLimits;
  /** Milliseconds for the list; default 60 s. */
  readonly listTimeout?: number;
}

export interface ReflectHandlers<T> {
  /** All objects there are, after the first list and after every list that followed a 410. */
  onSync(items: T[]): void;
  /** Changes since; bookmarks too, as a sign of life. */
  onEvent(event: WatchEvent<T>): void;
  /** A failed list or watch, 410 included. For the log: it is tried again. */
  onError(error: TypedError): void;
}

export interface ReflectContext {
  /** Ends everything; no handler is called and no request is made after it. */
  readonly signal: AbortSignal;
  /** For tests; milliseconds. Rejects when the signal aborts. */
  readonly sleep?: (delay: number, signal: AbortSignal) => Promise<unknown>;
  readonly random?: () => number;
  readonly now?: () => number;
}

const BACKOFF: BackoffLimits = { first: 200, longest: 30_000 };

/** A watch that ends sooner and without an event is a failure: else a broken proxy makes a hot loop. */
const SHORT_WATCH = 1000;

/**
 * Runs until the signal aborts and then resolves. Rejects only with what a handler or `transform` threw: that is a
 * bug of the caller and must not look like a network failure.
 */
export function reflect<S extends KubeObject, T>(
  client: ReflectClient,
  type: ResourceType,
  options: ReflectOptions<S, T>,
  handlers: ReflectHandlers<T>,
  context: ReflectContext,
): Promise<void> {
  return new Reflector(client, type, options, handlers, context).run();
}

/** A class only because three pieces of state go with every step; it lives for one `run`. */
class Reflector<S extends KubeObject, T> {
  readonly #client: ReflectClient;
  readonly #type: ResourceType;
  readonly #options: ReflectOptions<S, T>;
  readonly #handlers: ReflectHandlers<T>;
  readonly #context: Required<ReflectContext>;
  /** Where the next watch begins; undefined: list first. */
  #version: string | undefined;
  #failures = 0;

  constructor(
    client: ReflectClient,
    type: ResourceType,
    options: ReflectOptions<S, T>,
    handlers: ReflectHandlers<T>,
    context: ReflectContext,
  ) {
    this.#client = client;
    this.#type = type;
    this.#options = options;
    this.#handlers = handlers;
    this.#context = {
      sleep: (delay, signal) => sleep(delay, undefined, { signal }),
      random: Math.random,
      now: () => performance.now(),
      ...context,
    };
  }

  async run(): Promise<void> {
    const { signal, random } = this.#context;
    while (!signal.aborted) {
      const failure = await this.#round();
      if (signal.aborted) return;
      if (failure) {
        if (failure.code === 'GONE') this.#version = undefined;
        this.#handlers.onError(failure);
      }
      if (this.#failures === 0) continue;
      const delay = backoffDelay(this.#failures, random(), this.#options.backoff ?? BACKOFF);
      // Only the signal ends a sleep early; the loop sees it.
      await this.#context.sleep(delay, signal).catch(() => undefined);
    }
  }

  /** One list or one watch. Returns what the client failed with; lets through what a handler throws. */
  async #round(): Promise<TypedError | undefined> {
    if (this.#version !== undefined) return this.#watch(this.#version);
    const { transform, listTimeout: timeout = 60_000 } = this.#options;
    const { signal } = this.#context;
    const list = await attempt(this.#client.list<S>(this.#type, this.#options, { signal, timeout }));
    if (signal.aborted) return undefined;
    if (list instanceof TypedError) {
      this.#failures++;
      return list;
    }
    this.#handlers.onSync(list.items.map((item) => transform(item)));
    this.#version = list.resourceVersion;
    return this.#watch(this.#version);
  }

  /** Counts as good when an event came or it lasted; a list alone does not, or list and 410 could spin. */
  async #watch(from: string): Promise<TypedError | undefined> {
    const { signal, now } = this.#context;
    const begin = now();
    const events = this.#client.watch<S>(this.#type, from, this.#options, { signal })[Symbol.asyncIterator]();
    let good = false;
    try {
      for (;;) {
        const next = await attempt(events.next());
        if (signal.aborted) return undefined;
        const ended = next instanceof TypedError || next.done === true;
        good ||= !ended || now() - begin >= SHORT_WATCH;
        if (ended) {
          const failure = next instanceof TypedError ? next : undefined;
          const before = good ? 0 : this.#failures;
          this.#failures = failure || !good ? before + 1 : 0;
          return failure;
        }
        this.#take(next.value);
      }
    } finally {
      await events.return?.();
    }
  }

  /** The version moves on behind the handler: what it did not take would come again. */
  #take(event: WatchEvent<S>): void {
    if (event.type === 'BOOKMARK') {
      this.#version = event.resourceVersion;
      this.#handlers.onEvent(event);
      return;
    }
    const version = event.object.metadata.resourceVersion;
    this.#handlers.onEvent({ type: event.type, object: this.#options.transform(event.object) });
    if (version !== undefined) this.#version = version;
  }
}

/** Failures of the client as values; anything but a TypedError is a bug and goes on. */
async function attempt<R>(work: Promise<R>): Promise<R | TypedError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TypedError) return error;
    throw error;
  }
}
