// Lets a program of the lab tidy up when it is told to end.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `handler` in place of dying at once; the returned function restores the usual behaviour. */
export function onSignals(handler: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, handler);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handler);
  };
}
