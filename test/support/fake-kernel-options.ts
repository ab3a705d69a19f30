// What a simulated kernel is like: its version, its ports, how long it takes for things.
import { fstatSync } from 'node:fs';

export interface FakeKernelOptions {
  readonly release?: string;
  readonly controllers?: number;
  readonly portsPerHub?: number;
  readonly modules?: readonly ('usbip-host' | 'vhci-hcd')[];
  /** Milliseconds from attach to address, from reset to available, and from usb-storage to its disk. */
  readonly enumerationDelay?: number;
  readonly resetDelay?: number;
  readonly diskDelay?: number;
  /** Whether a descriptor is a socket of the writer; by default the writer is this process. */
  readonly isSocket?: (descriptor: number) => boolean;
  /** False: no scsi_generic nodes. */
  readonly sg?: boolean;
}

export const FAKE_KERNEL: Required<FakeKernelOptions> = {
  release: '6.12.0',
  controllers: 1,
  portsPerHub: 8,
  modules: ['usbip-host', 'vhci-hcd'],
  enumerationDelay: 1,
  resetDelay: 1,
  diskDelay: 5,
  isSocket,
  sg: true,
};

function isSocket(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket();
  } catch {
    return false;
  }
}
