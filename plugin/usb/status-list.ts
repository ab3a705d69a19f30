// What `-o json` and `-o yaml` print: USBNodeStatus objects with only the devices in question.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { USB_NODE_STATUS } from '../../proto/api/names.ts';
import type { DeviceRow } from './device-row.ts';
import { deviceKey } from './hold.ts';

export interface StatusList {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly metadata: { readonly resourceVersion: '' };
  readonly items: readonly UsbNodeStatus[];
}

/** Nodes that have nothing to do with any of the devices (`deviceKey`s) are left out. */
export function statusList(statuses: readonly UsbNodeStatus[], keys: ReadonlySet<string>): StatusList {
  const items = statuses
    .map((status) => reduceStatus(status, keys))
    .filter(
      ({ status }) => status && status.devices.length + status.attachments.length + status.exports.length > 0,
    );
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items };
}

/** The report of the device's node with nothing but this device: its object in `usb show`, columns and orders. */
export function deviceObject(
  { node, name }: Pick<DeviceRow, 'node' | 'name'>,
  statuses: readonly UsbNodeStatus[],
): UsbNodeStatus {
  const report = statuses.find(({ metadata }) => metadata.name === node) ?? { metadata: { name: node } };
  return reduceStatus(report, new Set([deviceKey(node, name)]));
}

/** The object with only the devices, attachments and exports of `keys`. */
export function reduceStatus({ metadata, status }: UsbNodeStatus, keys: ReadonlySet<string>): UsbNodeStatus {
  const typed = {
    apiVersion: `${USB_NODE_STATUS.group}/${USB_NODE_STATUS.version}`,
    kind: USB_NODE_STATUS.kind,
    metadata,
  };
  if (!status) return typed;
  return {
    ...typed,
    status: {
      ...status,
      devices: status.devices.filter(({ name }) => keys.has(deviceKey(metadata.name, name))),
      attachments: status.attachments.filter(({ pool, device }) => keys.has(deviceKey(pool, device))),
      exports: status.exports.filter(({ device }) => keys.has(deviceKey(metadata.name, device))),
    },
  };
}
