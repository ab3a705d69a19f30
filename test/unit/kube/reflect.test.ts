// Keeping in step with a kind: scenarios of lists and watches that a scripted client plays, without time.
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../proto/api/error-codes.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject, ListResult, WatchEvent } from '../../../proto/kube/client.ts';
import { ObjectCache } from '../../../proto/kube/watch/object-cache.ts';
import { type ReflectHandlers, reflect } from '../../../proto/kube/watch/reflect.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };

const failed = (code: ErrorCode) => new TypedError(code, code);

const object = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { name, namespace: 'shop', resourceVersion },
});

const list = (resourceVersion: string, ...names: string[]): ListResult<KubeObject> => ({
  items: names.map((name) => object(name, resourceVersion)),
  resourceVersion,
});

const changed = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  name: string,
  version: string,
): WatchEvent<KubeObject> => ({ type, object: object(name, version) });

const bookmark = (resourceVersion: string): WatchEvent<KubeObject> => ({ type: 'BOOKMARK', resourceVersion });

/** What the next list gives, or the next watch: its events, then how it ends (`lasts` ms later). */
type Act =
  | { readonly list: ListResult<KubeObject> | TypedError }
  | {
      readonly watch: readonly WatchEvent<KubeObject>[];
      readonly ends?: TypedError;
      readonly lasts?: number;
    };

interface Play {
  /** Calls, handler calls and sleeps, in order. */
  readonly log: string[];
  readonly abort: AbortController;
  readonly run: (
    handlers?: Partial<ReflectHandlers<string>>,
    transform?: (o: KubeObject) => string,
  ) => Promise<void>;
}

/** Aborts when the acts are used up. */
function play(...acts: Act[]): Play {
  const log: string[] = [];
  const abort = new AbortController();
  let now = 0;
  const next = (call: string): Act | undefined => {
    log.push(call);
    const act = acts.shift();
    if (!act) abort.abort();
    return act;
  };
  const client = {
    list: async () => {
      const act = next('list');
      if (!act) throw failed('INTERRUPTED');
      if (!('list' in act)) throw new Error('the script has no list here');
      if (act.list instanceof TypedError) throw act.list;
      return act.list;
    },
    watch: async function* (_: unknown, from: string) {
      const act = next(`watch ${from}`);
      if (!act) throw failed('INTERRUPTED');
      if (!('watch' in act)) throw new Error('the script has no watch here');
      yield* act.watch;
      now += act.lasts ?? 0;
      if (act.ends) throw act.ends;
    },
  } as unknown as KubeClient;
  const handlers: ReflectHandlers<string> = {
    onSync: (items) => void log.push(`sync ${items}`),
    onEvent: (event) =>
      void log.push(event.type === 'BOOKMARK' ? 'bookmark' : `${event.type} ${event.object}`),
    onError: (error) => void log.push(`error ${error.code}`),
  };
  const context = {
    signal: abort.signal,
    sleep: async (delay: number) => void log.push(`sleep ${delay}`),
    random: () => 1,
    now: () => now,
  };
  const nameOf = ({ metadata }: KubeObject) => metadata.name ?? '';
  return {
    log,
    abort,
    run: (over, transform = nameOf) =>
      reflect(client, pods, { transform }, { ...handlers, ...over }, context),
  };
}

describe('reflect', () => {
  it('lists, then watches, and resumes behind the last event or bookmark without a new list', async () => {
    const { log, run } = play(
      { list: list('5', 'a', 'b') },
      { watch: [changed('ADDED', 'c', '6'), changed('DELETED', 'a', '7')] },
      { watch: [bookmark('9')] },
      { watch: [], lasts: 300_000 },
    );
    await run();
    expect(log).toEqual([
      'list',
      'sync a,b',
      'watch 5',
      'ADDED c',
      'DELETED a',
      'watch 7',
      'bookmark',
      'watch 9',
      'watch 9',
    ]);
  });

  it('lists again after 410, and after nothing else', async () => {
    const { log, run } = play(
      { list: list('5', 'a') },
      { watch: [changed('ADDED', 'b', '6')], ends: failed('SERVER_UNREACHABLE') },
      { watch: [], ends: failed('SERVER_ERROR') },
      { watch: [], ends: failed('PROTOCOL') },
      { watch: [], ends: failed('GONE') },
      { list: list('20', 'c') },
    );
    await run();
    expect(log.filter((line) => /^(list|watch|sync|error)/.test(line))).toEqual([
      'list',
      'sync a',
      'watch 5',
      'error SERVER_UNREACHABLE',
      'watch 6',
      'error SERVER_ERROR',
      'watch 6',
      'error PROTOCOL',
      'watch 6',
      'error GONE',
      'list',
      'sync c',
      'watch 20',
    ]);
  });

  it('waits longer after each failure in a row and begins anew after a good watch', async () => {
    const { log, run } = play(
      { list: failed('SERVER_UNREACHABLE') },
      { list: failed('FORBIDDEN') },
      { list: list('5') },
      { watch: [], ends: failed('SERVER_ERROR') },
      { watch: [changed('ADDED', 'a', '6')], ends: failed('SERVER_UNREACHABLE') },
      { watch: [], ends: failed('SERVER_UNREACHABLE') },
    );
    await run();
    expect(log.filter((line) => line.startsWith('sleep'))).toEqual(
      [200, 400, 800, 200, 400].map((n) => `sleep ${n}`),
    );
  });

  it('does not spin when every watch ends at once, well or with 410', async () => {
    const short = play({ list: list('5') }, { watch: [] }, { watch: [] });
    await short.run();
    expect(short.log.filter((line) => line.startsWith('sleep'))).toEqual(['sleep 200', 'sleep 400']);
    const gone = { watch: [], ends: failed('GONE') };
    const old = play({ list: list('5') }, gone, { list: list('6') }, gone);
    await old.run();
    expect(old.log.filter((line) => line.startsWith('sleep'))).toEqual(['sleep 200', 'sleep 400']);
  });

  it('goes on at once after a watch that lasted', async () => {
    const { log, run } = play({ list: list('5') }, { watch: [], lasts: 240_000 });
    await run();
    expect(log).toEqual(['list', 'sync ', 'watch 5', 'watch 5']);
  });

  it('calls no handler and makes no request after the signal', async () => {
    const inSync = play({ list: list('5', 'a') }, { watch: [changed('ADDED', 'b', '6')] });
    await inSync.run({ onSync: () => inSync.abort.abort() });
    expect(inSync.log).not.toContain('ADDED b');
    const inEvent = play(
      { list: list('5') },
      { watch: [changed('ADDED', 'b', '6'), changed('ADDED', 'c', '7')] },
    );
    await inEvent.run({ onEvent: () => inEvent.abort.abort() });
    expect(inEvent.log).toEqual(['list', 'sync ', 'watch 5']);
    const inError = play({ list: failed('SERVER_ERROR') }, { list: list('5') });
    await inError.run({ onError: () => inError.abort.abort() });
    expect(inError.log.filter((line) => line === 'list')).toHaveLength(1);
  });

  it('is not begun when the signal is aborted already', async () => {
    const { log, abort, run } = play({ list: list('5') });
    abort.abort();
    await run();
    expect(log).toEqual([]);
  });

  it.each([
    ['onSync', { onSync: () => boom() }],
    ['onEvent', { onEvent: () => boom() }],
    ['onError', { onError: () => boom() }],
  ])('rejects with what %s throws', async (_, handlers) => {
    const acts: Act[] = [{ list: failed('SERVER_ERROR') }, { list: list('5') }, { watch: [bookmark('6')] }];
    await expect(play(...acts).run(handlers)).rejects.toThrow(RangeError);
  });

  it('rejects with what transform throws, even a TypedError', async () => {
    const acts: Act[] = [{ list: list('5') }, { watch: [changed('ADDED', 'a', '6')] }];
    const transform = () => {
      throw failed('BAD_INPUT');
    };
    await expect(play(...acts).run({}, transform)).rejects.toThrow('BAD_INPUT');
  });

  it('wakes up from its wait at the signal', async () => {
    const abort = new AbortController();
    const client = { list: () => Promise.reject(failed('SERVER_ERROR')) } as unknown as KubeClient;
    const options = { transform: (o: KubeObject) => o, backoff: { first: 60_000, longest: 60_000 } };
    const handlers = {
      onSync: () => undefined,
      onEvent: () => undefined,
      onError: () => setImmediate(() => abort.abort()),
    };
    const begin = performance.now();
    await reflect(client, pods, options, handlers, { signal: abort.signal });
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

function boom(): never {
  throw new RangeError('a bug of the handler');
}

describe('ObjectCache', () => {
  const key = (name: string) => ({ namespace: 'shop', name });

  it('is what the list said, then what the events said', () => {
    const cache = new ObjectCache<KubeObject>();
    expect(cache.synced).toBe(false);
    cache.onSync([object('a', '1'), object('b', '1')]);
    cache.onEvent(changed('MODIFIED', 'a', '2'));
    cache.onEvent(changed('ADDED', 'c', '3'));
    cache.onEvent(changed('DELETED', 'b', '4'));
    expect(cache.synced).toBe(true);
    expect([...cache.values()].map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(cache.get(key('a'))?.metadata.resourceVersion).toBe('2');
    expect(cache.get(key('b'))).toBeUndefined();
    expect(cache.size).toBe(2);
  });

  it('forgets at a new list what is not in it', () => {
    const cache = new ObjectCache<KubeObject>();
    cache.onSync([object('a', '1')]);
    cache.onSync([object('b', '2')]);
    expect([...cache.values()].map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('keeps objects of one name in two namespaces, and those without one, apart', () => {
    const cache = new ObjectCache<KubeObject>();
    cache.onSync([{ metadata: { name: 'a', namespace: 'x' } }, { metadata: { name: 'a', namespace: 'y' } }]);
    cache.onEvent({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    expect(cache.size).toBe(3);
    expect(cache.get({ name: 'a' })?.metadata.namespace).toBeUndefined();
    expect(cache.get({ namespace: 'y', name: 'a' })?.metadata.namespace).toBe('y');
  });

  it('tells of changes, but not of bookmarks, which are contact all the same', () => {
    let now = 100;
    let changes = 0;
    const cache = new ObjectCache<KubeObject>({ onChange: () => changes++, now: () => now });
    expect(cache.lastContact).toBeUndefined();
    cache.onSync([]);
    now = 200;
    cache.onEvent(changed('ADDED', 'a', '2'));
    expect([changes, cache.lastContact]).toEqual([2, 200]);
    now = 300;
    cache.onEvent(bookmark('9'));
    expect([changes, cache.lastContact]).toEqual([2, 300]);
  });

  it('hands errors on and keeps what it has', () => {
    const errors: string[] = [];
    const cache = new ObjectCache<KubeObject>({ onError: ({ code }) => errors.push(code) });
    cache.onSync([object('a', '1')]);
    cache.onError(failed('SERVER_UNREACHABLE'));
    expect(errors).toEqual(['SERVER_UNREACHABLE']);
    expect(cache.size).toBe(1);
  });
});
