// Which errno a write to the kernel failed with.

/** The errno name (`EBUSY`) of a TypedError KERNEL or of what caused it; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && /^E[A-Z0-9]+$/.test(at.code)) return at.code;
  }
  return undefined;
}
