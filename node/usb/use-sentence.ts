// What the node does with a device, in words. Pure.
import type { NodeUse } from './node-use.ts';

/** `sda1 on /mnt is mounted`; undefined when the node does nothing with it. */
export function useSentence({ mounts, swaps, holders, networkUp }: NodeUse): string | undefined {
  const parts = [
    ...mounts.map((mount) => `${mount} is mounted`),
    ...swaps.map((name) => `${name} is swap`),
    ...holders.map((holder) => `held: ${holder}`),
    ...networkUp.map((name) => `network interface ${name} is up`),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}
