// kubectl virt usb assign: its argument and flags.
import { changeFlags, DEVICE_ARGUMENT } from './change-flags.ts';
import type { Verb } from './command.ts';

export const usbAssign: Verb = {
  name: 'assign',
  about: 'Give a USB device to a namespace, whose virtual machines and pods may then use it',
  arguments: [DEVICE_ARGUMENT],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Namespace that gets the device; required',
    },
    {
      name: 'approve-change',
      kind: 'switch',
      about: 'The device that is plugged in now is the right one, though it is not the one that was assigned',
    },
    ...changeFlags('60s'),
  ],
  examples: [
    ['kubectl virt usb assign 0951:1666 -n lab', 'by vendor and product ID'],
    ['kubectl virt usb assign usb-3f9a12c -n lab --approve-change', 'after its firmware was updated'],
  ],
  load: async () => (await import('../usb/assign.ts')).assignDevice,
};
