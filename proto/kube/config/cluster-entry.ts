// A cluster entry of a kubeconfig, decoded: where the server is and how it is recognised.
import { pathFrom } from './entry-path.ts';
import type { Entry } from './merged-kubeconfig.ts';

/** Empty text: not set. `certificateAuthority` is a path, `certificateAuthorityData` PEM text. */
export interface ClusterEntry {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string;
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  /** Only passed on to plugins. */
  readonly disableCompression: boolean;
  /** Passed to a credential plugin as it is. */
  readonly execConfig: unknown;
  /** For messages. */
  readonly where: string;
}

/** Name of the extension whose content a plugin gets (k8s.io/client-go, tools/clientcmd/api). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** Throws BAD_KUBECONFIG for fields of a wrong kind. */
export function decodeCluster({ body, file }: Entry): ClusterEntry {
  return {
    server: body.text('server'),
    tlsServerName: body.text('tls-server-name'),
    insecureSkipTlsVerify: body.flag('insecure-skip-tls-verify'),
    certificateAuthority: pathFrom(file, body.text('certificate-authority')),
    certificateAuthorityData: body.decoded('certificate-authority-data'),
    proxyUrl: body.text('proxy-url'),
    disableCompression: body.flag('disable-compression'),
    execConfig: body
      .sections('extensions')
      .find((extension) => extension.text('name') === EXEC_EXTENSION)
      ?.raw('extension'),
    where: body.where,
  };
}
