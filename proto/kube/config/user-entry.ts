// A user entry of a kubeconfig, decoded: how to prove who one is, and as whom to act.
import { pathFrom } from './entry-path.ts';
import { decodeExec, type ExecEntry } from './exec-entry.ts';
import type { Impersonation } from './impersonation.ts';
import type { Entry } from './merged-kubeconfig.ts';

/** Empty text: not set. The `...Data` fields are PEM text, the fields beside them paths. */
export interface UserEntry extends Impersonation {
  readonly clientCertificate: string;
  readonly clientCertificateData: string;
  readonly clientKey: string;
  readonly clientKeyData: string;
  readonly token: string;
  /** Wins over `token` while it can be read. */
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly exec?: ExecEntry;
  /** Name of a legacy auth provider (oidc, gcp, azure); kept to refuse it where nothing else signs in. */
  readonly authProvider: string;
  /** For messages. */
  readonly where: string;
}

/** Throws BAD_KUBECONFIG for fields of a wrong kind. */
export function decodeUser({ body, file }: Entry): UserEntry {
  const extra = body.section('as-user-extra');
  return {
    clientCertificate: pathFrom(file, body.text('client-certificate')),
    clientCertificateData: body.decoded('client-certificate-data'),
    clientKey: pathFrom(file, body.text('client-key')),
    clientKeyData: body.decoded('client-key-data'),
    token: body.text('token'),
    tokenFile: pathFrom(file, body.text('tokenFile')),
    username: body.text('username'),
    password: body.text('password'),
    authProvider: body.has('auth-provider') ? body.section('auth-provider').text('name') || 'unnamed' : '',
    as: body.text('as'),
    asUid: body.text('as-uid'),
    asGroups: body.texts('as-groups'),
    asExtra: Object.fromEntries(extra.keys().map((key) => [key, extra.texts(key)])),
    ...(body.has('exec') && { exec: decodeExec(body.section('exec'), file) }),
    where: body.where,
  };
}
