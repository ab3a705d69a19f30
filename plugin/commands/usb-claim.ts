// kubectl virt usb claim: its argument and flags.
import { DEVICE_ARGUMENT } from './change-flags.ts';
import type { Verb } from './command.ts';

export const usbClaim: Verb = {
  name: 'claim',
  about: 'Print a pod that uses a USB device',
  arguments: [DEVICE_ARGUMENT],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      kind: 'text',
      completes: 'namespace',
      about: 'Namespace of the pod; without it, the one that has the device',
    },
    {
      name: 'mode',
      kind: 'text',
      choices: ['usbfs', 'driver'],
      about: 'How the pod gets it: raw (default), or with the drivers of the node and their device files',
    },
    { name: 'output', short: 'o', kind: 'text', choices: ['json', 'yaml'], about: 'Output format' },
  ],
  examples: [
    ['kubectl virt usb claim 0951:1666 > pod.yaml', 'to change it before it is applied'],
    ['kubectl virt usb claim 0951:1666 --mode driver', 'with /dev/sdX in the container'],
  ],
  load: async () => (await import('../usb/claim.ts')).printClaim,
};
