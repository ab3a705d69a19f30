// Reading a rules file: what is accepted, and how every mistake is named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseRules } from '../../../node/policy/parse-rules.ts';
import { NO_RULES, ruleSet } from '../../../node/policy/rule-set.ts';
import { readRulesFile } from '../../../node/policy/rules-file.ts';
import { codeOf, rule } from './sample.ts';

const parse = (text: string) => parseRules(text, 'rules.yaml');

/** The mistakes in a text, as the error lists them behind the name of the file. */
function mistakes(text: string): string[] {
  try {
    parse(text);
    return [];
  } catch (error) {
    const [file, list] = error instanceof Error ? error.message.split(/: (.*)/s) : [];
    expect(file).toBe('rules.yaml');
    return list?.split('; ') ?? [];
  }
}

describe('a rules file', () => {
  it('may use every key', () => {
    const text = `
- name: lab-dongles
  verdict: allow
  id: "0529:*"
  serial: "HL*"
  product: "* Dongle"
  hash: "sha256:*"
  via-port: "0000:00:14.0-2.*"
  with-interface:
    none-of: ["03:*:*"]
    one-of: ["ff:*:*", "FF:00:00"]
  node: worker-*
  node-labels: { zone: a, rack: "*" }
  namespaces: [lab, ci]
`;
    expect(parse(text).rules).toEqual([
      {
        name: 'lab-dongles',
        verdict: 'allow',
        id: '0529:*',
        serial: 'HL*',
        product: '* Dongle',
        hash: 'sha256:*',
        viaPort: '0000:00:14.0-2.*',
        withInterface: [
          { operator: 'one-of', patterns: ['ff:*:*', 'FF:00:00'] },
          { operator: 'none-of', patterns: ['03:*:*'] },
        ],
        node: 'worker-*',
        nodeLabels: [
          { key: 'rack', value: '*' },
          { key: 'zone', value: 'a' },
        ],
        namespaces: ['lab', 'ci'],
      },
    ]);
  });

  it('needs no more than name and verdict', () => {
    expect(parse('[{ name: none, verdict: block }]').rules).toEqual([rule({ name: 'none' })]);
  });

  it('may be JSON', () => {
    expect(parse('[{"name":"a","verdict":"allow","serial":""}]').rules).toEqual([
      rule({ name: 'a', verdict: 'allow', serial: '' }),
    ]);
  });

  it('keeps the order of the rules', () => {
    const text = ['c', 'a', 'b'].map((name) => `- { name: ${name}, verdict: block }`).join('\n');
    expect(parse(text).rules.map(({ name }) => name)).toEqual(['c', 'a', 'b']);
  });

  it('says [] when it has no rules', () => {
    expect(parse('[]')).toEqual(NO_RULES);
  });

  it('reads ids and interfaces without quotes as the texts that they look like', () => {
    const text = '- { name: a, verdict: block, id: 0951:1666, with-interface: { all-of: [08:06:50] } }';
    expect(parse(text).rules[0]).toMatchObject({
      id: '0951:1666',
      withInterface: [{ patterns: ['08:06:50'] }],
    });
  });
});

describe('a mistake in a rules file', () => {
  it.each<[string, string, RegExp]>([
    ['an empty file', '', /^the file must be a list/],
    ['only a comment', '# nothing\n', /^the file must be a list/],
    ['a map in place of the list', 'rules: []', /^the file must be a list/],
    ['a text in place of the list', 'allow all', /^the file must be a list/],
    ['a rule that is a text', '[allow]', /^rule 1: must be a map of name, verdict, id, .*, is "allow"$/],
    ['a rule that is a list', '[[]]', /^rule 1: must be a map/],
    ['a rule that is nothing', '[null]', /^rule 1: must be a map/],
    ['no name', '[{ verdict: block }]', /^rule 1: name is missing/],
    ['no verdict', '[{ name: a }]', /^rule 1 "a": verdict is missing, it must be allow or block$/],
    ['an empty name', '[{ name: "", verdict: block }]', /^rule 1 "": name must be/],
    ['a name that is a number', '[{ name: 7, verdict: block }]', /^rule 1: name must be a text.*, is 7$/],
    ['a built-in name', '[{ name: built-in/hub, verdict: allow }]', /^rule 1 "built-in\/hub": name must be/],
    ['a default name', '[{ name: default/x, verdict: allow }]', /^rule 1 "default\/x": name must be/],
    [
      'another verdict',
      '[{ name: a, verdict: deny }]',
      /^rule 1 "a": verdict must be allow or block, is "deny"$/,
    ],
    ['YAML that is cut off', '- { name: a, verdict: block', /at line 1, column 28$/],
    ['a key twice', '- name: a\n  name: b\n  verdict: block', /unique/i],
    ['two documents', '[]\n---\n[]', /^the file must be one YAML document$/],
    ['an unknown tag', '[!x { name: a, verdict: block }]', /tag/],
    ['an alias to nothing', '[*x]', /alias/i],
  ])('is %s', (_, text, message) => {
    const [first = '', ...others] = mistakes(text);
    expect(first).toMatch(message);
    expect(others).toEqual([]);
  });

  it.each<[key: string, value: string]>([
    ['id', '"951:1666"'],
    ['id', '"0951"'],
    ['id', '"09511:*"'],
    ['id', '"0951:1666:1"'],
    ['id', '"095g:*"'],
    ['id', '":"'],
    ['id', '1666'],
    ['serial', '12345'],
    ['serial', '[a]'],
    ['serial', 'null'],
    ['product', 'true'],
    ['hash', '{}'],
    ['via-port', '2'],
    ['with-interface', '"08:06:50"'],
    ['with-interface', '["08:06:50"]'],
    ['with-interface', '{}'],
    ['with-interface', '{ one-of: [] }'],
    ['with-interface', '{ one-of: "08:06:50" }'],
    ['with-interface', '{ one-of: ["8:6:50"] }'],
    ['with-interface', '{ one-of: ["08:06:5*"] }'],
    ['with-interface', '{ one-of: ["08:06:50", 8] }'],
    ['with-interface', '{ some-of: ["08:06:50"] }'],
    ['with-interface', '{ one-of: ["08:06:50"], equals-ordered: ["08:06:50"] }'],
    ['node', '1'],
    ['node-labels', '[zone]'],
    ['node-labels', '{}'],
    ['node-labels', '{ zone: 1 }'],
    ['node-labels', '{ zone: a, rack: null }'],
    ['node-labels', '{ "": a }'],
    ['namespaces', 'lab'],
    ['namespaces', '[]'],
    ['namespaces', '[Lab]'],
    ['namespaces', '["lab-*"]'],
    ['namespaces', '[-lab]'],
    ['namespaces', `[${'a'.repeat(64)}]`],
    ['namespaces', '[lab, 1]'],
  ])('is %s: %s', (key, value) => {
    const [first, ...others] = mistakes(`[{ name: a, verdict: allow, ${key}: ${value} }]`);
    expect(first).toContain(`rule 1 "a": ${key} must be `);
    expect(others).toEqual([]);
  });

  it.each(['name2', 'Serial', 'via_port', '__proto__', 'constructor', '<<'])(
    'is the unknown key %s',
    (key) => {
      const [first, ...others] = mistakes(`[{ name: a, verdict: block, "${key}": {} }]`);
      expect(first).toContain(`rule 1 "a": unknown key "${key}", use name, verdict, id`);
      expect(others).toEqual([]);
    },
  );

  it('is a block for namespaces', () => {
    expect(mistakes('[{ name: a, verdict: block, namespaces: [lab] }]')).toEqual([
      'rule 1 "a": namespaces belong to rules that allow, one that blocks does so for all',
    ]);
  });

  it('is a name that another rule has', () => {
    const text = ['a', 'b', 'a', 'a'].map((name) => `- { name: ${name}, verdict: block }`).join('\n');
    expect(mistakes(text)).toEqual([
      'rule 3 "a": rule 1 has the same name',
      'rule 4 "a": rule 1 has the same name',
    ]);
  });

  it('never hides another one', () => {
    const text =
      '- { name: a, verdict: deny, id: x, colour: red }\n- 7\n- { name: a, verdict: allow, serial: 1 }';
    expect(mistakes(text).map((mistake) => mistake.replace(/(must be|unknown|has).*/, '$1'))).toEqual([
      'rule 1 "a": verdict must be',
      'rule 1 "a": id must be',
      'rule 1 "a": unknown',
      'rule 2: must be',
      'rule 3 "a": serial must be',
      'rule 3 "a": rule 1 has',
    ]);
  });

  it('is quoted only as far as it helps', () => {
    const [first = ''] = mistakes(`[{ name: a, verdict: ${'x'.repeat(10_000)} }]`);
    expect(first.length).toBeLessThan(150);
  });

  it('is a small text that aliases would make huge', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `- &a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`);
    expect(codeOf(() => parse(['- &a0 [x]', ...levels].join('\n')))).toBe('BAD_POLICY');
  });

  it('has the code BAD_POLICY', () => {
    expect(codeOf(() => parse(''))).toBe('BAD_POLICY');
    expect(codeOf(() => parse('[{'))).toBe('BAD_POLICY');
    expect(codeOf(() => parse('[7]'))).toBe('BAD_POLICY');
  });
});

describe('the hash of the rules in force', () => {
  const hash = (text: string) => parse(text).hash;

  it('is 64 hexadecimal digits', () => {
    expect(NO_RULES.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not depend on the order of keys, of conditions and of labels, nor on notation', () => {
    const one = `[{"name":"a","verdict":"allow","node-labels":{"x":"1","y":"2"},
      "with-interface":{"one-of":["08:*:*"],"none-of":["03:*:*"]}}]`;
    const other = `
- verdict: allow # the same
  with-interface: { none-of: ["03:*:*"], one-of: ["08:*:*"] }
  node-labels: { y: "2", x: "1" }
  name: a`;
    expect(hash(one)).toBe(hash(other));
  });

  it('depends on the order of the rules, because the first match decides', () => {
    const [a, b] = [rule({ name: 'a' }), rule({ name: 'b' })];
    expect(ruleSet([a, b]).hash).not.toBe(ruleSet([b, a]).hash);
  });

  it('depends on every condition', () => {
    const conditions = [
      '',
      'serial: ""',
      'serial: "*"',
      'product: "*"',
      'hash: "*"',
      'via-port: "*"',
      'node: "*"',
    ];
    const hashes = conditions.map((condition) => hash(`[{ name: a, verdict: allow, ${condition} }]`));
    expect(new Set(hashes).size).toBe(conditions.length);
  });
});

describe('reading the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives the rules in it', async () => {
    const path = join(folder, 'good.yaml');
    writeFileSync(path, '- { name: a, verdict: block }\n');
    expect(await readRulesFile(path)).toEqual(ruleSet([rule({ name: 'a' })]));
  });

  it('names the file that has a mistake', async () => {
    const path = join(folder, 'bad.yaml');
    writeFileSync(path, '- { name: a }\n');
    await expect(readRulesFile(path)).rejects.toMatchObject({
      code: 'BAD_POLICY',
      message: expect.stringContaining(`${path}: rule 1 "a": verdict is missing`),
    });
  });

  it('names the file that is not there', async () => {
    const path = join(folder, 'none.yaml');
    await expect(readRulesFile(path)).rejects.toMatchObject({
      code: 'BAD_POLICY',
      message: expect.stringContaining(path),
    });
  });
});
