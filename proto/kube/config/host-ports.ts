// The real ports: files, child processes, clock and terminal of this machine.
import { promises } from 'node:fs';
import { isatty } from 'node:tty';
import type { ConnectionPorts } from './connection-ports.ts';
import { pluginRunner } from './plugin-process.ts';

async function systemCertificates(): Promise<string[]> {
  const { getCACertificates } = await import('node:tls');
  return getCACertificates('system');
}

/** A full-screen program replaces `runPlugin` and `stdinIsTerminal`, because it owns the terminal itself. */
export function hostPorts(): ConnectionPorts {
  return {
    readFile: (path) => promises.readFile(path, 'utf8'),
    runPlugin: pluginRunner(process.stderr),
    systemCertificates,
    now: Date.now,
    stdinIsTerminal: isatty(0),
  };
}
