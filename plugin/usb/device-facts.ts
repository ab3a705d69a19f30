// What is known about the hardware of a device, also while it is not plugged: then from its assignment.
import type { DeviceRow } from './device-row.ts';

export interface DeviceFacts {
  readonly vendorID: string;
  readonly productID: string;
  readonly product?: string | undefined;
  readonly serial?: string | undefined;
  /** Mb/s. */
  readonly speed?: number | undefined;
}

/** Undefined when nothing but its name is known. The node's own report comes first: it is of now. */
export function deviceFacts({ device, assignment }: DeviceRow): DeviceFacts | undefined {
  if (device) return device;
  const { attributes } = assignment?.nodeUsbDevice?.status ?? assignment?.usbDevice?.status ?? {};
  const { vendorID, productID, product, serial, speed } = attributes ?? {};
  if (vendorID === undefined || productID === undefined) return undefined;
  return { vendorID, productID, product, serial, speed };
}
