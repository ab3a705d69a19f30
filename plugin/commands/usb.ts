// kubectl virt usb: the group of the USB verbs.
import type { Group } from './command.ts';
import { usbList } from './usb-list.ts';
import { usbShow } from './usb-show.ts';

export const usb: Group = {
  name: 'usb',
  about: 'USB devices of all nodes',
  commands: [usbList, usbShow],
};
