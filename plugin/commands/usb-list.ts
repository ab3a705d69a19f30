// kubectl virt usb list: its flags.
import type { Verb } from './command.ts';
import { OBJECT_FORMATS } from './object-formats.ts';

export const usbList: Verb = {
  name: 'list',
  about: 'List the USB devices of all nodes and who uses them',
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Only devices that this namespace holds or is offered; without it, all',
    },
    { name: 'all-namespaces', short: 'A', kind: 'switch', about: 'All devices, also when -n is given' },
    {
      name: 'output',
      short: 'o',
      kind: 'text',
      choices: ['table', 'wide', ...OBJECT_FORMATS],
      about: 'Output format',
    },
    {
      name: 'sort-by',
      kind: 'text',
      about: 'Path of the field to sort by, in the object of each device, e.g. .status.devices[*].product',
    },
    { name: 'no-headers', kind: 'switch', about: 'Leave the header line out' },
    { name: 'watch', short: 'w', kind: 'switch', about: 'Go on and print each device that changes' },
  ],
  examples: [
    ['kubectl virt usb list -o wide', 'with port, class, transport and policy rule'],
    [`kubectl virt usb list -o jsonpath='{..serial}'`, 'the serial numbers'],
    ['kubectl virt usb list -n lab -w', 'follow the devices of one namespace'],
  ],
  load: async () => (await import('../usb/list.ts')).listDevices,
};
