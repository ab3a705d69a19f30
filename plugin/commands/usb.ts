// kubectl virt usb: the group of the USB verbs.
import type { Group } from './command.ts';
import { usbAssign } from './usb-assign.ts';
import { usbAttach } from './usb-attach.ts';
import { usbClaim } from './usb-claim.ts';
import { usbDetach } from './usb-detach.ts';
import { usbList } from './usb-list.ts';
import { usbShow } from './usb-show.ts';
import { usbUnassign } from './usb-unassign.ts';

export const usb: Group = {
  name: 'usb',
  about: 'USB devices of all nodes',
  commands: [usbList, usbShow, usbAssign, usbUnassign, usbAttach, usbDetach, usbClaim],
};
