// The host side of the agent on a simulated node: what it sees, and what it may reach.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceTarget } from '../../../node/dra/device-access.ts';
import { parseOptions } from '../../../node/run/options.ts';
import { USB_AGENT_OPTIONS } from '../../../node/run/usb-agent-options.ts';
import { openUsbHost, stateFolder } from '../../../node/run/usb-host.ts';
import { memoryFolder, quietLog } from '../../support/dra/driver-bench.ts';
import { errorCode } from '../../support/error-code.ts';
import { DISK } from '../../support/fake-usb-device.ts';
import { SimulatedNode } from '../../support/simulated-node.ts';

let folder: string;
let node: SimulatedNode;

beforeEach(() => {
  folder = memoryFolder();
  node = new SimulatedNode(join(folder, 'host'), { diskDelay: 0 });
});
afterEach(() => {
  node.close();
  rmSync(folder, { recursive: true });
});

function open(...flags: string[]) {
  const argv = ['--node-name=a', `--host-root=${node.root}`, `--kubelet-plugins-dir=${folder}`, ...flags];
  return openUsbHost(parseOptions(USB_AGENT_OPTIONS, argv, {}).values, quietLog, () => undefined);
}

const remote: DeviceTarget = {
  claim: { namespace: 'default', name: 'c', uid: 'u' },
  device: 'usb-1',
  pool: 'b',
  busId: '2-1',
  vendorId: 1,
  productId: 1,
  fingerprint: 'sha256:00',
  // Nobody listens there.
  peer: { host: '127.0.0.1', port: 1 },
};
const attach = (host: ReturnType<typeof open>) =>
  errorCode(() => host.access.attach(remote, 'usbfs', async () => undefined, AbortSignal.timeout(5_000)));

describe('the host of an agent', () => {
  it('shows a device and what the node does with it', async () => {
    node.plug('2-1', DISK);
    const host = open();
    await expect.poll(() => existsSync(join(node.root, 'dev/sda1'))).toBe(true);
    expect(host.see('2-1')).toMatchObject({ device: { serial: 'LAB0001' }, use: { mounts: [] } });
    writeFileSync(join(node.root, 'proc/1/mountinfo'), '36 35 8:1 / /mnt rw - ext4 /dev/sda1 rw\n');
    expect(host.see('2-1')?.use.mounts).toEqual(['sda1 on /mnt']);
  });

  it('shows nothing where nothing is plugged', () => {
    const host = open();
    expect([host.see('2-1'), host.readDevice('2-1')]).toEqual([undefined, undefined]);
  });

  it('reads the ports of the node', () => {
    expect(open().vhci.ports()).toHaveLength(16);
  });

  it('reaches no other node unless plain peers are allowed', async () => {
    const [closed, opened] = [await attach(open()), await attach(open('--allow-plain-peers'))];
    expect(opened).toBe('PEER_UNREACHABLE');
    expect(closed).not.toBe(opened);
    expect(closed).not.toBe('none');
  });

  it('keeps its state below the plugin folder of the kubelet', () => {
    expect(stateFolder({ pluginsDir: '/plugins' })).toBe('/plugins/virtualization-usb');
  });
});
