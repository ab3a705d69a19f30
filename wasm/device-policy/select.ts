// Which devices a person means: from words at a terminal to indices.
import type { Candidate } from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { idText } from './id-pattern.ts';

/** No name, serial number or product text is longer: string descriptors have 126 UTF-16 units at most (USB 2.0, 9.6.7). */
const LONGEST_SELECTOR = 512;

type Reading = (selector: string) => (candidate: Candidate) => boolean;

/** In order of precedence; the WIT explains each. */
const READINGS: readonly Reading[] = [
  (selector) => (candidate) => candidate.name === selector,
  byBeginningOfName,
  byId,
  (selector) => (candidate) => candidate.serial === selector,
  (selector) => (candidate) => `${candidate.node}/${candidate.busId}` === selector,
  byProduct,
  byWords,
];

/** The exported `select`; its contract is in the WIT. A thrown Error becomes the `err` of the result. */
export function select(selector: string, candidates: Candidate[]): Uint32Array {
  const wanted = selector.trim();
  if (wanted === '') throw new Error('the selector is empty');
  if (wanted.length > LONGEST_SELECTOR)
    throw new Error(`the selector is longer than ${LONGEST_SELECTOR} characters`);
  for (const reading of READINGS) {
    const found = indicesOf(candidates, reading(wanted));
    if (found.length > 0) return Uint32Array.from(found);
  }
  return new Uint32Array();
}

function indicesOf(candidates: Candidate[], matches: (candidate: Candidate) => boolean): number[] {
  return [...candidates.keys()].filter((index) => {
    const candidate = candidates[index];
    return candidate !== undefined && matches(candidate);
  });
}

/** Four digits at least, as git asks for: `usb-c` is a word of many product texts, not the beginning of a hash. */
function byBeginningOfName(selector: string): (candidate: Candidate) => boolean {
  const isBeginning = /^usb-[0-9a-f]{4,40}$/.test(selector);
  return (candidate) => isBeginning && candidate.name.startsWith(selector);
}

function byId(selector: string): (candidate: Candidate) => boolean {
  const wanted = selector.toLowerCase();
  return (candidate) => idText(candidate) === wanted;
}

function byProduct(selector: string): (candidate: Candidate) => boolean {
  const wanted = wordsOf(selector).join(' ');
  return (candidate) => wordsOf(candidate.product ?? '').join(' ') === wanted;
}

function byWords(selector: string): (candidate: Candidate) => boolean {
  const wanted = wordsOf(selector);
  return (candidate) => {
    const product = (candidate.product ?? '').toLowerCase();
    return wanted.every((word) => product.includes(word));
  };
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
