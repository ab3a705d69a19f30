// Asks an API server everything of answer-requests and keeps what a rule of the server made of each.
// By hand, for a new version of Kubernetes (KUBE_SERVER, KUBE_ADMIN_TOKEN and KUBE_JANE_TOKEN set):
//   NODE_TLS_REJECT_UNAUTHORIZED=0 node test/contract/kube/record-answers.ts > test/fixtures/kube/answers.json
import { ANSWER_REQUESTS, type AnswerRequest, type RecordedAnswer } from './answer-requests.ts';

interface AnyAnswer {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly uid?: string };
  readonly metadata?: Record<string, unknown>;
}

export type Tokens = Readonly<Record<'admin' | 'jane' | 'stranger', string>>;

export async function recordAnswers(server: string, tokens: Tokens): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  for (const request of ANSWER_REQUESTS) answers.push(await ask(server, tokens, request));
  return answers;
}

async function ask(server: string, tokens: Tokens, request: AnswerRequest): Promise<RecordedAnswer> {
  const { method, path, body, contentType = 'application/json', as = 'admin' } = request;
  const answer = await fetch(server + path, {
    method,
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': contentType },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = withoutRun(await answer.text());
  const name = [as, method, path, ...(body ? [JSON.stringify(body)] : [])].join(' ');
  return { request: name, status: answer.status, answer: essence(text) };
}

function withoutRun(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/in record \(\d+\)/, 'in record (N)');
}

/** Without what differs from run to run: times, identities, versions, and who manages which field. */
function essence(text: string): object | string {
  if (!text.startsWith('{')) return text;
  const { metadata = {}, ...rest } = JSON.parse(text) as AnyAnswer;
  if (rest.kind === 'Status') {
    const { uid: _, ...details } = rest.details ?? {};
    return { reason: rest.reason, message: rest.message, details: rest.details && details };
  }
  const { uid, creationTimestamp, resourceVersion, managedFields, deletionTimestamp, ...kept } = metadata;
  const { deletionGracePeriodSeconds: _, ...meta } = kept;
  const made = { uid, creationTimestamp, resourceVersion, deletionTimestamp };
  const present = Object.entries(made).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  return { ...rest, metadata: meta, present };
}

if (import.meta.main) {
  const { KUBE_SERVER = '', KUBE_ADMIN_TOKEN = '', KUBE_JANE_TOKEN = '' } = process.env;
  const tokens = { admin: KUBE_ADMIN_TOKEN, jane: KUBE_JANE_TOKEN, stranger: 'of-nobody' };
  process.stdout.write(`${JSON.stringify(await recordAnswers(KUBE_SERVER, tokens), null, 1)}\n`);
}
