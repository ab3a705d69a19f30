// The ResourceClaimTemplate beside a USBDevice: from it pods get a claim of exactly this device. Pure.
import { createHash } from 'node:crypto';
import { CLAIM_ANNOTATIONS, DEVICE_CLASS, DRIVER, TEMPLATE_ANNOTATIONS } from '../../proto/api/names.ts';
import type { ResourceClaimTemplate } from '../../proto/api/resource-claim-template.ts';

/** uid and gid of the process of a virtual machine, which opens the device node. */
const OWNER = '64535';

const SUFFIX = '-template';

export function templateName(usbDevice: string): string {
  return `${usbDevice}${SUFFIX}`;
}

/** The USBDevice that a template of this name is for; undefined for other names. */
export function templateSubject(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : undefined;
}

/** `device` is the name in the ResourceSlice. */
export function claimTemplate(
  { namespace, name }: { namespace: string; name: string },
  device: string,
): ResourceClaimTemplate {
  const spec = templateSpec(name, device);
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: {
      namespace,
      name: templateName(name),
      annotations: { [TEMPLATE_ANNOTATIONS.specHash]: specHash(spec) },
    },
    spec,
  };
}

/** The order of the fields is that of the Go types, so that the hash is the one that the former component wrote. */
function templateSpec(usbDevice: string, device: string): ResourceClaimTemplate['spec'] {
  const expression = `device.attributes["${DRIVER}"].name == "${device}"`;
  const exactly = {
    deviceClassName: DEVICE_CLASS,
    selectors: [{ cel: { expression } }],
    allocationMode: 'ExactCount' as const,
    count: 1,
  };
  return {
    metadata: {
      annotations: { [CLAIM_ANNOTATIONS.deviceGroup]: OWNER, [CLAIM_ANNOTATIONS.deviceUser]: OWNER },
    },
    spec: { devices: { requests: [{ name: `req-${usbDevice}`, exactly }] } },
  };
}

function specHash(spec: ResourceClaimTemplate['spec']): string {
  return createHash('md5').update(JSON.stringify(spec)).digest('hex');
}
