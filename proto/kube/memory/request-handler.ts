// One request of the in-memory API: faults, who asks, what is meant, the verb, the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeletePreconditions, ObjectKey } from '../client.ts';
import { type AccessRequest, type Authorize, forbidden, userOf } from './access.ts';
import type { Admit } from './admission.ts';
import {
  ApiFailure,
  badRequest,
  denied,
  notAllowed,
  notFound,
  notServed,
  unsupportedMedia,
} from './api-failure.ts';
import { discoveryDocument } from './discovery.ts';
import type { Fault, Faults } from './faults.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { ListPages } from './list-pages.ts';
import type { MemoryStore } from './memory-store.ts';
import { createObject, deleteObject, patchObject, updateObject } from './object-verbs.ts';
import { type RequestTarget, requestTarget } from './request-target.ts';
import { apiVersionOf, isBuiltIn, type StoredObject } from './served-kind.ts';
import { answerWatch } from './watch-answer.ts';

export interface HandlerOptions {
  readonly tokens?: Readonly<Record<string, string>>;
  readonly authorize?: Authorize;
  readonly admit?: Admit;
  readonly bookmarkInterval?: number;
}

interface DeleteBody {
  readonly preconditions?: DeletePreconditions;
  readonly dryRun?: readonly string[];
}

const BOOKMARK_INTERVAL = 60_000;

/** The real server takes between 30 and 60 minutes when the client gives no timeoutSeconds. */
const WATCH_SECONDS = 1800;

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export type RequestHandler = (request: IncomingMessage, answer: ServerResponse) => Promise<void>;

export function requestHandler(store: MemoryStore, faults: Faults, options: HandlerOptions): RequestHandler {
  const pages = new ListPages(store);
  return async (request, answer) => {
    const { method = '', url = '/' } = request;
    const fault = faults.take(method, url);
    try {
      const body = await readBody(request);
      if (fault && (await meet(fault, answer))) return;
      const served = serve(request, answer, body);
      if (served !== undefined) reply(answer, method === 'POST' ? 201 : 200, served, fault);
    } catch (error) {
      const failure =
        error instanceof ApiFailure ? error : new ApiFailure(500, 'InternalError', String(error));
      reply(answer, failure.code, failure.toStatus());
    }
  };

  /**
   * The body of the answer; undefined when a watch was begun or the answer is complete. Order as in the real handler
   * chain: who asks (401), may they (403), does it exist (404), then the verb. Rights are asked for kinds only.
   */
  function serve(
    request: IncomingMessage,
    answer: ServerResponse,
    body: string,
  ): object | string | undefined {
    const url = new URL(request.url ?? '/', 'http://memory');
    const user = userOf(options.tokens, request.headers.authorization);
    const document = discoveryDocument(store.kinds, url.pathname);
    if (document !== undefined) return document;
    const target = requestTarget(store, url.pathname);
    if (!target && !knownGroup(url.pathname)) return pageNotFound(answer);
    if (!target) throw notServed();
    const { kind, name, subresource } = target;
    const watch = /^(1|true)$/.test(url.searchParams.get('watch') ?? '');
    const method = request.method ?? '';
    const plain = method === 'GET' && name === undefined ? (watch ? 'watch' : 'list') : VERBS[method];
    if (plain === undefined || (name === undefined) !== ['list', 'watch', 'create'].includes(plain)) {
      throw notAllowed();
    }
    const access: AccessRequest = {
      user,
      verb: plain,
      group: kind.group,
      resource: subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`,
      ...(target.namespace !== undefined && { namespace: target.namespace }),
      ...(name !== undefined && { name }),
    };
    if (options.authorize?.(access) === false) throw forbidden(access);
    if (subresource !== undefined && !(subresource === 'status' && kind.statusSubresource)) {
      throw isBuiltIn(kind) ? notServed() : notFound(kind, name ?? '');
    }
    if (plain === 'list') return pages.page(kind, { ...selection(target, url), ...paging(url) });
    if (plain === 'watch') {
      beginWatch(target, url, answer);
      return undefined;
    }
    const contentType = request.headers['content-type']?.split(';')[0] ?? 'application/json';
    // kubectl writes some built-in kinds as protobuf, which this server does not read.
    if (method !== 'PATCH' && contentType !== 'application/json')
      throw unsupportedMedia(['application/json']);
    return callVerb(access, target, url, contentType, body);
  }

  function knownGroup(path: string): boolean {
    const [, root, group = '', version = ''] = path.split('/');
    const groupVersion = root === 'api' ? group : `${group}/${version}`;
    return store.kinds.some((kind) => apiVersionOf(kind) === groupVersion);
  }

  function callVerb(
    access: AccessRequest,
    target: RequestTarget,
    url: URL,
    contentType: string,
    body: string,
  ): object {
    const { kind, namespace, name = '', subresource } = target;
    const key: ObjectKey = { name, ...(namespace !== undefined && { namespace }) };
    const mode = {
      status: subresource === 'status',
      dryRun: url.searchParams.get('dryRun') === 'All',
      admit: (object: StoredObject) => {
        const verb = access.verb === 'create' ? 'create' : 'update';
        const denial = options.admit?.({ ...access, verb, object });
        if (denial) throw denied(kind, object.metadata.name ?? '', denial);
      },
    };
    switch (access.verb) {
      case 'create':
        // A namespaced kind has no collection to create in without a namespace.
        if (kind.namespaced && namespace === undefined) throw notAllowed();
        return createObject(store, kind, namespace, parse(body), mode);
      case 'update':
        return updateObject(store, kind, key, parse(body), mode);
      case 'patch':
        return patchObject(store, kind, key, contentType, parse(body), mode);
      case 'delete': {
        const { preconditions = {}, dryRun = [] } = (body === '' ? {} : parse(body)) as DeleteBody;
        return deleteObject(store, kind, key, preconditions, mode.dryRun || dryRun.includes('All'));
      }
      default:
        return store.get(kind, key);
    }
  }

  function beginWatch(target: RequestTarget, url: URL, answer: ServerResponse): void {
    const query = url.searchParams;
    const version = query.get('resourceVersion') ?? '';
    if (!/^\d*$/.test(version)) throw badRequest(`Invalid value: "${version}": resourceVersion`);
    const request = {
      kind: target.kind,
      ...selection(target, url),
      resourceVersion: version,
      bookmarks: query.get('allowWatchBookmarks') === 'true',
      timeout: (Number(query.get('timeoutSeconds')) || WATCH_SECONDS) * 1000,
    };
    faults.opened(answer);
    answerWatch(store, request, answer, options.bookmarkInterval ?? BOOKMARK_INTERVAL);
  }
}

function selection({ kind, namespace }: RequestTarget, url: URL) {
  const labels = parseLabelSelector(url.searchParams.get('labelSelector') ?? '');
  const fields = parseFieldSelector(kind, url.searchParams.get('fieldSelector') ?? '');
  return {
    namespace,
    matches: (object: StoredObject) => labels(object.metadata.labels) && fields(object),
  };
}

function paging(url: URL): { limit: number; continue: string | undefined } {
  const { searchParams } = url;
  return {
    limit: Number(searchParams.get('limit')),
    continue: searchParams.get('continue') ?? undefined,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let text = '';
  for await (const part of request) text += part;
  return text;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

/** True when the fault was the whole answer. */
async function meet(fault: Fault, answer: ServerResponse): Promise<boolean> {
  if ('delay' in fault) await sleep(fault.delay);
  if ('reset' in fault) {
    answer.destroy();
    return true;
  }
  if (!('status' in fault)) return false;
  const { status, retryAfter } = fault;
  if (retryAfter !== undefined) answer.setHeader('retry-after', String(retryAfter));
  const reason = status === 429 ? 'TooManyRequests' : 'InternalError';
  reply(answer, status, new ApiFailure(status, reason, 'a planted fault').toStatus());
  return true;
}

function reply(answer: ServerResponse, code: number, body: object | string, fault?: Fault): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const cut = fault && 'truncate' in fault ? text.slice(0, text.length / 2) : text;
  answer.writeHead(code, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
  answer.end(cut);
}

/** How the mux of the real server answers a path of a group that is not there: no Status. */
function pageNotFound(answer: ServerResponse): undefined {
  answer.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
  answer.end('404 page not found\n');
}
