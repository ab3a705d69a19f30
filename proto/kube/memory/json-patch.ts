// JSON Patch (RFC 6902) on plain JSON values; the given document is never changed.
import { isDeepStrictEqual } from 'node:util';

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A patch that does not apply to this document: a path that is not there, or a failed test. */
export class PatchFailure extends Error {}

type Pointer = readonly string[];
type JsonObject = Readonly<Record<string, unknown>>;

/** Throws PatchFailure; then nothing was applied. */
export function applyJsonPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  return operations.reduce(applyOperation, document);
}

function applyOperation(document: unknown, operation: PatchOperation): unknown {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      return put(document, path, required(operation));
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, required(operation));
    case 'test':
      if (isDeepStrictEqual(valueAt(document, path), operation.value)) return document;
      throw new PatchFailure(`testing value ${operation.path} failed`);
    case 'move': {
      const from = parsePointer(operation.from);
      return put(remove(document, from), path, valueAt(document, from));
    }
    case 'copy':
      return put(document, path, valueAt(document, parsePointer(operation.from)));
    default:
      throw new PatchFailure(`unknown operation ${JSON.stringify(operation)}`);
  }
}

function required(operation: PatchOperation): unknown {
  if (Object.hasOwn(operation, 'value')) return operation.value;
  throw new PatchFailure(`${operation.op} ${operation.path} has no value`);
}

function parsePointer(text: string | undefined): Pointer {
  if (text === '') return [];
  if (!text?.startsWith('/')) throw new PatchFailure(`${JSON.stringify(text)} is not a JSON pointer`);
  const steps = text.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(node: unknown, path: Pointer): unknown {
  return path.reduce(child, node);
}

function child(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return node[indexIn(node, step, node.length - 1)];
  if (isObject(node) && Object.hasOwn(node, step)) return node[step];
  throw new PatchFailure(`missing path at ${JSON.stringify(step)}`);
}

function put(node: unknown, [step, ...rest]: Pointer, value: unknown): unknown {
  if (step === undefined) return value;
  if (rest.length > 0) return withChild(node, step, put(child(node, step), rest, value));
  if (Array.isArray(node)) {
    return node.toSpliced(step === '-' ? node.length : indexIn(node, step, node.length), 0, value);
  }
  return withChild(node, step, value);
}

/** As the API server does it, and unlike the RFC, a member that is not there is added (seen with 1.37). */
function replace(document: unknown, path: Pointer, value: unknown): unknown {
  const parent = valueAt(document, path.slice(0, -1));
  const member = path.at(-1);
  const missing = isObject(parent) && member !== undefined && !Object.hasOwn(parent, member);
  return put(missing ? document : remove(document, path), path, value);
}

function remove(node: unknown, [step, ...rest]: Pointer): unknown {
  // The root is removed on the way to a new one only (replace, move).
  if (step === undefined) return undefined;
  const old = child(node, step);
  if (rest.length > 0) return withChild(node, step, remove(old, rest));
  if (Array.isArray(node)) return node.toSpliced(Number(step), 1);
  return Object.fromEntries(Object.entries(node as JsonObject).filter(([key]) => key !== step));
}

function withChild(node: unknown, step: string, value: unknown): unknown {
  if (Array.isArray(node)) return node.with(indexIn(node, step, node.length - 1), value);
  if (!isObject(node)) throw new PatchFailure(`missing path at ${JSON.stringify(step)}`);
  // fromEntries makes an own property of any name, `__proto__` included.
  return Object.fromEntries([...Object.entries(node), [step, value]]);
}

function indexIn(array: readonly unknown[], step: string, last: number): number {
  if (/^(0|[1-9]\d*)$/.test(step) && Number(step) <= last) return Number(step);
  throw new PatchFailure(`no index ${JSON.stringify(step)} in an array of ${array.length}`);
}

function isObject(node: unknown): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
