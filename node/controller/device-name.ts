// The name of the API objects of a device. Pure.

/** Name of its NodeUSBDevice and USBDevice: a rule of the API that its other clients rely on. */
export function objectNameOf(device: string): string {
  return device.toLowerCase().replaceAll('.', '-');
}
