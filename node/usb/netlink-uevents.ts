// Plugging noticed by the kernel's uevents. What is lost or odd makes the listener look at everything; it never ends.
import type { Socket } from 'node:net';
import { decodeUevent, type Uevent } from '../netlink/uevent.ts';
import type { UeventHandlers, UeventSource } from './uevent-source.ts';

/** Milliseconds before a socket that failed is opened again: first and longest. */
const REOPEN = { first: 100, longest: 10_000 };

/** `openSocket` makes a readable socket that emits one kernel message a chunk; it may throw. */
export function netlinkUevents(openSocket: () => Socket): UeventSource {
  return new NetlinkUevents(openSocket);
}

class NetlinkUevents implements UeventSource {
  readonly #openSocket: () => Socket;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** In a row, without a message in between. */
  #failures = 0;
  #closed = false;

  constructor(openSocket: () => Socket) {
    this.#openSocket = openSocket;
  }

  start(handlers: UeventHandlers): void {
    let reason = 'the uevent socket was closed';
    try {
      const socket = this.#openSocket();
      this.#socket = socket;
      socket.on('data', (bytes: Buffer) => this.#receive(bytes, handlers));
      // ENOBUFS: the kernel dropped events. Node closes a socket at any error, so another takes its place.
      socket.on('error', (error) => {
        reason = error.message;
      });
      socket.on('close', () => this.#reopen(reason, handlers));
    } catch (error) {
      this.#reopen(messageOf(error), handlers);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  #receive(bytes: Uint8Array, handlers: UeventHandlers): void {
    this.#failures = 0;
    let event: Uevent;
    try {
      event = decodeUevent(bytes);
    } catch (error) {
      // The next datagram is whole again, so the socket stays.
      handlers.onGap(messageOf(error));
      return;
    }
    handlers.onEvent(event);
  }

  /** The gap is told when events come again: what changes later is not missed. */
  #reopen(reason: string, handlers: UeventHandlers): void {
    if (this.#closed) return;
    const delay = Math.min(REOPEN.longest, REOPEN.first * 2 ** this.#failures++);
    this.#timer = setTimeout(() => {
      this.start(handlers);
      handlers.onGap(reason);
    }, delay);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
