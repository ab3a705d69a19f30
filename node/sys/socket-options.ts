// Options of a TCP socket that Node does not set: what keeps a USB/IP connection from outliving its peer.
import type { SocketOptions } from '../usbip/socket-options.ts';
import { SOL_SOCKET, setOption } from './set-option.ts';

/** Numbers of asm-generic/socket.h and linux/tcp.h, the same on x86-64 and arm64. */
const SO_KEEPALIVE = 9;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const TCP_KEEPIDLE = 4;
const TCP_KEEPINTVL = 5;
const TCP_USER_TIMEOUT = 18;

/**
 * Turns keepalive on. There is no count of probes: TCP_USER_TIMEOUT takes its place (tcp(7)). Throws TypedError KERNEL.
 */
export function setSocketOptions(descriptor: number, options: SocketOptions): void {
  setOption(descriptor, IPPROTO_TCP, TCP_NODELAY, options.noDelay ? 1 : 0);
  setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  setOption(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, options.keepAlive.idle);
  setOption(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, options.keepAlive.interval);
  setOption(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, options.userTimeout);
}
