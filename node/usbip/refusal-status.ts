// How a refusal crosses the wire: our error codes become one of five numbers, and those become error codes again.
import type { ErrorCode } from '../../proto/api/error-codes.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { STATUS } from './wire.ts';

const STATUS_OF: Partial<Record<ErrorCode, number>> = {
  NOT_GRANTED: STATUS.notAllowed,
  DEVICE_BLOCKED: STATUS.notAllowed,
  DEVICE_BUSY: STATUS.busy,
  DEVICE_NOT_FOUND: STATUS.noDevice,
  KERNEL: STATUS.deviceError,
};

/** The status to answer with; whatever is no refusal of ours is STATUS.error. */
export function refusalStatus(error: unknown): number {
  return (error instanceof TypedError && STATUS_OF[error.code]) || STATUS.error;
}

/** What a status other than ok means to the importer: DEVICE_BUSY, DEVICE_NOT_FOUND or PEER_REFUSED. */
export function refusalError(status: number, busId: string, peer: string): TypedError {
  switch (status) {
    case STATUS.busy:
      return new TypedError(
        'DEVICE_BUSY',
        `device ${busId} of ${peer} is in use`,
        'By its own node, a pod there or another node; the log of its agent says which.',
      );
    case STATUS.noDevice:
      return new TypedError('DEVICE_NOT_FOUND', `${peer} has no device ${busId}`, 'Is it still plugged in?');
    case STATUS.notAllowed:
      return new TypedError(
        'PEER_REFUSED',
        `${peer} does not grant ${busId} to this node`,
        "The owner's log says why: no claim of a pod on this node, or a rule that blocks the device.",
      );
    default:
      return new TypedError(
        'PEER_REFUSED',
        `${peer} could not hand over ${busId} (USB/IP status ${status})`,
        "The owner's log says why.",
      );
  }
}
