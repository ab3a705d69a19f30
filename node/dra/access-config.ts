// How a request wants its device: the opaque configuration USBAccess of the claim or of its class. Pure.
import { ACCESS_CONFIG, DRIVER } from '../../proto/api/names.ts';
import type { AllocatedConfig } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { AccessMode } from './device-access.ts';

const EXAMPLE = JSON.stringify({ ...ACCESS_CONFIG, mode: 'usbfs' });

function bad(what: string): TypedError {
  return new TypedError('BAD_INPUT', `claim configuration for ${DRIVER}: ${what}`, `give e.g. ${EXAMPLE}`);
}

function readMode(parameters: Record<string, unknown>): AccessMode {
  const { apiVersion, kind, mode, ...rest } = parameters;
  if (apiVersion !== ACCESS_CONFIG.apiVersion || kind !== ACCESS_CONFIG.kind) {
    throw bad(`unknown kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`);
  }
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw bad(`unknown field ${JSON.stringify(unknown)}`);
  if (mode !== 'usbfs' && mode !== 'driver') {
    throw bad(`mode is ${JSON.stringify(mode)}, it must be usbfs or driver`);
  }
  return mode;
}

/** A configuration without requests is for all; `main` covers its sub-requests `main/...`. */
function appliesTo(config: AllocatedConfig, request: string): boolean {
  const { requests = [] } = config;
  return (
    requests.length === 0 || requests.includes(request) || requests.includes(request.split('/')[0] ?? '')
  );
}

/**
 * The access mode of one request; `usbfs` when nothing is configured. The claim wins over the class, and of several
 * the last wins (the API lists them from lowest to highest precedence). Throws BAD_INPUT for what is not understood.
 */
export function accessMode(configs: readonly AllocatedConfig[], request: string): AccessMode {
  let mode: AccessMode = 'usbfs';
  for (const source of ['FromClass', 'FromClaim'] as const) {
    for (const config of configs) {
      if (config.source !== source || config.opaque?.driver !== DRIVER || !appliesTo(config, request))
        continue;
      mode = readMode(config.opaque.parameters);
    }
  }
  return mode;
}
