// A log that keeps what it is told, for tests that ask whether something was said.
import type { Log } from '../../node/run/log.ts';

export interface KeptLog extends Log {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: object }[];
}

export function keptLog(): KeptLog {
  const lines: KeptLog['lines'] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields });
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
