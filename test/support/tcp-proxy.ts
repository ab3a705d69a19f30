// A TCP proxy between a client and a server that a test cuts, stalls or slows down; it understands nothing of TLS.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export class TcpProxy {
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  /** Pending while nothing may pass. */
  #flowing: Promise<void> = Promise.resolve();
  #flow: () => void = () => undefined;
  #dripping = false;
  /** Bytes of answers that still pass before the connection is cut; undefined: all. */
  #allowance: number | undefined;

  private constructor(listener: Server) {
    this.#listener = listener;
  }

  static async to(host: string, port: number): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener);
    listener.on('connection', (client: Socket) => proxy.#join(client, connect(port, host)));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Closes all connections that are open; new ones are served. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on no byte passes, in either direction; connections stay open. */
  stall(): void {
    ({ promise: this.#flowing, resolve: this.#flow } = Promise.withResolvers<void>());
  }

  /** Ends a stall; what waited passes now. */
  flow(): void {
    this.#flow();
  }

  /** From now on answers come byte by byte. */
  drip(): void {
    this.#dripping = true;
  }

  /** Cuts the connection on which the answer arrives of which `bytes` have passed; once. */
  cutAnswerAfter(bytes: number): void {
    this.#allowance = bytes;
  }

  async close(): Promise<void> {
    this.cut();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroySoon();
      });
    }
    void pump(client, async (part) => {
      await this.#flowing;
      server.write(part);
    });
    void pump(server, (part) => this.#answer(client, part));
  }

  async #answer(client: Socket, part: Buffer): Promise<void> {
    await this.#flowing;
    const passing = part.subarray(0, this.#allowance);
    if (this.#allowance !== undefined) this.#allowance -= passing.length;
    if (!this.#dripping) client.write(passing);
    else
      for (const byte of passing) {
        client.write(Uint8Array.of(byte));
        await nextTurn();
      }
    if (this.#allowance !== 0) return;
    this.#allowance = undefined;
    client.destroySoon();
  }
}

async function pump(from: Socket, pass: (part: Buffer) => Promise<void>): Promise<void> {
  try {
    for await (const part of from) await pass(part as Buffer);
  } catch {
    // Cut: the other side is closed by the close of this one.
  }
}
