// Every address of a lab, derived from small numbers, so that nothing must be looked up.

/** The machine's end of the bridge between the nodes; also their gateway. */
export const GATEWAY = '10.7.0.254';
/** First address of the service range: the API server as pods see it. */
export const SERVICE_ADDRESS = '10.96.0.1';
export const SERVICE_RANGE = '10.96.0.0/16';

/** How many nodes a lab may have. */
export const MAX_NODES = 8;

/** Node names are a, b, c, ... by index from 0. */
export function nodeName(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

export function nodeAddress(index: number): string {
  return `10.7.0.${index + 1}`;
}

export function nodeMac(index: number): string {
  return `52:54:00:00:00:0${index + 1}`;
}

export function podRange(index: number): string {
  return `10.8.${index + 1}.0/24`;
}

/** Link between the machine and the namespace of its n-th lab: 198.18.0.0/15 is reserved for tests of networks. */
export function uplink(lab: number): { name: string; outside: string; inside: string } {
  return { name: `kvlab${lab}`, outside: `198.18.${lab}.1`, inside: `198.18.${lab}.2` };
}
