// What both ends set on a connection before the kernel takes it over; options stay with the socket.

export interface SocketOptions {
  readonly noDelay: boolean;
  /** Seconds before the first probe and between probes. */
  readonly keepAlive: { readonly idle: number; readonly interval: number };
  /** TCP_USER_TIMEOUT in milliseconds. */
  readonly userTimeout: number;
}

/** The port to setsockopt(2). Throws TypedError KERNEL. */
export type SetSocketOptions = (descriptor: number, options: SocketOptions) => void;

/**
 * A dead peer is given up 8 s after the first byte or probe that it did not acknowledge, so that its device is free
 * within 10 s; a cut of 4 s survives. The user timeout is needed beside keepalive, which never fires while data is
 * unacknowledged (tcp(7)).
 */
export const LIVENESS: SocketOptions = {
  noDelay: true,
  keepAlive: { idle: 2, interval: 1 },
  userTimeout: 8000,
};
