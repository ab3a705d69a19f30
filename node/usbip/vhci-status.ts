// The ports of the kernel's virtual USB controllers, as the `status` files of vhci_hcd tell them.

/** enum usbip_device_status, the part that ports use (drivers/usb/usbip/usbip_common.h). */
export const PORT_STATE = { free: 4, notAssigned: 5, used: 6, error: 7 } as const;

export interface VhciPort {
  /** Numbered through all controllers. */
  readonly port: number;
  /** `hs` takes low, full and high speed; `ss` takes super speed. */
  readonly hub: 'hs' | 'ss';
  /** One of PORT_STATE. The fields below are told only while it is `used`, that is once there is an address. */
  readonly state: number;
  /** busnum << 16 | devnum on the owner; 0 while not told. */
  readonly devid: number;
  /** Bus id on this node. */
  readonly localBusId?: string;
}

/** `hub port sta spd dev sockfd local_busid`; the hub column exists since Linux 4.13. */
const ROW = /^(hs|ss)\s+(\d+)\s+(\d+)\s+\d+\s+([0-9a-f]{8})\s+\S+\s+(\S+)$/;

/** The ports of one status file; its headline and lines of any other form are no ports. */
export function parseVhciStatus(text: string): VhciPort[] {
  return text.split('\n').flatMap((line) => {
    const [, hub, port, state, devid = '', busId = ''] = ROW.exec(line.trim()) ?? [];
    if (hub !== 'hs' && hub !== 'ss') return [];
    const used = Number(state) === PORT_STATE.used;
    return {
      port: Number(port),
      hub,
      state: Number(state),
      devid: Number.parseInt(devid, 16),
      ...(used && { localBusId: busId }),
    };
  });
}
