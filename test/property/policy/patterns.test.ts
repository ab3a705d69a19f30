// Globs against a regular expression, and the two places that know the forms of patterns against each other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRules } from '../../../node/policy/parse-rules.ts';
import { RULE_FIELDS } from '../../../node/policy/rule-fields.ts';
import { ruleSet } from '../../../node/policy/rule-set.ts';
import { glob } from '../../../wasm/device-policy/glob.ts';
import { idPattern, idText } from '../../../wasm/device-policy/id-pattern.ts';
import { interfacePattern, interfaceText } from '../../../wasm/device-policy/interface-pattern.ts';
import { codeOf, rule } from '../../unit/policy/sample.ts';
import { goodRules } from './arbitraries.ts';

const few = (units: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...units), maxLength });

/** The same meaning by other means; only safe because the texts here are short. */
function reference(pattern: string): RegExp {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.?+^$()[\]{}|\\/-]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^]*')}$`);
}

describe('a glob', () => {
  it('means the same as the regular expression that it could be', () => {
    fc.assert(
      fc.property(few('ab*', 8), few('ab', 12), (pattern, text) => {
        expect(glob(pattern)(text)).toBe(reference(pattern).test(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes characters of regular expressions for themselves', () => {
    fc.assert(
      fc.property(few('a.*+?[](){}^$|\\/-\n', 6), few('a.+?[](){}^$|\\/-\n', 6), (pattern, text) => {
        expect(glob(pattern)(text)).toBe(reference(pattern).test(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('without a star matches itself alone, and with stars put anywhere still matches', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.nat(), (text, a, b) => {
        fc.pre(!text.includes('*'));
        const [from = 0, to = 0] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
        expect(glob(text)(text)).toBe(true);
        expect(glob(`${text.slice(0, from)}*${text.slice(to)}`)(text)).toBe(true);
        expect(glob(text)(`${text}x`)).toBe(false);
      }),
    );
  });
});

describe('patterns over numbers', () => {
  const byte = fc.nat(0xff);

  it('an interface matches the pattern that it is written as, and no other interface does', () => {
    fc.assert(
      fc.property(byte, byte, byte, byte, byte, byte, (...[a, b, c, d, e, f]) => {
        const [one, other] = [
          { class: a, subClass: b, protocol: c },
          { class: d, subClass: e, protocol: f },
        ];
        expect(interfacePattern(interfaceText(one))(one)).toBe(true);
        expect(interfacePattern(interfaceText(one))(other)).toBe(a === d && b === e && c === f);
      }),
    );
  });

  it('an id matches the pattern that it is written as', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(0xffff), (vendorId, productId) => {
        const id = idText({ vendorId, productId });
        expect(idPattern(id)(id)).toBe(true);
        expect(idPattern(`${id.slice(0, 5)}*`)(id)).toBe(true);
      }),
    );
  });
});

describe('the reader of rules files and the policy', () => {
  const accepts = (key: string, value: unknown) => RULE_FIELDS[key]?.read(value) !== undefined;

  it('accept the same ids', () => {
    fc.assert(
      fc.property(few('0aF*:g', 12), (id) => {
        expect(accepts('id', id)).toBe(codeOf(() => idPattern(id)) === undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  it('accept the same interface patterns', () => {
    fc.assert(
      fc.property(few('0aF*:g', 9), (pattern) => {
        expect(accepts('with-interface', { equals: [pattern] })).toBe(
          codeOf(() => interfacePattern(pattern)) === undefined,
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the reader of rules files', () => {
  it('reads any text into rules or BAD_POLICY', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), few('-[]{}:,"\'#&*!|>%@ \n\tab', 40)), (text) => {
        expect([undefined, 'BAD_POLICY']).toContain(codeOf(() => parseRules(text, 'rules.yaml')));
      }),
      { numRuns: 300 },
    );
  });

  it('reads any JSON value in a rule into rules or BAD_POLICY', () => {
    const keys = ['id', 'serial', 'with-interface', 'node-labels', 'namespaces', 'name', 'verdict', 'x'];
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
          maxLength: 3,
        }),
        (rules) => {
          const code = codeOf(() => parseRules(JSON.stringify(rules), 'rules.json'));
          expect([undefined, 'BAD_POLICY']).toContain(code);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives equal rules an equal hash and other rules another one', () => {
    fc.assert(
      fc.property(goodRules, goodRules, (one, other) => {
        const shuffled = one.map((rule) => Object.fromEntries(Object.entries(rule).reverse()) as typeof rule);
        expect(ruleSet(shuffled).hash).toBe(ruleSet(one).hash);
        expect(ruleSet([...one, rule()]).hash).not.toBe(ruleSet(one).hash);
        if (JSON.stringify(one) !== JSON.stringify(other))
          expect(ruleSet(other).hash).not.toBe(ruleSet(one).hash);
      }),
      { numRuns: 100 },
    );
  });
});
