// Text of a kubeconfig to data, and what a person is told when it is garbled.
import { describe, expect, it } from 'vitest';
import { parseKubeconfig } from '../../../proto/kube/config/document.ts';

const parse = (text: string) => parseKubeconfig(text, '/home/x/config');

describe('a kubeconfig may be', () => {
  it.each([
    ['JSON', ' {"current-context": "lab"}'],
    ['plain YAML', 'current-context: lab\n'],
    ['YAML in flow style', '{ current-context: lab }'],
    ['YAML with comments and quotes', '---\ncurrent-context: "l\\u0061b" # mine\n'],
    ['YAML with Windows line ends', 'kind: Config\r\ncurrent-context: lab\r\n'],
    ['YAML with a byte order mark', '\ufeffcurrent-context: lab\n'],
  ])('%s', async (_name, text) => {
    expect((await parse(text)).text('current-context')).toBe('lab');
  });

  it.each([
    ['empty', ''],
    ['white space', '\n \n'],
    ['comments', '# nothing\n'],
    ['null', 'null\n'],
  ])('%s, which has no fields', async (_name, text) => {
    expect((await parse(text)).text('current-context')).toBe('');
  });
});

describe('a garbled kubeconfig', () => {
  it.each([
    ['an open bracket', 'kind: Config\nclusters: [a\n', 'line 3'],
    ['a bad indent', 'kind: Config\nusers:\n- name: a\n user: b\n', 'line 4'],
    ['a tab as indent', 'kind: Config\nusers:\n\t- name: a\n', 'line 3'],
    ['broken JSON', '{"kind": "Config",\n "users": [}', 'line 2'],
    ['the same key twice', 'kind: Config\nkind: Config\n', 'line 2'],
    ['two documents', 'kind: Config\n---\nkind: Config\n', 'line 2'],
  ])('%s is named by file and line', async (_name, text, line) => {
    await expect(parse(text)).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      message: expect.stringMatching(new RegExp(`^/home/x/config, ${line}: `)),
      hint: expect.any(String),
    });
  });

  it('is never quoted, because the line may hold a secret', async () => {
    const error = await parse('users:\n- token: s3cret: [s3cret\n').catch((e: Error) => e);
    expect(error).toMatchObject({ code: 'BAD_KUBECONFIG' });
    expect(String(error)).not.toContain('s3cret');
  });

  it.each([['- a\n'], ['text\n'], ['12\n'], ['"{"']])('that is no mapping is refused: %j', async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'BAD_KUBECONFIG' });
  });
});
