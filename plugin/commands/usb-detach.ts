// kubectl virt usb detach: its arguments and flags.
import { changeFlags, DEVICE_ARGUMENT } from './change-flags.ts';
import type { Verb } from './command.ts';

export const usbDetach: Verb = {
  name: 'detach',
  about: 'Detach a USB device from its virtual machine',
  arguments: [
    DEVICE_ARGUMENT,
    {
      name: 'vm',
      kind: 'vm',
      optional: true,
      about: 'NAME, NAME.NAMESPACE or vm/NAME; without it, the one that has the device',
    },
  ],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Namespace of the virtual machine',
    },
    ...changeFlags('60s'),
  ],
  examples: [['kubectl virt usb detach 0951:1666', 'from whichever virtual machine has it']],
  load: async () => (await import('../usb/detach.ts')).detachDevice,
};
