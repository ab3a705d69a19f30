// SIGTERM and SIGINT as a promise, for as long as somebody waits for them.

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs `work` with what resolves at the first signal. A second one of the same kind ends the process, as by default. */
export async function withStopSignal<T>(work: (stopped: Promise<NodeJS.Signals>) => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of SIGNALS) process.once(signal, resolve);
  try {
    return await work(promise);
  } finally {
    for (const signal of SIGNALS) process.off(signal, resolve);
  }
}
