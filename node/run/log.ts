// The log of every component: JSON lines on stdout, so that collectors need no parser of ours.
import { pino } from 'pino';

/** What modules log through: fields first, then one sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export function createLog(component: string, level: LogLevel): Log {
  return pino({
    level,
    base: { component },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
  });
}
