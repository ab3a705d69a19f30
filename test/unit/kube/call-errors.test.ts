// What a person reads when a call fails: code, sentence and hint for each kind of failure.
import { describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { answerError, statusError } from '../../../proto/kube/rest/answer-error.ts';
import { type CallSubject, subjectText } from '../../../proto/kube/rest/call-subject.ts';
import { expiredCertificate } from '../../../proto/kube/rest/client-certificate.ts';
import { connectionError } from '../../../proto/kube/rest/connection-error.ts';
import { withDeadline } from '../../../proto/kube/rest/deadline.ts';
import { queryText, resourcePath } from '../../../proto/kube/rest/paths.ts';
import { codeOf } from '../../support/kube-connection.ts';
import { makeCertificate } from '../../support/x509.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };
const slices = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices' };
const origin = { server: 'https://api.example:6443', source: 'context lab of /kube/config' };
const subject: CallSubject = { verb: 'get', type: pods, key: { namespace: 'shop', name: 'web' }, ...origin };

describe('the subject of a call', () => {
  it.each<[Partial<CallSubject>, string]>([
    [{}, 'get pods "web" in namespace "shop" at https://api.example:6443'],
    [
      { verb: 'list', key: { namespace: 'shop' } },
      'list pods in namespace "shop" at https://api.example:6443',
    ],
    [
      { verb: 'watch', type: slices, key: {} },
      'watch resourceslices.resource.k8s.io at https://api.example:6443',
    ],
    [
      { verb: 'patch', type: slices, key: { name: 'a' } },
      'patch resourceslices.resource.k8s.io "a" at https://api.example:6443',
    ],
  ])('%j reads well', (over, text) => {
    expect(subjectText({ ...subject, ...over })).toBe(text);
  });

  it('is the path for a raw call', () => {
    expect(subjectText({ verb: 'get', path: '/version', ...origin })).toBe(
      'get /version at https://api.example:6443',
    );
  });
});

describe('paths', () => {
  it.each([
    [pods, {}, undefined, '/api/v1/pods'],
    [pods, { namespace: 'shop' }, undefined, '/api/v1/namespaces/shop/pods'],
    [pods, { namespace: 'shop', name: 'web' }, 'status', '/api/v1/namespaces/shop/pods/web/status'],
    [slices, { name: 'a' }, undefined, '/apis/resource.k8s.io/v1/resourceslices/a'],
    [slices, { name: '../x' }, undefined, '/apis/resource.k8s.io/v1/resourceslices/..%2Fx'],
  ])('of %j %j %s', (type, key, subresource, path) => {
    expect(resourcePath(type, key, subresource)).toBe(path);
  });

  it('have a query only when there is something to ask', () => {
    expect(queryText({ a: undefined, b: '' })).toBe('');
    expect(queryText({ watch: 1, labelSelector: 'a in (b)' })).toBe('?watch=1&labelSelector=a+in+%28b%29');
  });
});

describe('hints', () => {
  const hintOf = (status: number, over: Partial<CallSubject> = {}) =>
    answerError({ ...subject, ...over }, status, '').hint;

  it('name where the credentials are from, and how to ask for a right', () => {
    expect(hintOf(401)).toContain('/kube/config');
    expect(hintOf(403)).toContain('kubectl auth can-i get pods -n shop');
    expect(hintOf(403, { type: slices, key: {} })).toContain(
      'kubectl auth can-i get resourceslices.resource.k8s.io',
    );
  });

  it('tell a patch whose test failed what to do', () => {
    expect(hintOf(422, { verb: 'patch' })).toContain('read it again');
    expect(hintOf(422, { verb: 'create' })).toBeUndefined();
  });

  it('speak neither of rights nor of other writers when the object itself is refused', () => {
    const denied = (code: number) =>
      statusError({ ...subject, verb: 'patch' }, { code, details: { causes: [{ message: 'too big' }] } })
        .hint;
    expect(denied(403)).not.toContain('can-i');
    expect(denied(422)).toBeUndefined();
  });

  it('the Status stays at hand as the cause', () => {
    const status = { code: 409, reason: 'AlreadyExists', message: 'pods "web" already exists' };
    expect(statusError(subject, status).cause).toBe(status);
  });
});

describe('connections', () => {
  it.each([
    ['ECONNREFUSED', 'SERVER_UNREACHABLE'],
    ['ENOTFOUND', 'SERVER_UNREACHABLE'],
    ['EAI_AGAIN', 'SERVER_UNREACHABLE'],
    ['ETIMEDOUT', 'SERVER_UNREACHABLE'],
    ['EHOSTUNREACH', 'SERVER_UNREACHABLE'],
    ['ECONNRESET', 'SERVER_UNREACHABLE'],
    ['EPIPE', 'SERVER_UNREACHABLE'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'SERVER_UNREACHABLE'],
    ['CERT_HAS_EXPIRED', 'CERTIFICATE_EXPIRED'],
    ['CERT_NOT_YET_VALID', 'CERTIFICATE_EXPIRED'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'CERTIFICATE_EXPIRED'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'UNAUTHENTICATED'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'UNAUTHENTICATED'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'UNAUTHENTICATED'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'CERTIFICATE_UNTRUSTED'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERTIFICATE_UNTRUSTED'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERTIFICATE_UNTRUSTED'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERTIFICATE_UNTRUSTED'],
    ['CERT_SIGNATURE_FAILURE', 'CERTIFICATE_UNTRUSTED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERTIFICATE_UNTRUSTED'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'BAD_KUBECONFIG'],
    ['HPE_INVALID_CONSTANT', 'PROTOCOL'],
  ])('%s is %s, with server and hint', (code, expected) => {
    const error = connectionError(subject, Object.assign(new Error('why'), { code }));
    expect(error).toBeInstanceOf(TypedError);
    expect(error).toMatchObject({ code: expected, hint: expect.stringMatching(/^[^{}]+$/) });
    expect((error as Error).message).toContain(origin.server);
  });

  it('that failed on all addresses of a name have a code but no message', () => {
    const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect((connectionError(subject, error) as Error).message).toContain('ECONNREFUSED');
  });

  it('errors without a code are bugs and stay what they are', () => {
    const bug = new TypeError('x is not a function');
    expect(connectionError(subject, bug)).toBe(bug);
  });
});

describe('a deadline', () => {
  it('gives back what the work gives, and its error when time is left', async () => {
    expect(await withDeadline({}, subject, async () => 7)).toBe(7);
    const work = () => Promise.reject(new RangeError('mine'));
    await expect(withDeadline({}, subject, work)).rejects.toThrow(RangeError);
  });

  it('is the error when the work fails because of it', async () => {
    const work = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    expect(await codeOf(withDeadline({ timeout: 5 }, subject, work))).toBe('TIMED_OUT');
    const signal = AbortSignal.timeout(5);
    expect(await codeOf(withDeadline({ signal }, subject, work))).toBe('INTERRUPTED');
  });
});

describe('the end of a client certificate', () => {
  const { cert } = makeCertificate({ commonName: 'jane' });

  it('is said when it is over, and only then', () => {
    expect(expiredCertificate(cert, Date.now())).toBeUndefined();
    expect(expiredCertificate(cert, Date.now() + 2 * 86_400_000)).toContain('GMT');
    expect(expiredCertificate(Buffer.from(cert), Date.now() + 2 * 86_400_000)).toContain('GMT');
  });

  it('is unknown of what is no certificate', () => {
    for (const pem of [undefined, '', 'x', Buffer.alloc(3), 7]) {
      expect(expiredCertificate(pem, Date.now())).toBeUndefined();
    }
  });
});
