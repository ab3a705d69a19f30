// The device policy for its users: typed, with the errors of this project. Used by virt-node and by kubectl-virt.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Root } from '../gen/device-policy/device-policy.js';
import type {
  Candidate,
  Decision,
  Device,
  Node,
  Rule,
} from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { openComponent, refusal } from './component.ts';

export type {
  Candidate,
  Decision,
  Device,
  InterfaceTest,
  Node,
  NodeUse,
  Rule,
  SetOperator,
} from '../gen/device-policy/interfaces/virt-device-policy-policy.js';

/** The contract of both functions is in wasm/wit/device-policy/world.wit. Both may throw POLICY_TRAPPED. */
export interface DevicePolicy {
  /** One decision a device, in their order. Throws BAD_POLICY when a rule is bad. */
  judge(devices: readonly Device[], rules: readonly Rule[], node: Node): Decision[];
  /** Indices of the candidates that the selector means, rising. Throws BAD_INPUT when the selector is empty or overlong. */
  select(selector: string, candidates: readonly Candidate[]): number[];
}

/**
 * Loads the policy, in tens of milliseconds: import this only where it is needed.
 * `folder` is where the build put it, with a slash at the end. The default is right for a program that runs from the
 * source tree; a bundle ships the folder beside itself and passes `new URL('./device-policy/', import.meta.url)`.
 */
export async function loadDevicePolicy(
  folder: URL = new URL('../gen/device-policy/', import.meta.url),
): Promise<DevicePolicy> {
  const component = await openComponent<Root>('device-policy', folder);
  return {
    judge: (devices, rules, node) =>
      orRefuse('BAD_POLICY', 'correct the rule and load it again', () =>
        component.call(({ policy }) => policy.judge([...devices], [...rules], node)),
      ),
    select: (selector, candidates) =>
      orRefuse(
        'BAD_INPUT',
        'give a name, vid:pid, serial number, node/busid or words of the product text',
        () => [...component.call(({ policy }) => policy.select(selector, [...candidates]))],
      ),
  };
}

function orRefuse<Answer>(code: 'BAD_POLICY' | 'BAD_INPUT', hint: string, ask: () => Answer): Answer {
  try {
    return ask();
  } catch (error) {
    const reason = refusal(error);
    throw reason === undefined ? error : new TypedError(code, reason, hint, { cause: error });
  }
}
