// Two descriptors of one connection inside the kernel.
import { callFailed } from './call-failed.ts';
import { libc } from './libc.ts';

const AF_UNIX = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOCK_NONBLOCK = 0o4000;
const TYPES = { stream: 1, datagram: 2 };

/** Non-blocking, closed on exec; the caller closes both. Throws TypedError KERNEL. */
export function socketPair(type: keyof typeof TYPES): [number, number] {
  const pair: [number, number] = [-1, -1];
  if (libc().socketpair(AF_UNIX, TYPES[type] | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0) {
    throw callFailed('socketpair');
  }
  return pair;
}
