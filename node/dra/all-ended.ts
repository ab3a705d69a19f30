// Work done side by side of which nothing may be still under way when it is undone.

/** Settles when every promise has; rejects with the first error in the order of the list. */
export async function allEnded(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
