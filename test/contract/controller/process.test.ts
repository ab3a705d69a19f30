// `virt-node usb-controller` as a process: settings, probes, metrics, SIGTERM, and what is wrong from the beginning.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../proto/api/lease.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { AgentProcess } from '../../support/agent-process.ts';
import { ControllerBench } from '../../support/controller/controller-bench.ts';
import { pluggedDevice } from '../../support/controller/objects.ts';

vi.setConfig({ testTimeout: 60_000 });
const soon = { timeout: 20_000, interval: 20 };

let bench: ControllerBench;
let folder: string;

beforeEach(async () => {
  bench = await ControllerBench.open();
  folder = mkdtempSync(join(tmpdir(), 'usb-controller-'));
});
afterEach(async () => {
  await bench.close();
  rmSync(folder, { recursive: true });
});

function launch(...flags: string[]): AgentProcess {
  const kubeconfig = join(folder, 'kubeconfig');
  const entry = (name: string, rest: object) => [{ name, ...rest }];
  const config = {
    clusters: entry('test', { cluster: { server: bench.api.url } }),
    users: entry('test', { user: {} }),
    contexts: entry('test', { context: { cluster: 'test', user: 'test' } }),
    'current-context': 'test',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const argv = ['usb-controller', `--kubeconfig=${kubeconfig}`, '--healthz-port=0', ...flags];
  return new AgentProcess({ argv, env: { POD_NAME: 'usb-controller-0' } });
}

describe('virt-node usb-controller', () => {
  it('works, tells how it is, and gives the lease back on SIGTERM', async () => {
    bench.publish('a', pluggedDevice('usb-disk'));
    const controller = launch();
    await expect.poll(() => bench.conditions('usb-disk'), soon).toContain('Ready=True/Ready');
    const [lease] = bench.all<Lease>(RESOURCE_TYPES.leases);
    expect(lease).toMatchObject({
      metadata: { namespace: 'kubectl-virt' },
      spec: { holderIdentity: 'usb-controller-0' },
    });
    await expect.poll(() => controller.get('/readyz'), soon).toMatchObject({ status: 200 });
    expect(await controller.get('/healthz')).toMatchObject({ status: 200 });
    expect(await controller.metric('virt_usb_controller_leader')).toBe(1);
    expect(
      await controller.metric('virt_usb_controller_steps_total{kind="nodeUsbDevices",do="create"}'),
    ).toBe(1);
    expect(await controller.metric('virt_usb_controller_failing')).toBe(0);
    expect(await controller.stop()).toEqual({ code: 0, signal: null });
    expect(bench.all<Lease>(RESOURCE_TYPES.leases)[0]?.spec?.holderIdentity).toBe('');
    expect(controller.stderr).toBe('');
  });

  it('says why it is not ready without an API server, and ends all the same', async () => {
    await bench.api.close();
    const controller = launch();
    await expect
      .poll(async () => (await controller.get('/readyz')).body, soon)
      .toMatch(/failed lease: .+127\.0\.0\.1/);
    expect((await controller.get('/readyz')).body).toContain('failed objects');
    expect(await controller.get('/healthz')).toMatchObject({ status: 200 });
    expect(await controller.stop()).toEqual({ code: 0, signal: null });
    bench = await ControllerBench.open();
  });

  it('tells its flags and settings, and refuses a bad one', async () => {
    const help = new AgentProcess({ argv: ['usb-controller', '--help'] });
    const settings = new AgentProcess({
      argv: ['usb-controller', '--print-config'],
      env: { POD_NAMESPACE: 'ours' },
    });
    const wrong = launch('--namespace=Not_A_Name');
    expect([await help.ended, await settings.ended]).toEqual(Array(2).fill({ code: 0, signal: null }));
    expect(help.stdout).toContain('--namespace');
    expect(settings.stdout).toContain('namespace=ours\n');
    expect(await wrong.ended).toEqual({ code: 2, signal: null });
    expect(wrong.stderr).toMatch(/^error: .+ \(BAD_CONFIG\)\nhint: .+\n$/);
  });
});
