// The whole command line as data: what is not listed here does not exist.
import type { Group } from './command.ts';
import { completion } from './completion.ts';
import { usb } from './usb.ts';
import { version } from './version.ts';

export const root: Group = {
  name: 'kubectl virt',
  about: 'USB devices of Kubernetes nodes, for pods and virtual machines',
  commands: [usb, completion, version],
  // kubectl takes a flag before the plugin's name for its own and then finds no command `virt`.
  epilogue:
    'Flags go after the command: "kubectl virt usb list -n NAME" works, "kubectl -n NAME virt" cannot.',
};
