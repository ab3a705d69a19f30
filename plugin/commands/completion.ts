// kubectl virt completion: the group of its verbs.
import type { Group, Verb } from './command.ts';

export const completion: Group = {
  name: 'completion',
  about: 'Complete commands, flags and names of devices in a shell',
  commands: [
    script('bash', async () => (await import('../completion/scripts/bash.ts')).BASH),
    script('zsh', async () => (await import('../completion/scripts/zsh.ts')).ZSH),
    script('fish', async () => (await import('../completion/scripts/fish.ts')).FISH),
    script('powershell', async () => (await import('../completion/scripts/powershell.ts')).POWERSHELL),
    {
      name: 'install',
      about: "Let kubectl's own completion know this plugin: writes kubectl_complete-virt",
      isLocal: true,
      flags: [
        {
          name: 'dir',
          kind: 'text',
          completes: 'file',
          about: 'Folder in PATH to write it to; without it, that of the plugin',
        },
      ],
      examples: [['kubectl virt completion install --dir ~/.local/bin', 'into a folder of your own']],
      load: async () => (await import('../completion/install.ts')).installCompletion,
    },
  ],
};

function script(shell: string, load: () => Promise<string>): Verb {
  return {
    name: shell,
    about: `Print the completion script for ${shell}`,
    isLocal: true,
    flags: [],
    examples: [],
    load: async () => (await import('../completion/print-script.ts')).printScript(load),
  };
}
