// Reads the whole body of an answer and takes it as what the caller asked for.
import type { IncomingMessage } from 'node:http';
import { TypedError } from '../../api/typed-error.ts';
import { answerError, excerpt } from './answer-error.ts';
import { type CallSubject, subjectText } from './call-subject.ts';

/** Text of a 2xx answer; throws the typed error of any other. */
export async function readText(subject: CallSubject, answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const part of answer) text += part;
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) throw answerError(subject, status, text);
  return text;
}

/** Throws PROTOCOL when a 2xx answer is no JSON: a login page of a proxy, or an answer that was cut. */
export function parseJson<T>(subject: CallSubject, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new TypedError(
      'PROTOCOL',
      `${subjectText(subject)}: the answer is not JSON: ${excerpt(text)}`,
      `check that ${subject.server} is a Kubernetes API server and not a login page or a proxy`,
      { cause },
    );
  }
}
