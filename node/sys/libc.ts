// The C library's functions that Node does not offer, by koffi. Every file of this folder calls the kernel through it.
import { createRequire } from 'node:module';
import { TypedError } from '../../proto/api/typed-error.ts';

/** Every call answers like its namesake in section 2 of the manual: below 0 for an error, then `errno` says which. */
export interface Libc {
  socket(family: number, type: number, protocol: number): number;
  bind(descriptor: number, address: Uint8Array, length: number): number;
  setsockopt(descriptor: number, level: number, name: number, value: Uint8Array, length: number): number;
  socketpair(family: number, type: number, protocol: number, pair: [number, number]): number;
  dup3(from: number, to: number, flags: number): number;
  close(descriptor: number): number;
  flock(descriptor: number, operation: number): number;
  errno(): number;
}

let loaded: Libc | undefined;

/** Loaded at the first call, because koffi takes some 150 ms that many commands need not pay. Throws KERNEL. */
export function libc(): Libc {
  loaded ??= load();
  return loaded;
}

function load(): Libc {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    // The process itself, whose C library is known by other names with musl.
    const library = koffi.load(null);
    return {
      socket: library.func('int socket(int, int, int)'),
      bind: library.func('int bind(int, const uint8_t *, uint32_t)'),
      setsockopt: library.func('int setsockopt(int, int, int, const uint8_t *, uint32_t)'),
      socketpair: library.func('int socketpair(int, int, int, _Out_ int *)'),
      dup3: library.func('int dup3(int, int, int)'),
      close: library.func('int close(int)'),
      flock: library.func('int flock(int, int)'),
      errno: () => koffi.errno(),
    };
  } catch (cause) {
    throw new TypedError(
      'KERNEL',
      'cannot load koffi, which calls the C library',
      'Install the package with its native part for this platform.',
      { cause },
    );
  }
}
