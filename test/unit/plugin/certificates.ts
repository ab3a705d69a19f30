// Certificates for servers on 127.0.0.1, made by openssl for the time of a test.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** PEM texts. */
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  /** Of the same authority; over since a day. */
  readonly expired: { readonly cert: string; readonly key: string };
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  try {
    openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
      '-days',
      '2',
      '-subj',
      '/CN=test ca',
    );
    openssl('req', ...NEW_KEY, '-keyout', 'key', '-out', 'csr', '-subj', '/CN=server');
    writeFileSync(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1');
    const signed = (days: string): string => {
      const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '7', '-extfile', 'san'];
      openssl('x509', '-req', '-in', 'csr', ...by, '-days', days, '-out', 'crt');
      return text('crt');
    };
    const key = text('key');
    return { ca: text('ca.crt'), server: { cert: signed('2'), key }, expired: { cert: signed('-1'), key } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
