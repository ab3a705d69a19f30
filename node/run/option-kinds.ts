// The kinds of settings: each makes an Option with its parser and the words for its allowed form.
import { isIP } from 'node:net';
import type { Option } from './options.ts';

type Basics = Pick<Option<unknown>, 'flag' | 'env' | 'help'>;

function text(basics: Basics & { form?: string; fallback?: string; pattern?: RegExp }): Option<string> {
  const { pattern = /./s, form = 'text', ...rest } = basics;
  return { ...rest, form, parse: (value) => (pattern.test(value) ? value : undefined) };
}

/** Text that may be left out; '' then. */
function optionalText(basics: Basics & { form?: string }): Option<string> {
  return { form: 'text', fallback: '', parse: (value) => value, ...basics };
}

/** Of IPv4 or IPv6; '' when it is left out. */
function optionalAddress(basics: Basics): Option<string> {
  return {
    ...basics,
    form: 'an IP address',
    fallback: '',
    parse: (value) => (value === '' || isIP(value) !== 0 ? value : undefined),
  };
}

function port(basics: Basics & { fallback: number }): Option<number> {
  return {
    ...basics,
    form: 'a port from 0 to 65535 (0: any free one)',
    parse: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
  };
}

function count(basics: Basics & { fallback: number; most: number }): Option<number> {
  const { most, ...rest } = basics;
  return {
    ...rest,
    form: `a number from 1 to ${most}`,
    parse: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
      return number >= 1 && number <= most ? number : undefined;
    },
  };
}

function choice<const T extends string>(basics: Basics & { choices: readonly T[]; fallback: T }): Option<T> {
  const { choices, ...rest } = basics;
  return {
    ...rest,
    form: `one of ${choices.join(', ')}`,
    parse: (value) => choices.find((c) => c === value),
  };
}

/** Off unless given; the environment may say true or false. */
function flag(basics: Basics): Option<boolean> {
  return {
    ...basics,
    form: '',
    fallback: false,
    parse: (value) => ({ true: true, '1': true, false: false, '0': false })[value],
  };
}

export const option = { text, optionalText, optionalAddress, port, count, choice, flag };
