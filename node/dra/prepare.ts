// NodePrepareResources for one claim: makes its devices usable on this node, all of them or none.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { CLAIM_ANNOTATIONS } from '../../proto/api/names.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { KeyedLock } from '../run/keyed-lock.ts';
import { StepTimes } from '../run/step-times.ts';
import { allEnded } from './all-ended.ts';
import { COMMON_CDI_ID, cdiId, claimCdiSpec, commonCdiSpec, usbAddress } from './cdi.ts';
import type { CheckpointDevice, ClaimCheckpoint } from './checkpoint.ts';
import { type ClaimRequest, readClaimRequest } from './claim-request.ts';
import { prepareAction } from './claim-state.ts';
import type { Attachment, UsableDevice } from './device-access.ts';
import { DeviceLocator, type Located } from './device-locator.ts';
import type { DriverHost } from './driver-host.ts';
import { discardClaim, releaseClaim, releaseUnrecorded } from './release.ts';
import { BusyWait, deviceBusy, type Patience, reserve } from './reservation.ts';

/** What the kubelet is told of one device. */
export interface PreparedDevice {
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly cdiIds: readonly string[];
  readonly shareId?: string;
}

interface Attached {
  readonly device: CheckpointDevice;
  readonly usable: UsableDevice;
}

function answer(devices: readonly CheckpointDevice[]): PreparedDevice[] {
  return devices.map(({ requests, pool, device, shareId, cdiId: id }) => ({
    requests,
    pool,
    device,
    cdiIds: [COMMON_CDI_ID, id],
    ...(shareId !== undefined && { shareId }),
  }));
}

function addressesText(devices: readonly Attached[]): string {
  const rows = devices.map(({ device, usable }) => ({
    deviceName: device.device,
    usbAddress: usbAddress(usable),
  }));
  return JSON.stringify(rows.sort((a, b) => (a.deviceName < b.deviceName ? -1 : 1)));
}

export class ClaimPreparer {
  readonly #host: DriverHost;
  readonly #claimLock: KeyedLock;
  readonly #patience: Patience;
  readonly #locator: DeviceLocator;

  /** `claimLock` is shared with Unprepare. */
  constructor(host: DriverHost, claimLock: KeyedLock, patience: Patience) {
    this.#host = host;
    this.#claimLock = claimLock;
    this.#patience = patience;
    this.#locator = new DeviceLocator(host.kube, host.nodeName, host.devices);
  }

  /**
   * Idempotent: a claim that stands is answered again. A failure leaves nothing behind. Rejects with TypedError:
   * CLAIM_REPLACED, CLAIM_NOT_ALLOCATED, BAD_INPUT, DEVICE_BUSY with the holder's name, DEVICE_BLOCKED, what
   * DeviceAccess.attach and the API server reject with; with the signal's reason when it aborts.
   */
  async prepare(ref: ObjectRef, signal: AbortSignal): Promise<PreparedDevice[]> {
    const claim = await StepTimes.time('claim', () =>
      this.#host.kube.get<ResourceClaim>(RESOURCE_TYPES.resourceClaims, ref, { signal }),
    );
    const request = readClaimRequest(claim, ref);
    if (request.devices.length === 0) return [];
    return this.#claimLock.run(ref.uid, () => this.#resume(request, signal));
  }

  /** Only calls for the same claim wait for this; the lock for the whole node is taken in `reserve` alone. */
  async #resume(request: ClaimRequest, signal: AbortSignal): Promise<PreparedDevice[]> {
    signal.throwIfAborted();
    const { claims, bootId } = this.#host;
    const found = await StepTimes.time('checkpoint', () => claims.read(request.claim.uid));
    const attached = found?.bootId === bootId ? await this.#attached(found) : [];
    const action = prepareAction(found, bootId, request.devices, (device) =>
      attached.some((one) => one.device === device),
    );
    if (!found) await StepTimes.time('unrecorded', () => releaseUnrecorded(this.#host, request.claim.uid));
    if (found && action === 'replay') return this.#replay(found, attached, request, signal);
    if (found && action === 'rollBack') await releaseClaim(this.#host, found);
    if (found && action === 'discard') await discardClaim(this.#host, request.claim.uid);
    return this.#start(request, signal);
  }

  /** The devices that the kernel still has for the claim. */
  async #attached({ devices }: ClaimCheckpoint): Promise<Attached[]> {
    const found = await Promise.all(
      devices.map(async (device) => {
        const usable = await this.#inspect(device);
        return usable ? [{ device, usable }] : [];
      }),
    );
    return found.flat();
  }

  /** A port of this node may have got another device meanwhile; an import cannot. */
  async #inspect({ attachment, mode, device }: CheckpointDevice): Promise<UsableDevice | undefined> {
    if (!attachment) return undefined;
    const { access, devices } = this.#host;
    if (attachment.kind === 'local' && (await devices.judge(device))?.busID !== attachment.busId)
      return undefined;
    return access.inspect(attachment, mode);
  }

  /** A container may run already, so a failure here undoes nothing. */
  async #replay(
    found: ClaimCheckpoint,
    attached: readonly Attached[],
    request: ClaimRequest,
    signal: AbortSignal,
  ): Promise<PreparedDevice[]> {
    const devices = await this.#publish(attached, request, signal);
    if (devices.some((device, i) => device.usbAddress !== found.devices[i]?.usbAddress)) {
      await this.#host.claims.write({ ...found, devices });
    }
    return answer(devices);
  }

  /**
   * Two phases: PrepareStarted with each attachment before the kernel is touched, PrepareCompleted when all stands.
   * Whatever fails in between is undone from that record, here or after a crash by the next call for the claim, so that
   * nothing depends on an Unprepare of a claim that was never answered.
   */
  async #start(request: ClaimRequest, signal: AbortSignal): Promise<PreparedDevice[]> {
    const { bootId, claims } = this.#host;
    const located = await StepTimes.time('locate', () => this.#locator.locate(request, signal));
    const since = new Date().toISOString();
    const planned = request.devices.map((wanted) => ({
      ...wanted,
      cdiId: cdiId(request.claim.uid, wanted.device),
    }));
    let checkpoint: ClaimCheckpoint = {
      bootId,
      claim: request.claim,
      state: 'PrepareStarted',
      since,
      devices: planned,
    };
    const record = async (index: number, attachment: Attachment) => {
      const devices = checkpoint.devices.map((device, i) =>
        i === index ? { ...device, attachment } : device,
      );
      checkpoint = { ...checkpoint, devices };
      await StepTimes.time('record', () => claims.write(checkpoint));
    };
    const busy = new BusyWait(this.#patience);
    try {
      await StepTimes.time('reserve', () => reserve(this.#host, checkpoint, busy, signal));
      const usable: UsableDevice[] = [];
      for (const [index, place] of located.entries()) {
        usable.push(await this.#attach(place, (attachment) => record(index, attachment), busy, signal));
      }
      const attached = checkpoint.devices.flatMap((device, i) => {
        const one = usable[i];
        return one ? [{ device, usable: one }] : [];
      });
      const devices = await this.#publish(attached, request, signal);
      await StepTimes.time('complete', () =>
        claims.write({ ...checkpoint, state: 'PrepareCompleted', devices }),
      );
      return answer(devices);
    } catch (error) {
      await this.#undo(checkpoint);
      throw error;
    }
  }

  async #attach(
    { target, wanted }: Located,
    record: (attachment: Attachment) => Promise<void>,
    busy: BusyWait,
    signal: AbortSignal,
  ): Promise<UsableDevice> {
    const { access, holderOf } = this.#host;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await access.attach(target, wanted.mode, record, signal);
      } catch (error) {
        if (!(error instanceof TypedError) || error.code !== 'DEVICE_BUSY') throw error;
        if (await busy.again(signal)) continue;
        const holder = holderOf(target.pool, target.device, target.claim.uid);
        throw holder ? deviceBusy(target.device, target.pool, holder, error) : error;
      }
    }
  }

  /** Tells the container runtime and the claim's readers where the devices are. */
  async #publish(
    attached: readonly Attached[],
    { claim, owner, addresses }: ClaimRequest,
    signal: AbortSignal,
  ): Promise<CheckpointDevice[]> {
    const { cdi, kube, nodeName } = this.#host;
    const rows = attached.map(({ device, usable }) => ({ device: device.device, usable }));
    const text = addressesText(attached);
    const annotate = async () => {
      if (text === addresses) return;
      // A merge patch makes the map of annotations when there is none; the uid keeps it off a claim of the same name.
      const metadata = { uid: claim.uid, annotations: { [CLAIM_ANNOTATIONS.deviceAddresses]: text } };
      await kube.patch(RESOURCE_TYPES.resourceClaims, claim, 'merge', { metadata }, {}, { signal });
    };
    await allEnded([
      StepTimes.time('cdi', () => cdi.write('common', commonCdiSpec(nodeName))),
      StepTimes.time('cdi', () => cdi.write(claim.uid, claimCdiSpec(claim.uid, owner, rows))),
      StepTimes.time('annotate', annotate),
    ]);
    return attached.map(({ device, usable }) => ({ ...device, usbAddress: usbAddress(usable) }));
  }

  /** The first error is the one to tell; a record that could not be undone is found by the next call. */
  async #undo(checkpoint: ClaimCheckpoint): Promise<void> {
    await releaseClaim(this.#host, checkpoint).catch((err: unknown) => {
      const { claim } = checkpoint;
      this.#host.log.error({ claim, err }, `claim ${claim.namespace}/${claim.name} is not fully undone`);
    });
  }
}
