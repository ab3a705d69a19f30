// kubectl virt version: its flags.
import type { Verb } from './command.ts';

export const version: Verb = {
  name: 'version',
  about: 'Print the versions of this program, of the server and of the agents',
  flags: [
    { name: 'client', kind: 'switch', about: 'Only the version of this program; asks no server' },
    { name: 'output', short: 'o', kind: 'text', choices: ['json', 'yaml'], about: 'Output format' },
  ],
  examples: [],
  load: async () => (await import('../version/print-version.ts')).printVersion,
};
