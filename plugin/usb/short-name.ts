// Device names are `usb-` and 40 digits: too long for a terminal, so it gets the beginning, as git does with commits.

const PREFIX = 4;
const FEWEST_DIGITS = 7;

/**
 * Gives the shortest beginning, at least seven digits after `usb-`, that only one of `names` has. A beginning is a
 * selector, so what is shown can be typed.
 */
export function shortNames(names: readonly string[]): (name: string) => string {
  const distinct = [...new Set(names)].sort();
  const shared = Math.max(
    0,
    ...distinct.slice(1).map((name, index) => sharedLength(name, distinct[index] ?? '')),
  );
  const length = Math.max(PREFIX + FEWEST_DIGITS, shared + 1);
  return (name) => name.slice(0, length);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
