// Does the steps of one group against the API server, in order, each under its precondition.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject, ObjectKey } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Log } from '../run/log.ts';
import { eventObject } from './event-object.ts';
import type { Note } from './note.ts';
import { ownerReference } from './owner-reference.ts';
import type { Owner, Step, WrittenKind } from './step.ts';
import { type Written, writtenObject } from './written.ts';

/** Milliseconds for one write: a webhook may take 30 s, and what it holds up is no outage. */
const TIMEOUT = 35_000;

type Of<D extends Step['do']> = Extract<Step, { do: D }>;

export class StepWriter {
  readonly #kube: KubeClient;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #onStep: (step: Step) => void;

  /** `onStep` after each step that was done; `now` in milliseconds since the epoch. */
  constructor(kube: KubeClient, log: Log, now: () => number, onStep: (step: Step) => void) {
    this.#kube = kube;
    this.#log = log;
    this.#now = now;
    this.#onStep = onStep;
  }

  /** Rejects with the error of the client; the steps before it are done then. CONFLICT: look again and plan anew. */
  async write(steps: readonly Step[], signal: AbortSignal): Promise<Written[]> {
    const run = new GroupRun(this.#kube, { signal, timeout: TIMEOUT });
    for (const step of steps) {
      const object = await run.apply(step);
      this.#onStep(step);
      if (object && 'notes' in step) await this.#tell(object, step.notes ?? [], signal);
    }
    return run.written;
  }

  /** An event that is lost is no reason to write the status again. */
  async #tell(about: KubeObject, notes: readonly Note[], signal: AbortSignal): Promise<void> {
    for (const note of notes) {
      const event = eventObject(about, note, this.#now());
      await this.#kube.create(RESOURCE_TYPES.events, event, {}, { signal, timeout: TIMEOUT }).catch((err) => {
        this.#log.warn({ err, reason: note.reason, device: about.metadata.name }, 'an event is lost');
      });
    }
  }
}

/** A class because later steps need what earlier ones made: uids of owners, versions after our own writes. */
class GroupRun {
  readonly #kube: KubeClient;
  readonly #call: { readonly signal: AbortSignal; readonly timeout: number };
  readonly #latest = new Map<string, KubeObject>();
  readonly #written = new Map<string, Written>();

  constructor(kube: KubeClient, call: { signal: AbortSignal; timeout: number }) {
    this.#kube = kube;
    this.#call = call;
  }

  get written(): Written[] {
    return [...this.#written.values()];
  }

  /** The object as it is now; undefined after a deletion. */
  async apply(step: Step): Promise<KubeObject | undefined> {
    switch (step.do) {
      case 'create':
        return this.#create(step);
      case 'status':
        return this.#status(step, step.object, step.status);
      case 'patch':
        return this.#patch(step);
      case 'delete':
        return this.#delete(step);
    }
  }

  /** The status path takes nothing on POST of a kind with that subresource, hence two writes. */
  async #create(step: Of<'create'>): Promise<KubeObject> {
    const { object, owner, status } = step;
    const ownerReferences = owner && [ownerReference(owner.kind, owner.key.name, this.#uidOf(owner))];
    const metadata = { ...object.metadata, ...(ownerReferences && { ownerReferences }) };
    const body = { ...object, metadata };
    const made = this.#keep(step, await this.#kube.create(RESOURCE_TYPES[step.kind], body, {}, this.#call));
    return status ? this.#status(step, made, status) : made;
  }

  async #status({ kind, key }: Step, object: KubeObject, status: object): Promise<KubeObject> {
    const body = { ...object, metadata: { ...object.metadata, ...this.#version(kind, key, object) }, status };
    const options = { subresource: 'status' } as const;
    return this.#keep(
      { kind, key },
      await this.#kube.update(RESOURCE_TYPES[kind], body, options, this.#call),
    );
  }

  /** A resourceVersion in a merge patch is its precondition (API conventions, optimistic concurrency). */
  async #patch({ kind, key, object, patch }: Of<'patch'>): Promise<KubeObject> {
    const body = { metadata: { ...patch.metadata, ...this.#version(kind, key, object) } };
    return this.#keep(
      { kind, key },
      await this.#kube.patch(RESOURCE_TYPES[kind], key, 'merge', body, {}, this.#call),
    );
  }

  async #delete({ kind, key, uid, version }: Of<'delete'>): Promise<undefined> {
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(version !== undefined && { resourceVersion: version }),
    };
    try {
      await this.#kube.delete(RESOURCE_TYPES[kind], key, preconditions, this.#call);
    } catch (error) {
      if (!(error instanceof TypedError) || error.code !== 'NOT_FOUND') throw error;
    }
    this.#latest.delete(pathOf(kind, key));
    this.#written.set(pathOf(kind, key), { kind, key, uid, version: undefined });
  }

  /** Of what was seen, or of our own last write to it: nobody else was in between, or that would have failed. */
  #version(kind: WrittenKind, key: ObjectKey, seen: KubeObject): { resourceVersion?: string } {
    const { resourceVersion } = (this.#latest.get(pathOf(kind, key)) ?? seen).metadata;
    return resourceVersion === undefined ? {} : { resourceVersion };
  }

  #uidOf({ kind, key, uid }: Owner): string {
    const found = uid ?? this.#latest.get(pathOf(kind, key))?.metadata.uid;
    if (found === undefined) throw new Error(`the plan makes no ${kind} ${key.name} that could own anything`);
    return found;
  }

  #keep<T extends KubeObject>({ kind, key }: Pick<Step, 'kind' | 'key'>, object: T): T {
    this.#latest.set(pathOf(kind, key), object);
    this.#written.set(pathOf(kind, key), writtenObject(kind, key, object));
    return object;
  }
}

function pathOf(kind: WrittenKind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
