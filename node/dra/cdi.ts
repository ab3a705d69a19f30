// The CDI files that the container runtime applies: one common to all claims, and one a claim. Pure.
import { CDI_KIND, DRIVER } from '../../proto/api/names.ts';
import type { DeviceNode } from '../usb/device.ts';
import type { UsableDevice } from './device-access.ts';
import type { DeviceOwner } from './device-owner.ts';

export interface CdiDeviceNode {
  path: string;
  type: 'c' | 'b';
  major: number;
  minor: number;
  permissions: string;
  fileMode: number;
  uid?: number;
  gid?: number;
}

export interface CdiSpec {
  cdiVersion: string;
  kind: string;
  devices: { name: string; containerEdits: { env: string[]; deviceNodes?: CdiDeviceNode[] } }[];
}

/** The lowest version in which a device name may begin with a digit, as claim uids do (CDI SPEC.md, 0.5.0). */
const CDI_VERSION = '0.5.0';

const COMMON = 'common';

/** What the kubelet hands to the runtime: common environment first, then the device itself. */
export const COMMON_CDI_ID = `${CDI_KIND}=${COMMON}`;

/** Claim uids are never used again, so a runtime that cached an old file cannot apply it to a new claim. */
function cdiName(claimUid: string, device: string): string {
  return `${claimUid}-${device}`;
}

export function cdiId(claimUid: string, device: string): string {
  return `${CDI_KIND}=${cdiName(claimUid, device)}`;
}

/** `BBB:DDD`, as in the attribute and annotation of the same name. */
export function usbAddress({ busNumber, deviceNumber }: UsableDevice): string {
  return [busNumber, deviceNumber].map((n) => String(n).padStart(3, '0')).join(':');
}

export function commonCdiSpec(nodeName: string): CdiSpec {
  const env = [`DRA_RESOURCE_DRIVER_NAME=${DRIVER}`, `KUBERNETES_NODE_NAME=${nodeName}`];
  return { cdiVersion: CDI_VERSION, kind: CDI_KIND, devices: [{ name: COMMON, containerEdits: { env } }] };
}

/** The variables of the component that we replace: names hold hyphens, so programs read them, shells cannot. */
function environment(claimUid: string, device: string, usable: UsableDevice): string[] {
  const uid = claimUid.toUpperCase();
  const name = device.toUpperCase();
  return [
    `DRA_USB_${device.replace(/^usb-/, '')}_RESOURCE_CLAIM=${claimUid}`,
    `DRA_USB_CLAIM_UID_${uid}=${claimUid}`,
    `DRA_USB_DEVICE_NAME_${name}=${device}`,
    `DRA_USB_CLAIM_UID_${uid}_DEVICE_NAME=${device}`,
    `DRA_USB_${name}_DEVICE_PATH=${usable.nodes[0]?.path ?? ''}`,
    `DRA_USB_${name}_BUS_DEVICENUMBER=${usbAddress(usable)}`,
  ];
}

/** `m` lets the container make the node, which runtimes that fill /dev by mknod need. */
function cdiNode({ path, type, major, minor }: DeviceNode, owner: DeviceOwner): CdiDeviceNode {
  return { path, type, major, minor, permissions: 'mrw', fileMode: 0o660, ...owner };
}

export function claimCdiSpec(
  claimUid: string,
  owner: DeviceOwner,
  devices: readonly { readonly device: string; readonly usable: UsableDevice }[],
): CdiSpec {
  return {
    cdiVersion: CDI_VERSION,
    kind: CDI_KIND,
    devices: devices.map(({ device, usable }) => ({
      name: cdiName(claimUid, device),
      containerEdits: {
        env: environment(claimUid, device, usable),
        deviceNodes: usable.nodes.map((node) => cdiNode(node, owner)),
      },
    })),
  };
}

/** The usbfs nodes in a claim's file, as far as the text is one: what a claim has when its checkpoint is lost. */
export function usbfsNodes(text: string): string[] {
  try {
    const { devices } = JSON.parse(text) as CdiSpec;
    return devices.flatMap(({ containerEdits }) => containerEdits.deviceNodes?.[0]?.path ?? []);
  } catch {
    return [];
  }
}
