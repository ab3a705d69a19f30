// What holds for every device, rule and selector, asked of the built component.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadDevicePolicy } from '../../../wasm/host/device-policy.ts';
import { codeOf } from '../../unit/policy/sample.ts';
import { anyCandidate, anyDevice, anyNode, anyRules, anySelector, goodRules } from './arbitraries.ts';

const policy = await loadDevicePolicy();
const RUNS = { numRuns: 150 };
const devices = fc.array(anyDevice, { maxLength: 4 });

describe('judging', () => {
  it('answers every list of devices under good rules, one sound decision a device', () => {
    fc.assert(
      fc.property(devices, goodRules, anyNode, (devices, rules, node) => {
        const decisions = policy.judge(devices, rules, node);
        expect(decisions.map(({ device }) => device)).toEqual([...devices.keys()]);
        for (const { verdict, namespaces, rule, reason } of decisions) {
          expect(namespaces.length > 0).toBe(verdict === 'offered-to');
          expect(rule).toMatch(/^(rule-\d|built-in\/[a-z-]+|default\/[a-z-]+)$/);
          expect(reason).not.toBe('');
        }
      }),
      RUNS,
    );
  });

  it('never traps: arbitrary texts in rules are judged by or refused with BAD_POLICY', () => {
    fc.assert(
      fc.property(devices, anyRules, anyNode, (devices, rules, node) => {
        expect([undefined, 'BAD_POLICY']).toContain(codeOf(() => policy.judge(devices, rules, node)));
      }),
      RUNS,
    );
  });

  it('judges each device by itself and in the same way each time', () => {
    fc.assert(
      fc.property(devices, goodRules, anyNode, (devices, rules, node) => {
        const together = policy.judge(devices, rules, node);
        const alone = devices.map((device) => policy.judge([device], rules, node)[0]);
        expect(alone.map((decision, device) => ({ ...decision, device }))).toEqual(together);
      }),
      RUNS,
    );
  });

  it('lets the first rule that matches decide: rules behind it change nothing, rules that do not match neither', () => {
    fc.assert(
      fc.property(anyDevice, goodRules, anyNode, (device, rules, node) => {
        const [decision] = policy.judge([device], rules, node);
        const decisive = rules.findIndex(({ name }) => name === decision?.rule);
        const upTo = decisive < 0 ? [] : rules.slice(0, decisive + 1);
        expect(policy.judge([device], upTo, node)).toEqual([decision]);
        expect(policy.judge([device], upTo.slice(-1), node)).toEqual([decision]);
      }),
      RUNS,
    );
  });

  it('never lets a given rule lift a built-in block', () => {
    const allow = {
      name: 'allow',
      verdict: 'allow' as const,
      withInterface: [],
      nodeLabels: [],
      namespaces: [],
    };
    fc.assert(
      fc.property(anyDevice, goodRules, anyNode, (device, rules, node) => {
        const [bare] = policy.judge([device], [], node);
        const builtIn = bare?.rule.startsWith('built-in/');
        const used = Object.values(device.inUse).some((names) => names.length > 0);
        expect(builtIn).toBe(
          device.isHub ||
            device.imported ||
            used ||
            device.class === 9 ||
            device.interfaces.some((face) => face.class === 9),
        );
        if (builtIn) expect(policy.judge([device], [allow, ...rules], node)).toEqual([bare]);
        else expect(policy.judge([device], [allow, ...rules], node)).toMatchObject([{ rule: 'allow' }]);
      }),
      RUNS,
    );
  });
});

describe('selecting', () => {
  const candidates = fc.array(anyCandidate, { maxLength: 6 });

  it('answers the same each time: rising indices of candidates, or BAD_INPUT for nothing but spaces', () => {
    fc.assert(
      fc.property(anySelector, candidates, (selector, candidates) => {
        const select = () => policy.select(selector, candidates);
        if (selector.trim() === '') {
          expect(codeOf(select)).toBe('BAD_INPUT');
          return;
        }
        const found = select();
        expect(found).toEqual(select());
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(found.every((index) => candidates[index] !== undefined)).toBe(true);
      }),
      RUNS,
    );
  });

  it('finds a device by its name, whatever else has that text', () => {
    fc.assert(
      fc.property(candidates, anyCandidate, (candidates, wanted) => {
        fc.pre(wanted.name.trim() === wanted.name && wanted.name !== '');
        const all = [...candidates, wanted];
        const named = [...all.keys()].filter((index) => all[index]?.name === wanted.name);
        expect(policy.select(wanted.name, all)).toEqual(named);
      }),
      RUNS,
    );
  });

  it('does not depend on the order of the candidates', () => {
    fc.assert(
      fc.property(anySelector, candidates, (selector, candidates) => {
        fc.pre(selector.trim() !== '');
        const last = candidates.length - 1;
        const mirrored = policy.select(selector, candidates.toReversed()).map((index) => last - index);
        expect(mirrored.reverse()).toEqual(policy.select(selector, candidates));
      }),
      RUNS,
    );
  });
});
