// Which proxy is used; the NO_PROXY rules themselves are compared with kubectl in test/contract.
import { describe, expect, it } from 'vitest';
import { chooseProxy } from '../../../proto/kube/config/proxy-choice.ts';

const https = 'https://api.example.com:6443';
const http = 'http://api.example.com:8080';

describe('the proxy', () => {
  it.each([
    ['none without variables', https, '', {}, undefined],
    ['none with empty variables', https, '', { HTTPS_PROXY: '', https_proxy: '' }, undefined],
    [
      'HTTPS_PROXY for https',
      https,
      '',
      { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1' },
      'http://s:1',
    ],
    ['HTTP_PROXY for http', http, '', { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1' }, 'http://p:1'],
    ['none for http when only https has one', http, '', { HTTPS_PROXY: 'http://s:1' }, undefined],
    ['lower-case variables', https, '', { https_proxy: 'http://s:1' }, 'http://s:1'],
    [
      'upper case before lower case',
      https,
      '',
      { https_proxy: 'http://l:1', HTTPS_PROXY: 'http://u:1' },
      'http://u:1',
    ],
    ['a variable without a scheme', https, '', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
    ['a proxy that is reached over TLS', https, '', { HTTPS_PROXY: 'https://s:1' }, 'https://s:1'],
    ['a proxy with a password', https, '', { HTTPS_PROXY: 'http://u:p%40@s:1/' }, 'http://u:p%40@s:1'],
    [
      'none when NO_PROXY has the server',
      https,
      '',
      { HTTPS_PROXY: 'http://s:1', NO_PROXY: 'example.com' },
      undefined,
    ],
    [
      'none when no_proxy has the server',
      https,
      '',
      { HTTPS_PROXY: 'http://s:1', no_proxy: 'example.com' },
      undefined,
    ],
    ['proxy-url before the variables', https, 'http://c:1', { HTTPS_PROXY: 'http://s:1' }, 'http://c:1'],
    ['proxy-url whatever NO_PROXY says', https, 'http://c:1', { NO_PROXY: '*' }, 'http://c:1'],
    ['proxy-url even for this machine', 'https://localhost:1', 'http://c:1', {}, 'http://c:1'],
  ])('is %s', (_name, server, clusterProxy, env, expected) => {
    expect(chooseProxy(server, clusterProxy, env)).toBe(expected);
  });

  it.each([
    ['socks5://h:1', {}],
    ['not a url', {}],
    ['proxy:3128', {}],
    ['http://', {}],
    ['', { HTTPS_PROXY: 'socks5://h:1' }],
    ['', { HTTPS_PROXY: 'http://[::1' }],
  ])('is refused: %j, %j', (clusterProxy, env) => {
    expect(() => chooseProxy(https, clusterProxy, env)).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) }),
    );
  });

  it('is never quoted in errors, because it may hold a password', () => {
    expect(() => chooseProxy(https, 'socks5://u:s3cret@h:1', {})).not.toThrow(/s3cret/);
  });
});
