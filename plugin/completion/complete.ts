// kubectl virt __complete WORDS...: the hidden command that shells ask, through kubectl or through our scripts. A person
// is in the middle of typing: it is quick, and when it cannot help it says nothing.
import { root } from '../commands/root.ts';
import type { Host } from '../run/host.ts';
import type { Candidate } from './candidate.ts';
import { type ClusterKind, clusterNames } from './cluster-names.ts';
import { knownWords } from './known-words.ts';
import { type Reply, replyText } from './reply.ts';
import { type Completion, completionTarget, type Target } from './target.ts';

/** Milliseconds that a cluster has to answer: from 150 on a person notices. */
const DEADLINE = 120;

const NOTHING: Reply = { kind: 'words', candidates: [] };

/** The last word is the one to complete. Always 0. */
export async function complete(words: readonly string[], host: Host): Promise<number> {
  let text = replyText(NOTHING, '');
  try {
    const completion = completionTarget(root, words);
    text = replyText(await replyTo(completion, host), completion.typed);
  } catch {
    // Neither a server that is away nor a line that cannot be read is worth an error in the middle of a command line.
  }
  host.stdout.write(text);
  return 0;
}

async function replyTo(completion: Completion, host: Host): Promise<Reply> {
  const source = sourceOf(completion.target);
  if (source === 'file') return { kind: 'files' };
  if (source === undefined) return { kind: 'words', candidates: knownWords(completion.target) };
  if (source !== 'context') return { kind: 'words', candidates: await askCluster(source, completion, host) };
  const contexts = await host.contexts(completion.args);
  return { kind: 'words', candidates: contexts.map((value) => ({ value, about: '' })) };
}

function sourceOf(target: Target): ClusterKind | 'context' | 'file' | undefined {
  if (target.kind === 'value') return target.flag.completes;
  if (target.kind === 'argument' && target.argument.kind !== 'text') return target.argument.kind;
  return undefined;
}

/** The connection counts too: a credential plugin may take its time. */
async function askCluster(kind: ClusterKind, completion: Completion, host: Host): Promise<Candidate[]> {
  const { typed, args } = completion;
  const late = new AbortController();
  const ask = async () => {
    const kube = await host.connectUnattended(args);
    const about = { typed, namespace: args.text('namespace') };
    return clusterNames(kind, kube, about, { signal: late.signal, timeout: DEADLINE });
  };
  const answer = ask();
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, host.pause(DEADLINE, host.signal).then(() => [])]);
  } finally {
    late.abort();
  }
}
