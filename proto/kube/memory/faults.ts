// Faults that tests plant in the in-memory API.
import type { ServerResponse } from 'node:http';

export type Fault =
  /** Milliseconds before the request is served as usual. */
  | { readonly delay: number }
  /** An answer with this status instead; `retryAfter` in seconds. */
  | { readonly status: number; readonly retryAfter?: number }
  /** The answer ends in the middle of its JSON, cleanly as far as HTTP is concerned. */
  | { readonly truncate: true }
  /** The connection is cut before an answer. */
  | { readonly reset: true };

/** Which requests; the path has its query. */
export type FaultMatch = (method: string, path: string) => boolean;

/**
 * Planted beside the API and not in the client under test: what is tested is then the whole way, sockets included.
 */
export class Faults {
  readonly #planned: { readonly fault: Fault; readonly matches: FaultMatch }[] = [];
  readonly #watches = new Set<ServerResponse>();

  /** The next request that matches meets `fault`; several planned ones meet one request each, in order. */
  once(fault: Fault, matches: FaultMatch = () => true): void {
    this.#planned.push({ fault, matches });
  }

  /** Cuts the connections of all watches that are open now. */
  cutWatches(): void {
    for (const answer of this.#watches) answer.destroy();
  }

  /** For tests that must act while a watch is open. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** For the server: the fault of this request, which is then used up. */
  take(method: string, path: string): Fault | undefined {
    const index = this.#planned.findIndex(({ matches }) => matches(method, path));
    return index < 0 ? undefined : this.#planned.splice(index, 1)[0]?.fault;
  }

  /** For the server: an open watch. */
  opened(answer: ServerResponse): void {
    this.#watches.add(answer);
    answer.once('close', () => this.#watches.delete(answer));
  }
}
