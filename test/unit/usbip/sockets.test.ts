// Reading exactly, and letting go of a descriptor, over real sockets.
import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { takeDescriptor } from '../../../node/usbip/socket-descriptor.ts';
import { limitTime, readExactly } from '../../../node/usbip/socket-reader.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { codeOf } from '../../support/usbip-nodes.ts';

const open: { destroy?: () => void; close?: () => void }[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) (thing.destroy ?? thing.close)?.call(thing);
});

async function pair(): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const theirs = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket];
  for (const socket of [ours, theirs]) socket.on('error', () => undefined);
  open.push(ours, theirs, server);
  return { ours, theirs };
}

describe('exact reader', () => {
  it('joins what comes in pieces', async () => {
    const { ours, theirs } = await pair();
    const reading = readExactly(ours, 6);
    for (const piece of ['a', 'bc', 'def']) {
      theirs.write(piece);
      await sleep(2);
    }
    expect((await reading).toString()).toBe('abcdef');
  });

  it('leaves what comes behind for the next read', async () => {
    const { ours, theirs } = await pair();
    theirs.write('abcdef');
    expect((await readExactly(ours, 2)).toString()).toBe('ab');
    expect((await readExactly(ours, 4)).toString()).toBe('cdef');
  });

  it('reads nothing when nothing is asked for', async () => {
    const { ours } = await pair();
    expect(await readExactly(ours, 0)).toHaveLength(0);
  });

  it('refuses a message that ends too early', async () => {
    const { ours, theirs } = await pair();
    theirs.end('abc');
    expect(await codeOf(readExactly(ours, 4))).toBe('PROTOCOL');
  });

  it('refuses to read from a connection that is closed', async () => {
    const { ours } = await pair();
    ours.destroy();
    expect(await codeOf(readExactly(ours, 4))).toBe('PROTOCOL');
  });

  it('fails with the reason when time is up', async () => {
    const { ours, theirs } = await pair();
    theirs.write('ab');
    const inTime = limitTime(ours, 20, () => new TypedError('TIMED_OUT', 'slow'));
    expect(await codeOf(readExactly(ours, 4))).toBe('TIMED_OUT');
    inTime();
  });
});

describe('descriptor', () => {
  it('is that of an open socket, and reading has stopped', async () => {
    const { ours, theirs } = await pair();
    theirs.write('ab');
    await readExactly(ours, 2);
    expect(fstatSync(takeDescriptor(ours)).isSocket()).toBe(true);
    theirs.write('for the kernel');
    await sleep(10);
    expect(ours.readableLength).toBe(0);
    expect(ours.bytesRead).toBe(2);
  });

  it('can still be written through, for the reply', async () => {
    const { ours, theirs } = await pair();
    takeDescriptor(ours);
    ours.write('reply', () => ours.destroy());
    expect((await readExactly(theirs, 5)).toString()).toBe('reply');
  });

  it('is not given away with bytes that the kernel would miss', async () => {
    const { ours, theirs } = await pair();
    theirs.write('abc');
    await readExactly(ours, 2);
    expect(() => takeDescriptor(ours)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
  });

  it('of a closed connection is none', async () => {
    const { ours } = await pair();
    ours.destroy();
    expect(() => takeDescriptor(ours)).toThrow(expect.objectContaining({ code: 'PEER_UNREACHABLE' }));
  });
});
