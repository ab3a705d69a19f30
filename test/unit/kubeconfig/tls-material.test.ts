// CA and client certificate of a connection.
import { describe, expect, it } from 'vitest';
import { decodeCluster } from '../../../proto/kube/config/cluster-entry.ts';
import { Section } from '../../../proto/kube/config/section.ts';
import { tlsMaterial } from '../../../proto/kube/config/tls-material.ts';
import { decodeUser } from '../../../proto/kube/config/user-entry.ts';
import { base64, fakePorts, PEM, systemError } from '../../support/kubeconfig-ports.ts';

const files = { '/k/ca.crt': PEM.ca, '/k/c.crt': PEM.cert, '/k/c.key': PEM.key };
const entry = (values: object) => ({ body: new Section(values, 'it'), file: '/k/config' });

function material(cluster: object, user: object = {}, ports = fakePorts(files)) {
  return tlsMaterial(ports, decodeCluster(entry(cluster)), decodeUser(entry(user)));
}

describe('the CA', () => {
  it('comes from data', async () => {
    expect(await material({ 'certificate-authority-data': base64(PEM.ca) })).toEqual({ ca: PEM.ca });
  });

  it('comes from a file beside the kubeconfig', async () => {
    expect(await material({ 'certificate-authority': 'ca.crt' })).toEqual({ ca: PEM.ca });
  });

  it('comes from data when a file is named too, which is then not read', async () => {
    const ports = fakePorts();
    const both = { 'certificate-authority': 'gone', 'certificate-authority-data': base64(PEM.ca) };
    expect(await material(both, {}, ports)).toEqual({ ca: PEM.ca });
    expect(ports.reads).toEqual([]);
  });

  it('comes from the system when the kubeconfig has none', async () => {
    const ports = fakePorts();
    ports.system = [PEM.ca];
    expect(await material({}, {}, ports)).toEqual({ ca: [PEM.ca] });
  });

  it('comes from Node when the system has none either', async () => {
    expect(await material({})).toEqual({});
  });

  it('is not needed when the server is not verified', async () => {
    const ports = fakePorts();
    ports.system = [PEM.ca];
    expect(await material({ 'insecure-skip-tls-verify': true }, {}, ports)).toEqual({
      rejectUnauthorized: false,
    });
  });
});

describe('the TLS name', () => {
  it('is that of the cluster', async () => {
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' };
    expect(await material(cluster)).toEqual({ ca: PEM.ca, servername: 'kubernetes' });
  });
});

describe('the client certificate', () => {
  it.each([
    ['data', { 'client-certificate-data': base64(PEM.cert), 'client-key-data': base64(PEM.key) }],
    ['files', { 'client-certificate': 'c.crt', 'client-key': 'c.key' }],
    ['one of each', { 'client-certificate': '/k/c.crt', 'client-key-data': base64(PEM.key) }],
  ])('comes from %s', async (_name, user) => {
    expect(await material({}, user)).toEqual({ cert: PEM.cert, key: PEM.key });
  });

  it('is none when there is only a key, as in kubectl', async () => {
    expect(await material({}, { 'client-key': 'c.key' })).toEqual({});
  });
});

describe('TLS material is refused', () => {
  it.each([
    [
      'when a CA is named and the server is not to be verified',
      { 'certificate-authority': 'ca.crt', 'insecure-skip-tls-verify': true },
      {},
    ],
    ['when the CA file is missing', { 'certificate-authority': 'gone' }, {}],
    ['when the CA file may not be read', { 'certificate-authority': 'secret' }, {}],
    ['when the CA file is empty', { 'certificate-authority': 'empty' }, {}],
    ['when the CA file is no PEM', { 'certificate-authority': 'der' }, {}],
    ['when the CA data is no PEM', { 'certificate-authority-data': base64('x') }, {}],
    ['when the certificate has no key', {}, { 'client-certificate': 'c.crt' }],
    ['when the certificate file is missing', {}, { 'client-certificate': 'gone', 'client-key': 'c.key' }],
    ['when the key file may not be read', {}, { 'client-certificate': 'c.crt', 'client-key': 'secret' }],
    ['when the key is no PEM', {}, { 'client-certificate': 'c.crt', 'client-key-data': base64('key') }],
  ])('%s', async (_name, cluster, user) => {
    const ports = fakePorts({
      ...files,
      '/k/secret': systemError('EACCES'),
      '/k/empty': '',
      '/k/der': '0\u0082',
    });
    await expect(material(cluster, user, ports)).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      message: expect.stringContaining('it'),
      hint: expect.any(String),
    });
  });
});
