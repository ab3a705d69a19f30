// The one question of the program, without a terminal.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ask } from '../../../plugin/run/ask.ts';

async function answered(typed: string | undefined, signal = new AbortController().signal) {
  const input = new PassThrough();
  let out = '';
  const answer = ask('Really?', input, (text) => (out += text), signal);
  if (typed === undefined) input.end();
  else input.write(typed);
  return { answer: await answer, out };
}

describe('a question', () => {
  it.each(['y\n', 'Y\n', 'yes\n', ' Yes \n', 'y\r\n'])('takes %j for yes', async (typed) => {
    expect(await answered(typed)).toEqual({ answer: true, out: 'Really? [y/N] ' });
  });

  it.each(['\n', 'n\n', 'no\n', 'yeah\n', 'j\n', 'n\ny\n'])('takes %j for no', async (typed) => {
    expect((await answered(typed)).answer).toBe(false);
  });

  it('takes the end of the input (Ctrl-D) for no, and ends its line', async () => {
    expect(await answered(undefined)).toEqual({ answer: false, out: 'Really? [y/N] \n' });
  });

  it('ends with no when the program is stopped, before or meanwhile', async () => {
    expect((await answered('', AbortSignal.abort())).answer).toBe(false);
    const stop = new AbortController();
    const waiting = answered('', stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ answer: false, out: 'Really? [y/N] \n' });
  });
});
