// Medians that benches report.
import { describe, expect, it } from 'vitest';
import { median, medianRatio } from '../../bench/medians.ts';

describe('the median', () => {
  it('is the middle value, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it('of an even number of values is between the two in the middle', () => {
    expect(median([4, 1, 3, 100])).toBe(3.5);
  });

  it('of nothing is no number', () => {
    expect(median([])).toBeNaN();
  });
});

describe('the ratio of pairs', () => {
  it('is taken within each pair, so that what slows both down cancels out', () => {
    const pairs = [
      [100, 100],
      [10, 10],
      [1, 1],
    ] as const;
    expect(medianRatio(pairs)).toBe(1);
    expect(medianRatio([...pairs, [50, 100], [5, 10]])).toBe(1);
  });
});
