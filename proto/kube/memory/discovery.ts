// What the server says about itself: version, groups and resources, as far as kubectl needs it.
import { apiVersionOf, type ServedKind } from './served-kind.ts';

const VERSION = {
  major: '1',
  minor: '34',
  gitVersion: 'v1.34.0-memory',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * The document at `path`; undefined when there is none. Unaggregated: kubectl asks for the aggregated form first and takes
 * this one when the content type of the answer says nothing of it.
 */
export function discoveryDocument(kinds: readonly ServedKind[], path: string): object | string | undefined {
  switch (path) {
    case '/version':
      return VERSION;
    case '/healthz':
    case '/livez':
    case '/readyz':
      return 'ok';
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case '/apis':
      return {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: groupNames(kinds).map((n) => group(kinds, n)),
      };
  }
  const [, root, ...segments] = path.split('/');
  if (root === 'api' && segments.length === 1) return resourceList(kinds, segments[0] ?? '');
  if (root !== 'apis') return undefined;
  const [name = ''] = segments;
  if (segments.length === 2) return resourceList(kinds, segments.join('/'));
  return segments.length === 1 && groupNames(kinds).includes(name)
    ? { kind: 'APIGroup', apiVersion: 'v1', ...group(kinds, name) }
    : undefined;
}

function groupNames(kinds: readonly ServedKind[]): string[] {
  return [...new Set(kinds.map((kind) => kind.group))].filter((name) => name !== '');
}

function group(kinds: readonly ServedKind[], name: string): object {
  const versions = [...new Set(kinds.filter((kind) => kind.group === name).map((kind) => kind.version))].map(
    (version) => ({ groupVersion: `${name}/${version}`, version }),
  );
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(kinds: readonly ServedKind[], groupVersion: string): object | undefined {
  const served = kinds.filter((kind) => apiVersionOf(kind) === groupVersion);
  if (served.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(resources) };
}

function resources({ plural, kind, namespaced, shortNames, statusSubresource }: ServedKind): object[] {
  const main = { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs: VERBS, shortNames };
  const status = {
    name: `${plural}/status`,
    singularName: '',
    namespaced,
    kind,
    verbs: ['get', 'patch', 'update'],
  };
  return statusSubresource ? [main, status] : [main];
}
