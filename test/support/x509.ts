// Makes X.509 certificates for tests, with any names and times: Node can read but not write them.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  readonly commonName: string;
  /** Signer; itself when absent. */
  readonly issuer?: MadeCertificate & { readonly commonName: string };
  readonly ips?: readonly string[];
  readonly names?: readonly string[];
  readonly ca?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const DAY = 86_400_000;
const ECDSA_SHA256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

/** EC P-256, signed with ECDSA and SHA-256, valid for a day around now unless wished otherwise. */
export function makeCertificate(wish: CertificateWish): MadeCertificate & { readonly commonName: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer: KeyObject = wish.issuer ? createPrivateKey(wish.issuer.key) : privateKey;
  const { notBefore = new Date(Date.now() - DAY), notAfter = new Date(Date.now() + DAY) } = wish;
  const body = sequence(
    tagged(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_SHA256,
    distinguishedName(wish.issuer?.commonName ?? wish.commonName),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(wish.commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(wish))),
  );
  const signature = sign('sha256', body, signer);
  const certificate = sequence(body, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    commonName: wish.commonName,
    cert: pem(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions({ ca = false, ips = [], names: dns = [] }: CertificateWish): Buffer[] {
  const basic = sequence(...(ca ? [der(0x01, Buffer.of(0xff))] : []));
  const names = [
    ...ips.map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
    ...dns.map((name) => der(0x82, Buffer.from(name))),
  ];
  return [
    sequence(oid([0x55, 0x1d, 0x13]), der(0x01, Buffer.of(0xff)), der(0x04, basic)),
    ...(names.length > 0 ? [sequence(oid([0x55, 0x1d, 0x11]), der(0x04, sequence(...names)))] : []),
  ];
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(commonName)))));
}

/** GeneralizedTime. */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/\..*|[-:T]/g, '')}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  return der(tag, content);
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length;
  if (size < 0x80) return Buffer.concat([Buffer.of(tag, size), content]);
  const length = size < 0x100 ? Buffer.of(0x81, size) : Buffer.of(0x82, size >> 8, size & 0xff);
  return Buffer.concat([Buffer.of(tag), length, content]);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
