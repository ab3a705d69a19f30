// What a claim holds on this node, as it is kept on disk: own schema, version and checksum.
import { createHash } from 'node:crypto';
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { AccessMode, Attachment } from './device-access.ts';

export interface CheckpointDevice {
  /** Requests of the claim that the device meets, without sub-request. */
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly mode: AccessMode;
  /** Set by the scheduler for devices that several claims share; the kubelet wants it back. */
  readonly shareId?: string;
  /** Full CDI name, `vendor/class=name`. */
  readonly cdiId: string;
  /** What to undo; absent while the kernel has not been touched. */
  readonly attachment?: Attachment;
  /** `BBB:DDD` on this node; absent while the device is not attached. */
  readonly usbAddress?: string;
}

/**
 * `PrepareStarted`: written before the kernel is touched; found again, it means that Prepare was interrupted.
 * `PrepareCompleted`: everything stands, and Prepare of the same claim is a replay.
 */
export interface ClaimCheckpoint {
  /** The boot in which it was written; kernel state does not outlive it. */
  readonly bootId: string;
  readonly claim: ObjectRef;
  readonly state: 'PrepareStarted' | 'PrepareCompleted';
  /** RFC 3339: when Prepare began. */
  readonly since: string;
  readonly devices: readonly CheckpointDevice[];
}

const VERSION = 1;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown) => value === undefined || isText(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMode = (value: unknown): value is AccessMode => value === 'usbfs' || value === 'driver';

function isAttachment(value: unknown): boolean {
  if (!isRecord(value) || !isMode(value.mode)) return false;
  if (value.kind === 'local') return isText(value.busId) && isCount(value.devid);
  return (
    value.kind === 'import' &&
    isCount(value.port) &&
    isCount(value.devid) &&
    isText(value.peer) &&
    isText(value.remoteBusId)
  );
}

function isDevice(value: unknown): boolean {
  return (
    isRecord(value) &&
    Array.isArray(value.requests) &&
    value.requests.every(isText) &&
    isText(value.pool) &&
    isText(value.device) &&
    isMode(value.mode) &&
    isOptionalText(value.shareId) &&
    isText(value.cdiId) &&
    isOptionalText(value.usbAddress) &&
    (value.attachment === undefined || isAttachment(value.attachment))
  );
}

function isCheckpoint(value: unknown): value is ClaimCheckpoint {
  return (
    isRecord(value) &&
    isText(value.bootId) &&
    isRecord(value.claim) &&
    isText(value.claim.namespace) &&
    isText(value.claim.name) &&
    isText(value.claim.uid) &&
    (value.state === 'PrepareStarted' || value.state === 'PrepareCompleted') &&
    isText(value.since) &&
    Array.isArray(value.devices) &&
    value.devices.every(isDevice)
  );
}

function checksum(body: string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Keys in a fixed order, so that equal checkpoints are equal files. */
function ordered(checkpoint: ClaimCheckpoint): ClaimCheckpoint {
  const { bootId, claim, state, since, devices } = checkpoint;
  return {
    bootId,
    claim: { namespace: claim.namespace, name: claim.name, uid: claim.uid },
    state,
    since,
    devices: devices.map(({ requests, pool, device, mode, shareId, cdiId, usbAddress, attachment }) => ({
      requests,
      pool,
      device,
      mode,
      ...(shareId !== undefined && { shareId }),
      cdiId,
      ...(usbAddress !== undefined && { usbAddress }),
      ...(attachment !== undefined && { attachment }),
    })),
  };
}

export function encodeCheckpoint(checkpoint: ClaimCheckpoint): string {
  const body = ordered(checkpoint);
  const envelope = { version: VERSION, checksum: checksum(JSON.stringify(body)), checkpoint: body };
  return `${JSON.stringify(envelope, undefined, 2)}\n`;
}

function corrupt(why: string): TypedError {
  return new TypedError('CORRUPT_STATE', `checkpoint ${why}`);
}

/**
 * A later version counts as damaged too: it is kept aside for the program that wrote it, and what it holds is freed by
 * that program or by a reboot. Throws CORRUPT_STATE for anything that `encodeCheckpoint` of this version did not write.
 */
export function decodeCheckpoint(text: string): ClaimCheckpoint {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw corrupt('is not JSON');
  }
  if (!isRecord(envelope)) throw corrupt('is not an object');
  if (envelope.version !== VERSION) throw corrupt(`has version ${String(envelope.version)}`);
  // The order of keys survives parsing, so the body is serialised as it was written.
  const { checkpoint } = envelope;
  if (!isCheckpoint(checkpoint)) throw corrupt('has an unknown shape');
  if (envelope.checksum !== checksum(JSON.stringify(checkpoint))) throw corrupt('fails its checksum');
  return checkpoint;
}
