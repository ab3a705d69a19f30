// The API in memory answers as kube-apiserver 1.37.2 did when the fixture was recorded.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { ANSWER_REQUESTS, type RecordedAnswer } from './answer-requests.ts';
import { recordAnswers } from './record-answers.ts';

const fixture = new URL('../../fixtures/kube/answers.json', import.meta.url);
const recorded: RecordedAnswer[] = JSON.parse(readFileSync(fixture, 'utf8'));

describe('the API in memory', () => {
  let api: MemoryApi;
  let answers: RecordedAnswer[];

  beforeAll(async () => {
    api = await startMemoryApi({
      tokens: { a: 'admin', j: 'jane' },
      authorize: ({ user }) => user === 'admin',
    });
    answers = await recordAnswers(api.url, { admin: 'a', jane: 'j', stranger: 'of-nobody' });
  });
  afterAll(() => api.close());

  it('was asked all that was recorded', () => {
    expect(recorded).toHaveLength(ANSWER_REQUESTS.length);
  });

  it.each(recorded.map((answer, index) => ({ ...answer, index })))(
    'answers $request',
    ({ index, ...real }) => {
      expect(JSON.parse(JSON.stringify(answers[index]))).toEqual(real);
    },
  );
});
