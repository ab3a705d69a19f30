// IP addresses and CIDR ranges, as NO_PROXY names them.

function ipv4Bytes(text: string): number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Lets the URL parser do the work: it knows every spelling, and refuses zones, which no server address has. */
function ipv6Bytes(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  // The URL parser leaves hexadecimal groups and at most one "::".
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number(`0x${group}`)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Four or sixteen bytes; an IPv4 address inside IPv6 (::ffff:a.b.c.d) counts as the IPv4 address. */
export function parseIp(text: string): number[] | undefined {
  const bytes = ipv4Bytes(text) ?? ipv6Bytes(text);
  const mapped = bytes?.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  return mapped ? bytes.slice(12) : bytes;
}

export interface IpRange {
  readonly bytes: readonly number[];
  /** How many leading bits an address must share. */
  readonly prefix: number;
}

/** `10.0.0.0/8`, `fd00::/8`; undefined for anything else. */
export function parseIpRange(text: string): IpRange | undefined {
  const [, address = '', length] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const bytes = parseIp(address);
  return bytes && Number(length) <= bytes.length * 8 ? { bytes, prefix: Number(length) } : undefined;
}

export function inIpRange(range: IpRange, address: readonly number[]): boolean {
  if (range.bytes.length !== address.length) return false;
  return address.every((byte, i) => {
    const bits = Math.min(8, Math.max(0, range.prefix - i * 8));
    return (byte ^ (range.bytes[i] ?? 0)) >> (8 - bits) === 0;
  });
}
