// The server field of a cluster.
import { describe, expect, it } from 'vitest';
import { serverUrl } from '../../../proto/kube/config/server-url.ts';

describe('a server', () => {
  it.each([
    ['https://10.0.0.1:6443', 'https://10.0.0.1:6443'],
    ['https://10.0.0.1:6443/', 'https://10.0.0.1:6443'],
    ['https://rancher.example.com/k8s/clusters/c-1/', 'https://rancher.example.com/k8s/clusters/c-1'],
    ['https://API.example.com:443', 'https://api.example.com'],
    ['https://[2001:db8::5]:6443', 'https://[2001:db8::5]:6443'],
    ['https://api.example.com/x?y=z#w', 'https://api.example.com/x'],
    ['https://user:password@api.example.com', 'https://api.example.com'],
    ['http://127.0.0.1:8001', 'http://127.0.0.1:8001'],
  ])('%s is %s', (text, expected) => {
    expect(serverUrl(text, 'it')).toBe(expected);
  });

  it.each([
    '',
    '10.0.0.1:6443',
    'api.example.com',
    'ftp://h',
    'https://',
    'https://h:99999',
    'localhost:8080',
  ])('%j is refused', (text) => {
    expect(() => serverUrl(text, 'it')).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) }),
    );
  });
});
