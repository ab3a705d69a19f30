// A port of the fake vhci_hcd, and its row in the status file.
import type { FakeUsbDevice } from './fake-usb-device.ts';
import type { FakeUsbipKernel } from './fake-usbip-kernel.ts';

export const PORT = { free: 4, notAssigned: 5, used: 6, error: 7 };

export interface FakePort {
  readonly number: number;
  readonly hub: 'hs' | 'ss';
  state: number;
  speed: number;
  devid: number;
  descriptor: number;
  device?: FakeUsbDevice;
  remote?: { readonly kernel: FakeUsbipKernel; readonly busId: string };
}

/** drivers/usb/usbip/vhci_sysfs.c, port_show_vhci. */
export function statusRow({ hub, number, state, speed, devid, descriptor, device }: FakePort): string {
  const pad = (value: number, digits: number, base = 10) => value.toString(base).padStart(digits, '0');
  const head = `${hub}  ${pad(number, 4)} ${pad(state, 3)}`;
  if (state !== PORT.used) return `${head} 000 00000000 000000 0-0`;
  return `${head} ${pad(speed, 3)} ${pad(devid, 8, 16)} ${pad(descriptor, 6)} ${device?.busId ?? '0-0'}`;
}
