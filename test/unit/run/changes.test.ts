// A change and a repetition.
import { describe, expect, it } from 'vitest';
import { Changes } from '../../../node/run/changes.ts';

describe('Changes', () => {
  it('takes the first value for a change', () => {
    expect(new Changes<number>().differs(0)).toBe(true);
  });

  it('sees through equal values that are other objects', () => {
    const changes = new Changes<object>();
    changes.differs({ names: new Set(['a']), ports: { used: 1 } });
    expect(changes.differs({ names: new Set(['a']), ports: { used: 1 } })).toBe(false);
  });

  it('tells each change once, also back to a former value', () => {
    const changes = new Changes<Set<string>>();
    const seen = [['a'], ['a', 'b'], ['a', 'b'], ['a']].map((names) => changes.differs(new Set(names)));
    expect(seen).toEqual([true, true, false, true]);
  });
});
