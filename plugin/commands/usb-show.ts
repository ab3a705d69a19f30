// kubectl virt usb show: its argument and flags.
import type { Verb } from './command.ts';
import { OBJECT_FORMATS } from './object-formats.ts';

export const usbShow: Verb = {
  name: 'show',
  about: 'Show one USB device: what it is, who may use it, who does, and why not',
  arguments: [
    {
      name: 'device',
      kind: 'device',
      about: 'a name or its beginning, vid:pid, serial number, node/busid, or words of the product text',
    },
  ],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Look only among devices that this namespace holds or is offered',
    },
    { name: 'output', short: 'o', kind: 'text', choices: OBJECT_FORMATS, about: 'Output format' },
    { name: 'no-headers', kind: 'switch', about: 'Leave the header line of custom columns out' },
  ],
  examples: [
    ['kubectl virt usb show usb-3f9a12c', 'by the beginning of its name'],
    ['kubectl virt usb show 0951:1666', 'by vendor and product ID'],
    ['kubectl virt usb show "datatraveler 3.0"', 'by words of the product text'],
  ],
  load: async () => (await import('../usb/show.ts')).showDevice,
};
