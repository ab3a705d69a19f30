// What `-o json` and `-o yaml` print: USBNodeStatus objects with only the devices in question.
import { USB_NODE_STATUS } from '../../proto/api/names.ts';
import type { UsbNodeStatus } from '../../proto/api/usb-node-status.ts';
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
