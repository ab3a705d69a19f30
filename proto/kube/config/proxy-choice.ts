// Through which proxy a server is reached: the cluster's own proxy-url, else the environment as Go reads it
// (golang.org/x/net/http/httpproxy), because people set these variables for kubectl.
import { TypedError } from '../../api/typed-error.ts';
import type { Environment } from './connection-ports.ts';
import { inIpRange, parseIp, parseIpRange } from './ip-range.ts';

/** `server` is an http or https URL. Undefined: connect directly. Throws BAD_KUBECONFIG for a proxy we cannot use. */
export function chooseProxy(server: string, clusterProxy: string, env: Environment): string | undefined {
  // Someone wrote it for this very cluster, so NO_PROXY has no say.
  if (clusterProxy !== '') return proxyUrl(clusterProxy, 'proxy-url');
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = variable(env, name);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (proxy === '' || isLoopback(host)) return undefined;
  const open = variable(env, 'NO_PROXY').split(',');
  if (open.some((rule) => matches(rule.trim().toLowerCase(), host, port || defaultPort(protocol)))) {
    return undefined;
  }
  return proxyUrl(proxy.includes('://') ? proxy : `http://${proxy}`, name);
}

/** Upper case first, as in Go; curl and others read lower case, so people set either. */
function variable(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}

/** Never proxied through variables: no proxy could reach this machine's own loopback. */
function isLoopback(host: string): boolean {
  const address = parseIp(host);
  if (!address) return host === 'localhost';
  return address.length === 4 ? address[0] === 127 : address.join() === parseIp('::1')?.join();
}

/** One element of NO_PROXY: `*`, a range, an address or a domain; the last two may carry a port. */
function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  const address = parseIp(host);
  const range = parseIpRange(rule);
  if (range) return address !== undefined && inIpRange(range, address);
  const { name, port: rulePort } = hostAndPort(rule);
  if (name === '' || (rulePort !== undefined && rulePort !== port)) return false;
  return address ? parseIp(name)?.join() === address.join() : matchesDomain(name, host);
}

/** Brackets belong to IPv6 addresses with a port, as in URLs. */
function hostAndPort(rule: string): { name: string; port: string | undefined } {
  const [, ipv6, name, port] = /^(?:\[(.*)\](?=:)|([^:]*))(?::(\d+))?$/.exec(rule) ?? [];
  return { name: ipv6 ?? name ?? rule, port };
}

/** `example.com` means itself and what is below it; `.example.com` and `*.example.com` only what is below. */
function matchesDomain(rule: string, host: string): boolean {
  const suffix = rule.replace(/^\*\./, '.');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

/** The URL may hold a password, so messages name only its scheme. */
function proxyUrl(text: string, origin: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, '');
  const problem = url?.hostname ? `has the scheme ${url.protocol.slice(0, -1)}` : 'is not a URL';
  throw new TypedError('BAD_KUBECONFIG', `${origin} ${problem}`, 'use an http:// or https:// proxy');
}
