// Acting as someone else: the headers that ask the API server for it.
import { TypedError } from '../../api/typed-error.ts';

/** Empty: not set. */
export interface Impersonation {
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  readonly asExtra: Readonly<Record<string, readonly string[]>>;
}

/** Header bytes as Go writes them: UTF-8, which Node takes as one character a byte. */
function headerValue(text: string, what: string): string {
  if (/[\x00-\x1f\x7f]/.test(text)) {
    throw new TypedError('BAD_KUBECONFIG', `${what} holds a control character`, 'remove line ends and tabs');
  }
  return Buffer.from(text).toString('latin1');
}

/** Bytes that no header name may hold are percent-encoded; the server decodes them (authentication reference). */
function headerKey(key: string): string {
  const bytes = Buffer.from(key).toString('latin1');
  return bytes.replace(
    /[^!#$&'*+.^_`|~0-9A-Za-z-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Throws BAD_KUBECONFIG for groups, uid or extra without a user: the server would ignore or refuse them. */
export function impersonationHeaders(who: Impersonation): Record<string, string | string[]> {
  const extra = Object.entries(who.asExtra).filter(([, values]) => values.length > 0);
  if (who.as === '') {
    if (who.asUid === '' && who.asGroups.length === 0 && extra.length === 0) return {};
    throw new TypedError(
      'BAD_KUBECONFIG',
      'a group, uid or extra value to act as is given, but no user',
      'add --as USER',
    );
  }
  return {
    'Impersonate-User': headerValue(who.as, 'the user to act as'),
    ...(who.asUid !== '' && { 'Impersonate-Uid': headerValue(who.asUid, 'the uid to act as') }),
    ...(who.asGroups.length > 0 && {
      'Impersonate-Group': who.asGroups.map((group) => headerValue(group, 'a group to act as')),
    }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [
        `Impersonate-Extra-${headerKey(key)}`,
        values.map((value) => headerValue(value, `extra ${key} to act as`)),
      ]),
    ),
  };
}
