// The port to kernel uevents: what tells the agent that the set of devices may have changed.
import type { Uevent } from '../netlink/uevent.ts';

/** devpath of an event that only says that some USB device has changed. */
export const ANY_USB_DEVICE = '/bus/usb';

export interface UeventHandlers {
  /** A decoded event. */
  onEvent(event: Uevent): void;
  /** Events were lost or could not be decoded: the listener must look at everything again. */
  onGap(reason: string): void;
}

/** Delivers events until closed; the source repairs itself and never ends on its own. */
export interface UeventSource {
  start(handlers: UeventHandlers): void;
  close(): void;
}
