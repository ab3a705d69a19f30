// The selector of the device policy: one place decides what a person means, in the cluster and on the command line.
import { loadDevicePolicy } from '../../wasm/host/device-policy.ts';
import type { Select } from './host.ts';

/** Set by plugin/build.ts: the bundle has the policy in a folder beside itself. */
declare const BUNDLED: true | undefined;

export async function loadSelect(): Promise<Select> {
  const folder = typeof BUNDLED === 'undefined' ? undefined : new URL('./device-policy/', import.meta.url);
  const policy = await loadDevicePolicy(folder);
  return (selector, candidates) => policy.select(selector, candidates);
}
