// The lines between the lab and a node's agent (guest/agent.sh).

export type AgentLine =
  | { readonly kind: 'ready'; readonly uptime: number }
  | { readonly kind: 'end'; readonly id: number; readonly code: number; readonly out: string }
  /** Anything else, such as a line cut by a power loss. */
  | { readonly kind: 'noise'; readonly text: string };

/** Asks for a bash script to be run under a number that is not in use. */
export function encodeRun(id: number, script: string): string {
  return `RUN ${id} ${Buffer.from(script).toString('base64')}\n`;
}

/** Asks for everything that a script started to be killed; its END follows. */
export function encodeKill(id: number): string {
  return `KILL ${id}\n`;
}

/** Reads one line, without its line end. */
export function decodeLine(line: string): AgentLine {
  const text = line.replace(/\r$/, '');
  const ready = /^READY (\d+\.\d+)$/.exec(text);
  if (ready) return { kind: 'ready', uptime: Number(ready[1]) };
  const end = /^END (\d+) (\d+) ([A-Za-z0-9+/=]*)$/.exec(text);
  if (!end) return { kind: 'noise', text };
  const out = Buffer.from(end[3] ?? '', 'base64').toString();
  return { kind: 'end', id: Number(end[1]), code: Number(end[2]), out };
}
