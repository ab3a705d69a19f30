// kubectl virt usb attach: its arguments and flags.
import { changeFlags, DEVICE_ARGUMENT } from './change-flags.ts';
import type { Verb } from './command.ts';

export const usbAttach: Verb = {
  name: 'attach',
  about: 'Attach a USB device to a virtual machine, and wait until the guest has it',
  arguments: [DEVICE_ARGUMENT, { name: 'vm', kind: 'vm', about: 'NAME, NAME.NAMESPACE or vm/NAME' }],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Namespace of the virtual machine',
    },
    {
      name: 'assign',
      kind: 'switch',
      about: 'Assign the device to the namespace when it is assigned to none',
    },
    ...changeFlags('120s'),
  ],
  examples: [
    ['kubectl virt usb attach 0951:1666 web.lab', 'to the virtual machine web of namespace lab'],
    ['kubectl virt usb attach E0D55EA5741 web --assign', 'by serial number, assigned on the way'],
  ],
  load: async () => (await import('../usb/attach.ts')).attachDevice,
};
