// kubectl virt usb unassign: its argument and flags.
import { changeFlags, DEVICE_ARGUMENT } from './change-flags.ts';
import type { Verb } from './command.ts';

export const usbUnassign: Verb = {
  name: 'unassign',
  about: 'Take a USB device back from its namespace',
  arguments: [DEVICE_ARGUMENT],
  flags: changeFlags('60s'),
  examples: [['kubectl virt usb unassign "datatraveler 3.0"', 'by words of the product text']],
  load: async () => (await import('../usb/unassign.ts')).unassignDevice,
};
