// Flags of the verbs that change something in the cluster.
import type { Argument } from './command.ts';
import type { Flag } from './flag.ts';

export const DEVICE_ARGUMENT: Argument = {
  name: 'device',
  kind: 'device',
  about: 'a name or its beginning, vid:pid, serial number, node/busid, or words of the product text',
};

/** `timeout` is the default as it is written, e.g. `60s`. */
export function changeFlags(timeout: string): readonly Flag[] {
  return [
    { name: 'wait', kind: 'switch', about: 'Wait until it is done; --wait=false only asks for it' },
    {
      name: 'timeout',
      kind: 'text',
      about: `How long to wait; 0 for no limit (default ${timeout})`,
    },
    {
      name: 'dry-run',
      kind: 'text',
      choices: ['none', 'client', 'server'],
      about: 'Print the steps, or let the server check them, and change nothing',
    },
    { name: 'yes', short: 'y', kind: 'switch', about: 'Answer every question with yes' },
    {
      name: 'output',
      short: 'o',
      kind: 'text',
      choices: ['json', 'yaml', 'name'],
      about: 'Print the object at the end',
    },
  ];
}
