// kubectl virt completion bash, zsh, fish, powershell.
import type { Handler } from '../commands/command.ts';

/** `load` brings the script of one shell. */
export function printScript(load: () => Promise<string>): Handler {
  return async (_args, host) => {
    host.stdout.write(await load());
    return 0;
  };
}
