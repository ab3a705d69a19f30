// Taking devices on this node, and giving them back.
import { describe, expect, it } from 'vitest';
import type { ClaimCheckpoint } from '../../../node/dra/checkpoint.ts';
import type { Attachment } from '../../../node/dra/device-access.ts';
import type { DriverHost } from '../../../node/dra/driver-host.ts';
import { releaseClaim } from '../../../node/dra/release.ts';
import { BusyWait, reserve } from '../../../node/dra/reservation.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { ref } from '../../support/dra/objects.ts';

const never = new AbortController().signal;
const local = (busId: string): Attachment => ({ kind: 'local', mode: 'usbfs', busId, devid: 0x10002 });

function record(name: string, device: string, changes: Partial<ClaimCheckpoint> = {}): ClaimCheckpoint {
  return {
    bootId: 'boot',
    claim: ref(name),
    state: 'PrepareStarted',
    since: '2026-01-01T00:00:00.000Z',
    devices: [{ requests: ['usb'], pool: 'a', device, mode: 'usbfs', cdiId: `x/y=${device}` }],
    ...changes,
  };
}

/** Logs what happens; the lock is the innermost bracket around it. */
function fakeHost(present: ClaimCheckpoint[]) {
  const log: string[] = [];
  const stuck = new Set<string>();
  const host = {
    bootId: 'boot',
    lockPath: '/serialize.lock',
    fileLock: async (path: string, _timeout: number, work: () => Promise<unknown>) => {
      log.push(`lock ${path}`);
      const result = await work();
      log.push('unlock');
      return result;
    },
    claims: {
      list: async () => [...present],
      write: async ({ claim }: ClaimCheckpoint) => void log.push(`write ${claim.name}`),
      remove: async (uid: string) => void log.push(`forget ${uid}`),
    },
    cdi: { remove: async (id: string) => void log.push(`cdi ${id}`) },
    access: {
      release: async (attachment: Attachment) => {
        const name = attachment.kind === 'local' ? attachment.busId : String(attachment.port);
        log.push(`release ${name}`);
        if (stuck.has(name)) throw new TypedError('KERNEL', name);
      },
    },
  };
  return { host: host as unknown as DriverHost, log, stuck };
}

const impatient = () => new BusyWait({ wait: 0, poll: 1 });

describe('a reservation', () => {
  it('looks and writes under one lock', async () => {
    const { host, log } = fakeHost([record('other', 'usb-2')]);
    await reserve(host, record('c1', 'usb-1'), impatient(), never);
    expect(log).toEqual(['lock /serialize.lock', 'write c1', 'unlock']);
  });

  it('writes nothing while another claim has the device', async () => {
    const { host, log } = fakeHost([record('other', 'usb-1')]);
    const attempt = reserve(host, record('c1', 'usb-1'), impatient(), never);
    await expect(attempt).rejects.toMatchObject({ code: 'DEVICE_BUSY' });
    expect(log).not.toContain('write c1');
  });

  it('does not hold the lock while it waits', async () => {
    const present = [record('other', 'usb-1')];
    const { host, log } = fakeHost(present);
    const attempt = reserve(host, record('c1', 'usb-1'), new BusyWait({ wait: 1_000, poll: 5 }), never);
    await expect.poll(() => log.filter((line) => line === 'unlock').length).toBeGreaterThan(1);
    present.length = 0;
    await attempt;
    expect(log.at(-2)).toBe('write c1');
    expect(log.filter((line) => line.startsWith('lock')).length).toBe(
      log.filter((l) => l === 'unlock').length,
    );
  });

  it('ends with the call', async () => {
    const { host } = fakeHost([record('other', 'usb-1')]);
    const stop = new AbortController();
    const attempt = reserve(
      host,
      record('c1', 'usb-1'),
      new BusyWait({ wait: 60_000, poll: 60_000 }),
      stop.signal,
    );
    stop.abort();
    await expect(attempt).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('passes over its own former record and those of another boot', async () => {
    const former = [record('c1', 'usb-1'), record('other', 'usb-1', { bootId: 'boot-0' })];
    const { host, log } = fakeHost(former);
    await reserve(host, record('c1', 'usb-1'), impatient(), never);
    expect(log).toContain('write c1');
  });
});

describe('a release', () => {
  const devices = ['1-1', '1-2', '1-3'].map((busId) => ({
    requests: ['usb'],
    pool: 'a',
    device: busId,
    mode: 'usbfs' as const,
    cdiId: 'x',
    attachment: local(busId),
  }));

  it('goes backwards, and forgets the claim last', async () => {
    const { host, log } = fakeHost([]);
    await releaseClaim(host, record('c1', '', { devices }));
    expect(log).toEqual(['release 1-3', 'release 1-2', 'release 1-1', 'cdi uid-c1', 'forget uid-c1']);
  });

  it('skips devices that were never touched', async () => {
    const { host, log } = fakeHost([]);
    await releaseClaim(host, record('c1', 'usb-1'));
    expect(log).toEqual(['cdi uid-c1', 'forget uid-c1']);
  });

  it('frees all that can be freed, tells the first error and keeps the record', async () => {
    const { host, log, stuck } = fakeHost([]);
    stuck.add('1-3').add('1-1');
    const attempt = releaseClaim(host, record('c1', '', { devices }));
    await expect(attempt).rejects.toMatchObject({ code: 'KERNEL', message: '1-3' });
    expect(log).toEqual(['release 1-3', 'release 1-2', 'release 1-1']);
  });
});
