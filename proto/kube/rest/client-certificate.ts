// Says whether a client certificate has expired: the API server answers a plain 401 to one, which explains nothing.

/** The end of validity of the first certificate in `pem` when it is before `now` (ms); else undefined. */
export function expiredCertificate(pem: unknown, now: number): string | undefined {
  if (typeof pem !== 'string' && !Buffer.isBuffer(pem)) return undefined;
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    const { validTo } = new X509Certificate(pem);
    return Date.parse(validTo) < now ? validTo : undefined;
  } catch {
    return undefined;
  }
}
