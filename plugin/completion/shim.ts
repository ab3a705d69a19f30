// The small program that kubectl (1.26 or newer) starts to complete `kubectl virt`: it finds it by its name in PATH.

export interface Shim {
  readonly name: string;
  readonly text: string;
}

const MARK = 'written by "kubectl virt completion install"';

/** It finds the plugin in PATH, as kubectl does, so that it survives a new version in another folder. */
export function shimFor(platform: NodeJS.Platform): Shim {
  if (platform === 'win32') {
    return {
      name: 'kubectl_complete-virt.cmd',
      text: `@rem ${MARK}\r\n@kubectl-virt __complete %*\r\n`,
    };
  }
  return {
    name: 'kubectl_complete-virt',
    text: `#!/bin/sh\n# ${MARK}\nexec kubectl-virt __complete "$@"\n`,
  };
}

/** Whether a file of that name is one of ours, of this or another version. */
export function isShim(text: string): boolean {
  return text.includes(MARK);
}
