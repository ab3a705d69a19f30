// The exporter's address as a node annotation holds it: host:port, IPv6 in brackets. Pure.
import { isIP } from 'node:net';

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export function formatPeerAddress({ host, port }: PeerAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Undefined for text that is no address. */
export function parsePeerAddress(text: string): PeerAddress | undefined {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain;
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return bracketed !== undefined && isIP(bracketed) !== 6 ? undefined : { host, port };
}
