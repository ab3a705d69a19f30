// The end of an import: the port is freed while it is ours, whatever has become of peer, process and device.
import { afterEach, describe, expect, it } from 'vitest';
import { deviceWithNode } from '../../../node/usb/device-with-node.ts';
import { KernelNews } from '../../../node/usb/kernel-news.ts';
import { LocalAccess } from '../../../node/usb/local-access.ts';
import { hostDeviceAccess } from '../../../node/usbip/device-access.ts';
import { DISK } from '../../support/fake-usb-device.ts';
import { codeOf, never, remoteTarget, twoNodes, until } from '../../support/usbip-nodes.ts';

const open: { [Symbol.asyncDispose](): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of open.splice(0)) await node[Symbol.asyncDispose]();
});

async function nodes(...args: Parameters<typeof twoNodes>) {
  const made = await twoNodes(...args);
  open.push(made);
  return made;
}

describe('release', () => {
  it('frees the port, and the owner has its device back', async () => {
    const { a, b, importer, attach, attached, ports, back } = await nodes();
    const { busId } = await attach('usbfs');
    await importer.release(attached());
    expect(ports()).toEqual([]);
    expect(b.kernel.readDevice(busId)).toBeUndefined();
    await back();
    expect(a.kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
  });

  it('works after a restart, by the record alone, and can be repeated', async () => {
    const { b, attach, attached, ports } = await nodes();
    await attach('usbfs');
    await b.importer().release(attached());
    await b.importer().release(attached());
    expect(ports()).toEqual([]);
  });

  it('needs no peer', async () => {
    const { a, importer, attach, attached, ports } = await nodes();
    await attach('usbfs');
    await a.exporter.close();
    await importer.release(attached());
    expect(ports()).toEqual([]);
  });

  it('leaves a port alone that has another device by now', async () => {
    const { a, b, importer, attach, attached } = await nodes();
    await attach('usbfs');
    a.kernel.cut('2-1');
    b.kernel.occupy(8, 99);
    await importer.release(attached());
    expect(b.kernel.portState(8)).toBe(6);
  });

  it('leaves a later claim alone that has the same device on the same port', async () => {
    const { a, b, importer, attach, attached, record } = await nodes();
    await attach('usbfs');
    const first = attached();
    a.kernel.cut('2-1');
    await until(() => a.table.list().length === 0);
    await importer.attach(remoteTarget(a.kernel, '2-1', a.port, 'uid-2'), 'usbfs', record, never);
    expect(attached()).toEqual({ ...first, claim: 'uid-2' });
    await importer.release(first);
    expect(b.kernel.portState(8)).toBe(6);
    await importer.release(attached());
    expect(b.kernel.portState(8)).toBe(4);
  });

  it('of a record whose attach never happened does nothing', async () => {
    const { b, importer } = await nodes();
    await importer.release({
      kind: 'import',
      mode: 'usbfs',
      port: 8,
      devid: 5,
      peer: 'a',
      remoteBusId: '2-1',
    });
    expect(b.kernel.writes).toEqual([]);
  });

  it('of a crash between attach and address waits a little, then frees the port', async () => {
    const { b, importer } = await nodes();
    b.kernel.occupy(8, 5, 5);
    await importer.release({
      kind: 'import',
      mode: 'usbfs',
      port: 8,
      devid: 5,
      peer: 'a',
      remoteBusId: '2-1',
    });
    expect(b.kernel.portState(8)).toBe(4);
  });

  it('waits for a port to tell its device, and then leaves another one alone', async () => {
    const { b, importer } = await nodes();
    b.kernel.occupy(8, 0, 5);
    setTimeout(() => b.kernel.occupy(8, 99), 20);
    await importer.release({
      kind: 'import',
      mode: 'usbfs',
      port: 8,
      devid: 5,
      peer: 'a',
      remoteBusId: '2-1',
    });
    expect(b.kernel.portState(8)).toBe(6);
  });

  it('frees a port in error', async () => {
    const { b, importer } = await nodes();
    b.kernel.occupy(8, 0, 7);
    await importer.release({
      kind: 'import',
      mode: 'usbfs',
      port: 8,
      devid: 5,
      peer: 'a',
      remoteBusId: '2-1',
    });
    expect(b.kernel.portState(8)).toBe(4);
  });
});

describe('device access of a host', () => {
  it('that refuses imports still frees those of a former run', async () => {
    const { a, b, importer, target, record, attach, attached, ports } = await nodes();
    await attach('usbfs');
    const local = new LocalAccess({
      tree: b.kernel.tree,
      stub: a.stub,
      lock: a.lock,
      readDevice: b.kernel.readDevice,
      fingerprint: () => '',
      inUse: () => undefined,
      news: new KernelNews(),
      log: b.log,
    });
    const access = hostDeviceAccess(local, importer, 'refused', (path) =>
      deviceWithNode(b.kernel.tree, path),
    );
    expect(await codeOf(access.attach(target, 'usbfs', record, never))).toBe('PEER_REFUSED');
    expect(access.inspect(attached(), 'usbfs')?.busId).toBe('10-1');
    await access.release(attached());
    expect(ports()).toEqual([]);
  });

  it('that allows imports imports', async () => {
    const { a, b, importer, target, record } = await nodes();
    const local = new LocalAccess({
      tree: b.kernel.tree,
      stub: a.stub,
      lock: a.lock,
      readDevice: b.kernel.readDevice,
      fingerprint: () => '',
      inUse: () => undefined,
      news: new KernelNews(),
      log: b.log,
    });
    const access = hostDeviceAccess(local, importer, 'allowed', (path) =>
      deviceWithNode(b.kernel.tree, path),
    );
    const usable = await access.attach(target, 'usbfs', record, never);
    expect(usable.busId).toBe('10-1');
  });

  it('finds an import and a local device by the usbfs node alone, and frees them', async () => {
    const { a, b, importer, attach, attached, ports } = await nodes();
    const usable = await attach('usbfs');
    b.kernel.plug('1-1', DISK);
    const local = new LocalAccess({
      tree: b.kernel.tree,
      stub: a.stub,
      lock: a.lock,
      readDevice: b.kernel.readDevice,
      fingerprint: () => '',
      inUse: () => undefined,
      news: new KernelNews(),
      log: b.log,
    });
    const access = hostDeviceAccess(local, b.importer(), 'allowed', (path) =>
      deviceWithNode(b.kernel.tree, path),
    );
    const own = b.kernel.readDevice('1-1')?.node.path ?? '';
    expect(access.find(own)).toEqual({ kind: 'local', mode: 'usbfs', busId: '1-1', devid: 0x10002 });
    const found = access.find(usable.nodes[0]?.path ?? '');
    expect(found).toMatchObject({ kind: 'import', port: attached().port, devid: attached().devid });
    if (found) await access.release(found);
    expect(ports()).toEqual([]);
    expect(access.find(usable.nodes[0]?.path ?? '')).toBeUndefined();
    expect(importer.inspect(attached(), 'usbfs')).toBeUndefined();
  });
});
