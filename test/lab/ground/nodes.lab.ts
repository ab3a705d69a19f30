// The ground that all lab tests stand on: nodes boot, run commands side by side, and lose power for real.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { sharedCluster } from '../shared-cluster.ts';

describe('a node', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });

  it('is a Linux kernel of its own with USB/IP, kernel TLS and cgroup 2', async () => {
    const node = cluster.node('a');
    expect(await node.ok('uname -r')).toMatch(/^6\.12/);
    expect(await node.ok('hostname')).toBe('a');
    expect(await node.ok('cat /sys/devices/platform/vhci_hcd.0/nports')).toBe('16');
    expect(await node.ok('ls /sys/class/udc | grep -c dummy_udc')).toBe('10');
    expect(await node.ok('cat /proc/sys/net/ipv4/tcp_available_ulp')).toContain('tls');
    expect(await node.ok('cat /sys/fs/cgroup/cgroup.controllers')).toMatch(/memory.*pids/);
  });

  it('runs Node.js of the checkout', async () => {
    expect(await cluster.node('a').ok('node -p process.version')).toBe(process.version);
  });

  it('reports the exit code and both outputs of a command', async () => {
    const result = await cluster.node('a').sh('echo out; echo err >&2; exit 7');
    expect(result).toEqual({ out: 'out\nerr\n', code: 7 });
  });

  it('runs commands side by side', async () => {
    const start = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => cluster.node('a').ok('sleep 1')));
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('hands back a megabyte unchanged', async () => {
    const { out } = await cluster.node('a').sh('head -c 750000 /dev/urandom | base64 -w0 | tee /run/mega');
    expect(out).toHaveLength(1_000_000);
    const hash = createHash('sha256').update(out).digest('hex');
    expect(await cluster.node('a').ok('sha256sum </run/mega; rm /run/mega')).toContain(hash);
  });

  it('kills everything a command started when its time is over', async () => {
    const node = cluster.node('a');
    await expect(node.sh('echo begun; sleep 543 & sleep 543', { timeout: 1_000 })).rejects.toThrow(/begun/);
    expect((await node.sh('pgrep -cf "^sleep 543"')).out.trim()).toBe('0');
  });

  it('reaches the other node', async () => {
    await cluster.node('a').ok(`busybox ping -c 2 ${cluster.node('b').address}`);
  });

  it('reaches nobody while its network plug is pulled', async () => {
    const [a, b] = [cluster.node('a'), cluster.node('b')];
    await cluster.network.unplug(b.index);
    expect((await a.sh(`busybox ping -c 1 -W 1 ${b.address}`)).code).toBe(1);
    await cluster.network.replug(b.index);
    await a.ok(`busybox ping -c 1 -W 5 ${b.address}`);
  });
});

describe('a power loss', () => {
  it('keeps what was synced to /var/lib/kubelet and loses what was not', async () => {
    const cluster = await sharedCluster();
    const node = cluster.node('b');
    await node.ok('echo safe >/var/lib/kubelet/synced; sync /var/lib/kubelet/synced; sync');
    await node.ok('echo lost >/var/lib/kubelet/unsynced; echo gone >/run/volatile');
    const start = performance.now();
    await node.powerLoss();
    const off = performance.now();
    await cluster.boot(node);
    const ready = performance.now();
    console.log(
      `power loss ${(off - start).toFixed(0)} ms, Ready again after ${((ready - off) / 1000).toFixed(1)} s`,
    );
    expect(await node.ok('cat /var/lib/kubelet/synced')).toBe('safe');
    expect((await node.sh('cat /var/lib/kubelet/unsynced')).out).not.toContain('lost');
    expect((await node.sh('test -e /run/volatile')).code).toBe(1);
    await node.ok('rm -f /var/lib/kubelet/synced /var/lib/kubelet/unsynced');
  });

  it('fails the commands that were running', async () => {
    const cluster = await sharedCluster();
    const node = cluster.node('b');
    const running = node.sh('sleep 100');
    running.catch(() => {});
    await node.powerLoss();
    await expect(running).rejects.toThrow(/node b went down/);
    await expect(node.sh('true')).rejects.toThrow(/node b went down/);
    const boot = await node.boot();
    console.log(`bare boot ${boot.toFixed(0)} ms`);
    expect(boot).toBeLessThan(20_000);
    await node.powerLoss();
    await cluster.boot(node);
  });
});
