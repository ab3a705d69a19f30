// Which cluster and user a kubeconfig and the flags mean together.
import { TypedError } from '../../api/typed-error.ts';
import { type ClusterEntry, decodeCluster } from './cluster-entry.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { Entry, MergedKubeconfig } from './merged-kubeconfig.ts';
import { Section } from './section.ts';
import { decodeUser, type UserEntry } from './user-entry.ts';

export interface Target {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** Of the context; empty when it names none. */
  readonly namespace: string;
  /** For messages: `context lab of /home/x/.kube/config`. */
  readonly source: string;
}

/** A cluster or user that no kubeconfig describes; the flags may still fill it. */
const ABSENT: Entry = { body: new Section({}, 'the flags'), file: '' };

function namesOf(entries: ReadonlyMap<string, Entry>): string {
  return entries.size === 0 ? 'there are none' : `there are: ${[...entries.keys()].sort().join(', ')}`;
}

/** `asker` is the flag or context that named it. */
function find(entries: ReadonlyMap<string, Entry>, what: string, name: string, asker: string): Entry {
  const entry = entries.get(name);
  if (entry) return entry;
  const hint = `${namesOf(entries)}; see \`kubectl config view\``;
  throw new TypedError(
    'BAD_KUBECONFIG',
    `${what} ${JSON.stringify(name)} does not exist (named by ${asker})`,
    hint,
  );
}

/**
 * True when the flags and the kubeconfig together choose anything at all. Flags that only adjust a target (token,
 * impersonation, TLS) do not count: they work on a pod's service account too.
 */
export function namesTarget(config: MergedKubeconfig, options: ConnectionOptions): boolean {
  return Boolean(
    options.context || config.currentContext || options.cluster || options.server || options.user,
  );
}

function contextOf(config: MergedKubeconfig, options: ConnectionOptions): Entry | undefined {
  if (options.context) return find(config.contexts, 'context', options.context, '--context');
  if (config.currentContext === '') return undefined;
  return find(config.contexts, 'context', config.currentContext, 'current-context');
}

function clusterOf(config: MergedKubeconfig, options: ConnectionOptions, context?: Entry): ClusterEntry {
  if (options.cluster) return decodeCluster(find(config.clusters, 'cluster', options.cluster, '--cluster'));
  const name = context?.body.text('cluster') ?? '';
  if (name !== '') return decodeCluster(find(config.clusters, 'cluster', name, context?.body.where ?? ''));
  if (options.server) return decodeCluster(ABSENT);
  throw context
    ? new TypedError('BAD_KUBECONFIG', `${context.body.where} names no cluster`, 'add one, or give --cluster')
    : new TypedError(
        'BAD_KUBECONFIG',
        'no context is chosen',
        `give --context or run \`kubectl config use-context\`; ${namesOf(config.contexts)}`,
      );
}

function userOf(config: MergedKubeconfig, options: ConnectionOptions, context?: Entry): UserEntry {
  if (options.user) return decodeUser(find(config.users, 'user', options.user, '--user'));
  const name = context?.body.text('user') ?? '';
  // A context without a user is anonymous; one whose user is missing is a mistake, which kubectl lets pass.
  return decodeUser(name === '' ? ABSENT : find(config.users, 'user', name, context?.body.where ?? ''));
}

/** Throws BAD_KUBECONFIG when a context, cluster or user that is asked for does not exist, or no cluster is chosen. */
export function selectTarget(config: MergedKubeconfig, options: ConnectionOptions): Target {
  const context = contextOf(config, options);
  const name = options.context || config.currentContext;
  return {
    cluster: clusterOf(config, options, context),
    user: userOf(config, options, context),
    namespace: context?.body.text('namespace') ?? '',
    source: context ? `context ${name} of ${context.file}` : 'the flags',
  };
}
