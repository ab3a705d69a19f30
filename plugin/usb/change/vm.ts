// Virtual machines as people name them, and as they are named to people.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { editDistance } from '../../run/nearest.ts';
import type { ObjectAddress } from './step.ts';

/** What a person wrote; without a namespace, that of the context is meant. */
export interface VmName {
  readonly name: string;
  readonly namespace?: string;
}

const SHOWN_NEAR = 3;

/**
 * Reads `name`, `vm/name`, `name.namespace`, `vm/name.namespace`. A namespace has no dot, so the last one divides.
 * `flag` is that of -n; throws USAGE when the two differ, and for an empty part.
 */
export function parseVm(text: string, flag: string | undefined): VmName {
  const [, path = ''] = /^(?:vm\/)?(.*)$/s.exec(text) ?? [];
  const dot = path.lastIndexOf('.');
  const [name, own] = dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
  if (name === '' || own === '' || name.includes('/')) {
    throw new TypedError(
      'USAGE',
      `${JSON.stringify(text)} names no virtual machine`,
      'give its name, NAME.NAMESPACE or vm/NAME',
    );
  }
  if (own !== undefined && flag !== undefined && own !== flag) {
    throw new TypedError(
      'USAGE',
      `${JSON.stringify(text)} is not in namespace ${flag}`,
      'leave one of the two out',
    );
  }
  const namespace = own ?? flag;
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** Throws NOT_FOUND with the nearest names. `vms` are those of `namespace`. */
export function findVm(name: string, namespace: string, vms: readonly VirtualMachine[]): VirtualMachine {
  const vm = vms.find(({ metadata }) => metadata.name === name);
  if (vm) return vm;
  const near = nearNames(
    name,
    vms.map(({ metadata }) => metadata.name),
  );
  throw new TypedError(
    'NOT_FOUND',
    `there is no virtual machine ${JSON.stringify(name)} in namespace ${namespace}`,
    near.length > 0
      ? `the nearest ones are: ${near.join(', ')}`
      : `see: kubectl get virtualmachines -n ${namespace}`,
  );
}

/** `vm/web.lab`, which can be typed as it is. */
export function vmText({ metadata }: VirtualMachine): string {
  return `vm/${metadata.name}.${metadata.namespace}`;
}

/** Where its list is kept. */
export function vmObject({ metadata }: VirtualMachine): ObjectAddress {
  const { name, namespace = '' } = metadata;
  return { type: RESOURCE_TYPES.virtualMachines, key: { namespace, name } };
}

/** Part of a name counts as near, too: people shorten. */
function nearNames(name: string, names: readonly string[]): string[] {
  return names
    .map((other) => ({ other, distance: other.includes(name) ? 0 : editDistance(name, other) }))
    .filter(({ distance }) => distance <= name.length / 2)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN_NEAR)
    .map(({ other }) => other);
}
