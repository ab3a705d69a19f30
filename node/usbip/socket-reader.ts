// Reads messages of known size from a socket, and not one byte that belongs to what comes after them.
import type { Socket } from 'node:net';
import { TypedError } from '../../proto/api/typed-error.ts';

/**
 * Exactly `length` bytes. PROTOCOL when the connection ends before; an error that the socket was destroyed with is
 * passed on, which is how a time limit ends a read.
 */
export async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = length; left > 0; ) {
    // What is there is taken at once: with bytes left over the stream would say "readable" again without end. With
    // nothing there, asking for a byte is what makes the stream notice its end.
    const chunk: Buffer | null = socket.read(Math.min(left, socket.readableLength) || 1);
    if (chunk) {
      chunks.push(chunk);
      left -= chunk.length;
    } else if (socket.readableEnded || socket.destroyed) {
      throw (
        socket.errored ??
        new TypedError('PROTOCOL', `the connection ended ${left} bytes before a message did`)
      );
    } else await readable(socket);
  }
  return Buffer.concat(chunks);
}

/** Until there is more to read, the stream has ended, or it failed. */
function readable(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      for (const event of ['readable', 'end', 'close', 'error']) socket.removeListener(event, settle);
      if (error instanceof Error) reject(error);
      else resolve();
    };
    for (const event of ['readable', 'end', 'close', 'error']) socket.once(event, settle);
  });
}

/**
 * Destroys the socket with `error` after `ms` milliseconds, unless the returned function is called before: it bounds
 * reading and writing alike, however slowly the peer goes on.
 */
export function limitTime(socket: Socket, ms: number, error: () => TypedError): () => void {
  const timer = setTimeout(() => socket.destroy(error()), ms).unref();
  return () => clearTimeout(timer);
}
