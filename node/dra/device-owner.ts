// Who owns the device nodes in the container: numbers in the claim's annotations. Pure.
import { CLAIM_ANNOTATIONS } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';

/** Absent means root. */
export interface DeviceOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** 2^32-1 is (uid_t)-1, which chown(2) takes as "leave as it is". */
const LARGEST_ID = 2 ** 32 - 2;

function readId(annotations: Readonly<Record<string, string>>, key: string): number | undefined {
  const text = annotations[key];
  if (text === undefined) return undefined;
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (id <= LARGEST_ID) return id;
  throw new TypedError(
    'BAD_INPUT',
    `annotation ${key} is ${JSON.stringify(text)}`,
    `it must be a number from 0 to ${LARGEST_ID}`,
  );
}

/** Throws BAD_INPUT for text that is no id: falling back to 0 would give the device to another group. */
export function deviceOwner(annotations: Readonly<Record<string, string>> = {}): DeviceOwner {
  const uid = readId(annotations, CLAIM_ANNOTATIONS.deviceUser);
  const gid = readId(annotations, CLAIM_ANNOTATIONS.deviceGroup);
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}
