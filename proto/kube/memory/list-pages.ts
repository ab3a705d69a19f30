// LIST with limit and continue: all pages show the state at the time of the first.
import { randomUUID } from 'node:crypto';
import { expired } from './api-failure.ts';
import type { MemoryStore } from './memory-store.ts';
import { apiVersionOf, isBuiltIn, type ServedKind, type StoredObject } from './served-kind.ts';

export interface ListRequest {
  readonly namespace: string | undefined;
  readonly matches: (object: StoredObject) => boolean;
  readonly limit: number;
  readonly continue: string | undefined;
}

interface Rest {
  readonly version: number;
  readonly items: readonly StoredObject[];
}

/**
 * The real server reads the old revision from etcd again; here the rest of a list is held under its token, which costs
 * nothing since objects are frozen.
 */
export class ListPages {
  readonly #store: MemoryStore;
  readonly #rests = new Map<string, Rest>();

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  /** Throws 410 for a token that is unknown or older than the changes that the store keeps. */
  page(kind: ServedKind, request: ListRequest): object {
    const { version, items } = request.continue
      ? this.#rest(request.continue)
      : {
          version: this.#store.version,
          items: this.#store.list(kind, request.namespace).filter(request.matches),
        };
    const end = request.limit > 0 ? request.limit : items.length;
    const left = items.slice(end);
    const more = left.length > 0 && {
      continue: this.#keep({ version, items: left }),
      remainingItemCount: left.length,
    };
    return {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: { resourceVersion: String(version), ...more },
      items: items.slice(0, end).map((object) => asListItem(kind, object)),
    };
  }

  #rest(token: string): Rest {
    const rest = this.#rests.get(token);
    const gone = expired('The provided continue parameter is too old to display a consistent list result.');
    if (!rest) throw gone;
    this.#store.changesSince(rest.version);
    return rest;
  }

  #keep(rest: Rest): string {
    const token = randomUUID();
    this.#rests.set(token, rest);
    // Abandoned lists must not add up in a demo that runs for days.
    if (this.#rests.size > 100) this.#rests.delete(this.#rests.keys().next().value ?? '');
    return token;
  }
}

/** Built-in kinds come in lists without their type, those of a CRD with it. */
function asListItem(kind: ServedKind, object: StoredObject): object {
  if (!isBuiltIn(kind)) return object;
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}
