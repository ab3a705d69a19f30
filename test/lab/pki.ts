// The certificates of a lab's cluster, made with openssl and good for two days.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';

const DAYS = '2';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export interface KeyPair {
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
}

export class Authority {
  readonly #folder: string;
  readonly own: KeyPair;

  private constructor(folder: string) {
    this.#folder = folder;
    this.own = this.#pair('ca');
  }

  static async create(folder: string): Promise<Authority> {
    // openssl's own configuration would make every certificate an authority.
    writeFileSync(join(folder, 'openssl.cnf'), '[req]\ndistinguished_name=name\n[name]\n');
    const authority = new Authority(folder);
    const extensions = [
      'basicConstraints=critical,CA:TRUE',
      'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
    ];
    await authority.#request('ca', '/CN=lab', extensions, []);
    return authority;
  }

  /** A certificate for client and server; `names` as `DNS:...` and `IP:...`. */
  async issue(name: string, subject: string, names: readonly string[] = [`DNS:${name}`]): Promise<KeyPair> {
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      'extendedKeyUsage=clientAuth,serverAuth',
      `subjectAltName=${names.join(',')}`,
    ];
    await this.#request(name, subject, extensions, ['-CA', this.own.certificate, '-CAkey', this.own.key]);
    return this.#pair(name);
  }

  /** The key that signs the tokens of service accounts; the API server takes its public half from the same file. */
  async tokenKey(): Promise<string> {
    const file = join(this.#folder, 'tokens.key');
    await run('openssl', ['genrsa', '-out', file, '2048']);
    return file;
  }

  #pair(name: string): KeyPair {
    return { certificate: join(this.#folder, `${name}.crt`), key: join(this.#folder, `${name}.key`) };
  }

  async #request(name: string, subject: string, extensions: string[], signer: string[]): Promise<void> {
    const { certificate, key } = this.#pair(name);
    await run('openssl', [
      ...['req', '-x509', '-config', join(this.#folder, 'openssl.cnf'), ...NEW_KEY, '-days', DAYS],
      ...['-subj', subject, '-keyout', key, '-out', certificate, ...signer],
      ...extensions.flatMap((extension) => ['-addext', extension]),
    ]);
  }
}
