// The descriptor number of a socket, for the kernel to take over: the only file that looks inside net.Socket.
import type { Socket } from 'node:net';
import { TypedError } from '../../proto/api/typed-error.ts';

/** The part of libuv's TCP handle that net.Socket keeps in `_handle`; there is no public way to it. */
interface TcpHandle {
  readonly fd: number;
  reading: boolean;
  readStop(): number;
}

/**
 * Stops reading and returns the descriptor. The kernel takes its own reference when the number is written to
 * `usbip_sockfd` or `attach`; call `socket.destroy()` after that, which closes ours, and never `end()`, which would
 * shut the connection down for both. That Node.js sets O_NONBLOCK does not matter: the kernel's threads ask for a
 * blocking transfer themselves. PROTOCOL when the peer has sent more than was asked for, as those bytes would be
 * missing in the kernel's stream; PEER_UNREACHABLE when the connection has ended.
 */
export function takeDescriptor(socket: Socket): number {
  const handle = (socket as unknown as { _handle: TcpHandle | null })._handle;
  if (!handle || socket.destroyed || handle.fd < 0) {
    throw new TypedError('PEER_UNREACHABLE', 'the connection ended before hand-over');
  }
  socket.pause();
  handle.readStop();
  handle.reading = false;
  if (socket.readableLength > 0) {
    throw new TypedError('PROTOCOL', `${socket.readableLength} bytes beyond the message before hand-over`);
  }
  return handle.fd;
}
