// kubectl virt usb list: its flags.
import type { Verb } from './command.ts';

export const usbList: Verb = {
  name: 'list',
  about: 'List the USB devices of all nodes and who uses them',
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      about: 'Only devices that this namespace holds or is offered; without it, all',
    },
    { name: 'all-namespaces', short: 'A', kind: 'switch', about: 'All devices, also when -n is given' },
    {
      name: 'output',
      short: 'o',
      kind: 'text',
      choices: ['table', 'wide', 'json', 'yaml', 'name'],
      about: 'Output format',
    },
    { name: 'no-headers', kind: 'switch', about: 'Leave the header line out' },
    { name: 'watch', short: 'w', kind: 'switch', about: 'Go on and print each device that changes' },
  ],
  examples: [
    ['kubectl virt usb list -o wide', 'with port, class, transport and policy rule'],
    ['kubectl virt usb list -n lab -w', 'follow the devices of one namespace'],
  ],
  load: async () => (await import('../usb/list.ts')).listDevices,
};
