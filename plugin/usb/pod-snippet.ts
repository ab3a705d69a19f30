// A pod that uses a device: what `usb claim` prints.
import { ACCESS_CONFIG, DEVICE_CLASS, DRIVER, FREE_CLAIMS_LABEL } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { objectNameOf } from './assignment.ts';
import { whyBlocked, whyElsewhere } from './change/device-refusal.ts';
import type { DeviceRow } from './device-row.ts';

export interface PodSnippet {
  readonly objects: readonly object[];
  /** What else it takes. */
  readonly notes: readonly string[];
}

/** Name of the claim inside the pod. */
const CLAIM = 'usb';

/**
 * `usbfs` uses the template of the device's namespace. `driver` brings a claim of its own, because the access mode is
 * part of a claim and the template has the default one. `namespace` is what the person expects; undefined: that of the
 * device. Throws DEVICE_BLOCKED, CONFLICT, and NOT_FOUND for a device that is not assigned.
 */
export function podObjects(
  row: DeviceRow,
  namespace: string | undefined,
  mode: 'usbfs' | 'driver',
): PodSnippet {
  const owner = row.assignment?.namespace;
  const place = namespace ?? owner;
  if (owner === undefined || place === undefined) throw notAssigned(row, namespace);
  const refusal = whyElsewhere(row, place) ?? whyBlocked(row, place);
  if (refusal) throw refusal;
  const device = objectNameOf(row.name);
  if (mode === 'usbfs')
    return { objects: [podOf(place, { resourceClaimTemplateName: `${device}-template` })], notes: [] };
  return {
    objects: [claimOf(row, place, device), podOf(place, { resourceClaimName: device })],
    notes: [
      `claims of one's own are admitted only in namespaces with the label ${FREE_CLAIMS_LABEL}=true; ` +
        `an administrator sets it: kubectl label namespace ${place} ${FREE_CLAIMS_LABEL}=true`,
    ],
  };
}

function notAssigned({ name }: DeviceRow, namespace: string | undefined): TypedError {
  return new TypedError(
    'NOT_FOUND',
    `${name} is assigned to no namespace, so there is no template to claim it with`,
    `an administrator assigns it: kubectl virt usb assign ${name} -n ${namespace ?? 'NAMESPACE'}`,
  );
}

function podOf(namespace: string, source: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'usb-example', namespace },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sleep', 'infinity'],
          resources: { claims: [{ name: CLAIM }] },
        },
      ],
      resourceClaims: [{ name: CLAIM, ...source }],
    },
  };
}

function claimOf({ name }: DeviceRow, namespace: string, device: string): object {
  const request = `req-${device}`;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: device, namespace },
    spec: {
      devices: {
        requests: [
          {
            name: request,
            exactly: {
              deviceClassName: DEVICE_CLASS,
              selectors: [
                { cel: { expression: `device.attributes["${DRIVER}"].name == ${JSON.stringify(name)}` } },
              ],
            },
          },
        ],
        config: [
          {
            requests: [request],
            opaque: { driver: DRIVER, parameters: { ...ACCESS_CONFIG, mode: 'driver' } },
          },
        ],
      },
    },
  };
}
