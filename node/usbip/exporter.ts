// The USB/IP server of a node: reads one request a connection and answers it; an import leaves with the connection.
import { createServer, type Server, type Socket } from 'node:net';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Foreground } from '../run/foreground.ts';
import type { Log } from '../run/log.ts';
import { StepTimes } from '../run/step-times.ts';
import type { UsbDevice } from '../usb/device.ts';
import { encodeDeviceListReply } from './device-list-message.ts';
import type { DeviceRecord } from './device-record.ts';
import type { ExportTable } from './export-table.ts';
import { listedDevice } from './exported-record.ts';
import type { Grant, Grants, Peer } from './grants.ts';
import { decodeImportRequestBody, encodeImportReply, IMPORT_REQUEST_BODY_SIZE } from './import-message.ts';
import { RateLimit } from './rate-limit.ts';
import { refusalStatus } from './refusal-status.ts';
import { takeDescriptor } from './socket-descriptor.ts';
import { LIVENESS, type SetSocketOptions } from './socket-options.ts';
import { limitTime, readExactly } from './socket-reader.ts';
import { decodeHeader, HEADER_SIZE, OP } from './wire.ts';

export interface ExporterOptions {
  /** Address to listen on; all when absent. */
  readonly address?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Connections open before hand-over; further ones are closed at once. */
  readonly maxConnections: number;
  readonly table: ExportTable;
  readonly grants: Grants;
  readonly readDevice: (busId: string) => UsbDevice | undefined;
  readonly setSocketOptions: SetSocketOptions;
  readonly foreground: Foreground;
  readonly log: Log;
  /** Milliseconds in which a request must be read, and again in which a reply must be taken. */
  readonly timeLimit?: number;
  /** Connections of one address: at once, and a second in the long run. */
  readonly rate?: { readonly burst: number; readonly perSecond: number };
}

/** Since the start; for metrics. */
export interface ExporterCounts {
  exported: number;
  listed: number;
  /** Imports that were answered with an error status. */
  refused: number;
  /** Requests that were garbage, truncated, or not sent in time. */
  malformed: number;
  /** Connections closed unread, for the limit of connections or of the peer's rate. */
  overLimit: number;
}

/** Milliseconds after hand-over in which the importer's kernel enumerates the device through ours. */
const ENUMERATION = 400;

type Request = { readonly kind: 'import'; readonly busId: string } | { readonly kind: 'list' };

export class Exporter {
  readonly #options: Required<Omit<ExporterOptions, 'address'>> & Pick<ExporterOptions, 'address'>;
  readonly #server: Server;
  readonly #rate: RateLimit;
  readonly #open = new Set<Socket>();
  readonly counts: ExporterCounts = { exported: 0, listed: 0, refused: 0, malformed: 0, overLimit: 0 };

  constructor(options: ExporterOptions) {
    this.#options = { timeLimit: 5000, rate: { burst: 40, perSecond: 10 }, ...options };
    this.#rate = new RateLimit(this.#options.rate.burst, this.#options.rate.perSecond);
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** The port that it listens on. Rejects with BAD_CONFIG when address or port can't be had. */
  listen(): Promise<number> {
    const { address, port, log } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const where = `${address ?? '*'}:${port}`;
        reject(
          new TypedError('BAD_CONFIG', `can't listen on ${where}: ${cause.message}`, undefined, { cause }),
        );
      });
      // Two instances share the port during a rolling update.
      this.#server.listen({ port, reusePort: port !== 0, ...(address && { host: address }) }, () => {
        this.#server.on('error', (err) => log.warn({ err }, 'a connection could not be accepted'));
        const bound = this.#server.address();
        resolve(typeof bound === 'object' && bound ? bound.port : port);
      });
    });
  }

  /** Stops listening and ends what is not handed over; exports live on in the kernel. */
  close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const peer = { address: (socket.remoteAddress ?? '').replace(/^::ffff:/, '') };
    socket.on('error', (err) => this.#options.log.debug({ peer: peer.address, err }, 'connection failed'));
    const { maxConnections } = this.#options;
    if (this.#open.size >= maxConnections || !this.#rate.allow(peer.address, performance.now())) {
      this.counts.overLimit++;
      this.#options.log.debug({ peer: peer.address, open: this.#open.size }, 'connection over the limit');
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    void this.#serve(socket, peer);
  }

  async #serve(socket: Socket, peer: Peer): Promise<void> {
    let request: Request;
    try {
      request = await this.#readRequest(socket, peer);
    } catch (err) {
      this.counts.malformed++;
      this.#options.log.warn({ peer: peer.address, err }, 'bad request');
      socket.destroy();
      return;
    }
    if (request.kind === 'import') await this.#import(socket, request.busId, peer);
    else await this.#list(socket, peer);
  }

  async #readRequest(socket: Socket, peer: Peer): Promise<Request> {
    const inTime = this.#limitTime(socket, `${peer.address} sent no request in time`);
    try {
      const { op } = decodeHeader(await readExactly(socket, HEADER_SIZE));
      if (op === OP.deviceListRequest) return { kind: 'list' };
      if (op !== OP.importRequest) throw new TypedError('PROTOCOL', 'a reply came as a request');
      const body = await readExactly(socket, IMPORT_REQUEST_BODY_SIZE);
      return { kind: 'import', busId: decodeImportRequestBody(body) };
    } finally {
      inTime();
    }
  }

  /** Strangers get an empty list. */
  async #list(socket: Socket, peer: Peer): Promise<void> {
    const { grants, readDevice, table, log } = this.#options;
    const exported = new Set(table.list().map(({ busId }) => busId));
    const granted = await grants.list(peer).catch((err: unknown) => {
      log.warn({ peer: peer.address, err }, 'grants could not be listed');
      return [];
    });
    const devices = granted
      .filter((busId) => !exported.has(busId))
      .flatMap((busId) => readDevice(busId) ?? []);
    this.counts.listed++;
    this.#answer(socket, encodeDeviceListReply(devices.map(listedDevice)));
  }

  async #import(socket: Socket, busId: string, peer: Peer): Promise<void> {
    const { foreground, log } = this.#options;
    const steps = new StepTimes();
    try {
      const { device, grant } = await foreground.run(
        () => steps.collect(() => this.#export(socket, busId, peer)),
        ENUMERATION,
      );
      this.counts.exported++;
      const { device: name, claim } = grant;
      log.info({ peer: peer.address, busId, device: name, claim, steps }, 'device exported');
      // The kernel has the connection, and sends nothing before the importer does, which waits for this.
      socket.write(encodeImportReply({ device }), () => socket.destroy());
    } catch (err) {
      this.counts.refused++;
      log.warn({ peer: peer.address, busId, err }, 'import refused');
      this.#answer(socket, encodeImportReply({ status: refusalStatus(err) }));
    }
  }

  async #export(socket: Socket, busId: string, peer: Peer): Promise<{ device: DeviceRecord; grant: Grant }> {
    const { grants, table, setSocketOptions } = this.#options;
    const grant = await StepTimes.time('grant', () => grants.check(busId, peer));
    const device = await table.export(busId, {
      peer,
      grant,
      assertFree: () => grants.assertFree(grant),
      connection: () => {
        const descriptor = takeDescriptor(socket);
        // From here on only we close it: a number that was free again could name another connection to the kernel.
        this.#open.delete(socket);
        setSocketOptions(descriptor, LIVENESS);
        return descriptor;
      },
    });
    return { device, grant };
  }

  /** Sends a last message; a peer that does not take it in time is cut off. */
  #answer(socket: Socket, message: Buffer): void {
    socket.once('close', this.#limitTime(socket, 'the peer did not take the reply in time'));
    socket.end(message, () => socket.destroy());
  }

  #limitTime(socket: Socket, message: string): () => void {
    return limitTime(socket, this.#options.timeLimit, () => new TypedError('TIMED_OUT', message));
  }
}
