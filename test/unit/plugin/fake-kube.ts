// A cluster in memory for the plugin: lists, watches that the test feeds, and failures where a test wants them.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type {
  CallOptions,
  KubeClient,
  KubeObject,
  ListOptions,
  ListResult,
  ResourceType,
  WatchEvent,
} from '../../../proto/kube/client.ts';
import { labFacts } from './lab-facts.ts';

type Answer = readonly KubeObject[] | TypedError;

/** One thing that happens on a watch. */
type Happening = WatchEvent<KubeObject> | TypedError | 'end';

export class FakeKube implements KubeClient {
  readonly #answers = new Map<string, Answer>();
  readonly #waiting = new Map<string, Happening[]>();
  #wake: (() => void) | undefined;
  readonly calls: string[] = [];
  version: unknown = { gitVersion: 'v1.34.1' };
  closed = false;

  /** Begins with the cluster of lab-facts; `answers` by plural, with `plural@namespace` for one namespace. */
  constructor(answers: Record<string, Answer> = {}) {
    const { statuses, claims, nodes } = labFacts();
    const lab = { usbnodestatuses: statuses, resourceclaims: claims, nodes, events: [] };
    for (const [plural, answer] of Object.entries({ ...lab, ...answers })) this.#answers.set(plural, answer);
  }

  answer(plural: string, answer: Answer): void {
    this.#answers.set(plural, answer);
  }

  /** Happenings that no watch has seen yet. */
  get pending(): number {
    return [...this.#waiting.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Lets the watch of a kind, running or next, see something. */
  happen(plural: string, ...happenings: Happening[]): void {
    this.#waiting.set(plural, [...(this.#waiting.get(plural) ?? []), ...happenings]);
    this.#wake?.();
  }

  async list<T extends KubeObject>(
    { plural }: ResourceType,
    { namespace, fieldSelector }: ListOptions = {},
  ): Promise<ListResult<T>> {
    const key = [plural, namespace && `@${namespace}`, fieldSelector && `?${fieldSelector}`]
      .filter(Boolean)
      .join('');
    this.calls.push(`list ${key}`);
    const answer =
      this.#answers.get(key) ??
      this.#answers.get(`${plural}@${namespace}`) ??
      this.#answers.get(plural) ??
      [];
    if (answer instanceof TypedError) throw answer;
    return { items: structuredClone(answer) as unknown as T[], resourceVersion: '100' };
  }

  async *watch<T extends KubeObject>(
    { plural }: ResourceType,
    resourceVersion: string,
    _options: ListOptions = {},
    { signal }: CallOptions = {},
  ): AsyncGenerator<WatchEvent<T>> {
    this.calls.push(`watch ${plural} ${resourceVersion}`);
    while (!signal?.aborted) {
      const next = this.#waiting.get(plural)?.shift();
      if (next === 'end') return;
      if (next instanceof TypedError) throw next;
      if (next) yield next as unknown as WatchEvent<T>;
      else await this.#something(signal);
    }
  }

  #something(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        others?.();
        resolve();
      };
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async getRaw(path: string): Promise<unknown> {
    this.calls.push(`raw ${path}`);
    if (this.version instanceof TypedError) throw this.version;
    return this.version;
  }

  close(): void {
    this.closed = true;
  }

  get(): Promise<never> {
    return this.#unexpected('get');
  }
  create(): Promise<never> {
    return this.#unexpected('create');
  }
  update(): Promise<never> {
    return this.#unexpected('update');
  }
  patch(): Promise<never> {
    return this.#unexpected('patch');
  }
  delete(): Promise<never> {
    return this.#unexpected('delete');
  }

  async #unexpected(verb: string): Promise<never> {
    throw new Error(`the plugin must not ${verb}`);
  }
}

export function forbidden(what: string): TypedError {
  return new TypedError('FORBIDDEN', `you may not list ${what}`);
}
