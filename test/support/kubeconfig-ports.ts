// Ports of the kubeconfig reader that touch nothing: files in memory, a clock that stands, a scripted plugin.
import type { ConnectionPorts, PluginCall, PluginResult } from '../../proto/kube/config/connection-ports.ts';

export interface FakePorts extends ConnectionPorts {
  readonly files: Map<string, string | Error>;
  readonly reads: string[];
  readonly plugins: PluginCall[];
  /** What the next runs of the plugin give; the last one stays. */
  readonly answers: (PluginResult | Error)[];
  time: number;
  stdinIsTerminal: boolean;
  system: string[];
}

/** An error as the file system makes it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export function exited(
  stdout: object | string,
  end: { code?: number; lastMessage?: string } = {},
): PluginResult {
  return {
    outcome: 'exited',
    code: end.code ?? 0,
    signal: undefined,
    stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout),
    lastMessage: end.lastMessage ?? '',
  };
}

/** The answer of a well-behaved plugin. */
export function credential(status: object, apiVersion = 'client.authentication.k8s.io/v1'): PluginResult {
  return exited({ kind: 'ExecCredential', apiVersion, status });
}

export function fakePorts(files: Record<string, string | Error> = {}): FakePorts {
  const ports: FakePorts = {
    files: new Map(Object.entries(files)),
    reads: [],
    plugins: [],
    answers: [],
    time: 1_000_000,
    stdinIsTerminal: false,
    system: [],
    now: () => ports.time,
    systemCertificates: async () => ports.system,
    async readFile(path) {
      ports.reads.push(path);
      const content = ports.files.get(path) ?? systemError('ENOENT');
      if (content instanceof Error) throw content;
      return content;
    },
    async runPlugin(call) {
      ports.plugins.push(call);
      const answer =
        (ports.answers.length > 1 ? ports.answers.shift() : ports.answers[0]) ?? systemError('ENOENT');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return ports;
}

export const PEM = {
  ca: '-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n',
  cert: '-----BEGIN CERTIFICATE-----\nY2VydA==\n-----END CERTIFICATE-----\n',
  key: '-----BEGIN EC PRIVATE KEY-----\na2V5\n-----END EC PRIVATE KEY-----\n',
};

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A kubeconfig with one context `lab` of cluster `c` and user `u`, as JSON. */
export function kubeconfig(cluster: object = {}, user: object = {}, context: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}
