// Keeps several kinds of objects current side by side, over every end of a watch, until one of them fails for good.
import type { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject, ListOptions, ResourceType } from '../../proto/kube/client.ts';
import { ObjectCache } from '../../proto/kube/watch/object-cache.ts';
import { reflect } from '../../proto/kube/watch/reflect.ts';
import { safeText } from '../output/safe-text.ts';
import type { Host, Screen } from '../run/host.ts';

/** As much of the host as a feed needs. */
export type FeedHost = Pick<Host, 'signal' | 'pause'> & { readonly stderr: Pick<Screen, 'write'> };

/** The caches of several kinds with one end. */
export class Feed {
  readonly #kube: KubeClient;
  readonly #host: FeedHost;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  readonly #caches: ObjectCache<KubeObject>[] = [];
  readonly #runs: Promise<void>[] = [];
  #failure: unknown;
  readonly signal: AbortSignal;

  constructor(kube: KubeClient, host: FeedHost, onChange: () => void) {
    this.#kube = kube;
    this.#host = host;
    this.#onChange = onChange;
    this.signal = AbortSignal.any([host.signal, this.#stop.signal]);
  }

  get synced(): boolean {
    return this.#caches.every((cache) => cache.synced);
  }

  follow<T extends KubeObject>(type: ResourceType, options: ListOptions): ObjectCache<T> {
    let told = false;
    const onChange = () => {
      told = false;
      this.#onChange();
    };
    const onError = (error: TypedError) => {
      if (FINAL.has(error.code)) this.#fail(error);
      // A 410 is the server's normal way to ask for a new list; an outage is told once.
      else if (error.code !== 'GONE' && !told) {
        told = true;
        this.#host.stderr.write(`note: ${safeText(error.message)}; trying again\n`);
      }
    };
    const cache = new ObjectCache<T>({ onChange, onError });
    const context = {
      signal: this.signal,
      sleep: (delay: number, signal: AbortSignal) => this.#host.pause(delay, signal),
    };
    const run = reflect<T, T>(
      this.#kube,
      type,
      { ...options, transform: (object) => object },
      cache,
      context,
    );
    this.#caches.push(cache);
    this.#runs.push(run.catch((error: unknown) => this.#fail(error)));
    return cache;
  }

  /** Ends all watches without a failure. */
  stop(): void {
    this.#stop.abort();
  }

  /** Resolves when every watch is over; rejects with what ended them, if anything but the host did. */
  async end(): Promise<void> {
    await Promise.all(this.#runs);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop.abort();
  }
}

/** What asking again cannot help. */
const FINAL: ReadonlySet<string> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'API_NOT_SERVED',
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_UNTRUSTED',
  'EXEC_CREDENTIAL',
]);
