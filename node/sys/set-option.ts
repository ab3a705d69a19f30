// setsockopt(2) for the many options that are one int.
import { endianness } from 'node:os';
import { callFailed } from './call-failed.ts';
import { libc } from './libc.ts';

export const SOL_SOCKET = 1;

/** Throws TypedError KERNEL. */
export function setOption(descriptor: number, level: number, name: number, value: number): void {
  if (!trySetOption(descriptor, level, name, value)) {
    throw callFailed(`setsockopt(${level}, ${name}, ${value})`);
  }
}

/** False when the kernel refuses. */
export function trySetOption(descriptor: number, level: number, name: number, value: number): boolean {
  const bytes = Buffer.alloc(4);
  if (endianness() === 'LE') bytes.writeInt32LE(value);
  else bytes.writeInt32BE(value);
  return libc().setsockopt(descriptor, level, name, bytes, bytes.length) === 0;
}
