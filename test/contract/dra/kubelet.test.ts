// The kubelet side of the driver: real gRPC clients on real unix sockets.
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DraDriver } from '../../../node/dra/driver.ts';
import { KubeletPlugin, socketPaths } from '../../../node/dra/kubelet-plugin.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { DRAPluginClient, type NodePrepareResourcesResponse } from '../../../proto/kubelet/gen/dra-v1.ts';
import { DRAPluginClient as OldClient } from '../../../proto/kubelet/gen/dra-v1beta1.ts';
import { type PluginInfo, RegistrationClient } from '../../../proto/kubelet/gen/registration.ts';
import { DriverBench, NOTHING, quietLog } from '../../support/dra/driver-bench.ts';
import { claimObject, ref } from '../../support/dra/objects.ts';

type Done<T> = (error: ServiceError | null, response: T) => void;
type Closable = { close(): void };

function answered<T>(call: (done: Done<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, response) => (error ? reject(error) : resolve(response))),
  );
}

let bench: DriverBench;
let plugin: KubeletPlugin | undefined;
let pluginsDir: string;
let registryDir: string;
const clients: Closable[] = [];

beforeEach(() => {
  bench = new DriverBench();
  pluginsDir = join(bench.folder, 'plugins');
  registryDir = join(bench.folder, 'registry');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await plugin?.close();
  plugin = undefined;
  bench.dispose();
});

async function start(
  driver: Pick<DraDriver, 'prepare' | 'unprepare'> = bench.start().driver,
  podUid?: string,
): Promise<KubeletPlugin> {
  const unique = podUid === undefined ? {} : { podUid };
  plugin = await KubeletPlugin.start({ driver, pluginsDir, registryDir, log: quietLog, ...unique });
  return plugin;
}

function client<T extends Closable>(
  Client: new (address: string, c: ReturnType<typeof credentials.createInsecure>) => T,
  path: string,
): T {
  const made = new Client(`unix:${path}`, credentials.createInsecure());
  clients.push(made);
  return made;
}

const draSocket = () => socketPaths(pluginsDir, registryDir).dra;
const registrar = () => client(RegistrationClient, socketPaths(pluginsDir, registryDir).registrar);
const getInfo = (from: RegistrationClient) => answered<PluginInfo>((done) => from.getInfo({}, done));

function claimOf(name: string, device = 'usb-far') {
  const claim = ref(name);
  bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, [{ pool: 'a', device, shareID: 's1' }]));
  return claim;
}

describe('registration', () => {
  it('names the driver, the socket and v1 before v1beta1', async () => {
    await start();
    expect(await getInfo(registrar())).toEqual({
      type: 'DRAPlugin',
      name: 'virtualization-usb',
      endpoint: draSocket(),
      supportedVersions: ['v1.DRAPlugin', 'v1beta1.DRAPlugin'],
    });
  });

  it('says what the kubelet decided', async () => {
    const started = await start();
    expect(started.problem).toContain('not called');
    const from = registrar();
    await answered((done) => from.notifyRegistrationStatus({ pluginRegistered: false, error: 'no' }, done));
    expect(started.problem).toContain('no');
    await answered((done) => from.notifyRegistrationStatus({ pluginRegistered: true, error: '' }, done));
    expect(started.problem).toBeUndefined();
  });

  it('answers GetInfo within a second while claims are slow', async () => {
    const { driver, access } = bench.start();
    await start(driver);
    access.silent.add('usb-far');
    const dra = client(DRAPluginClient, draSocket());
    const call = dra.nodePrepareResources({ claims: [claimOf('slow')] }, () => {});
    const begin = performance.now();
    const from = registrar();
    await Promise.all(Array.from({ length: 50 }, () => getInfo(from)));
    expect(performance.now() - begin).toBeLessThan(1_000);
    call.cancel();
  });
});

describe('sockets', () => {
  it('are for the owner only and leave no other file', async () => {
    await start();
    for (const path of Object.values(socketPaths(pluginsDir, registryDir))) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(registryDir)).toEqual(['virtualization-usb-reg.sock']);
    expect(readdirSync(join(pluginsDir, 'virtualization-usb'))).toEqual(['dra.sock']);
  });

  it('are gone after close', async () => {
    await (await start()).close();
    plugin = undefined;
    expect([...readdirSync(registryDir), ...readdirSync(join(pluginsDir, 'virtualization-usb'))]).toEqual([]);
  });

  it('replace what a killed process left', async () => {
    await (await start()).close();
    writeFileSync(draSocket(), '');
    writeFileSync(socketPaths(pluginsDir, registryDir).registrar, '');
    await start();
    expect((await getInfo(registrar())).name).toBe('virtualization-usb');
  });

  it('of the next instance survive the end of the former', async () => {
    const former = await start();
    await start();
    await former.close();
    expect((await getInfo(registrar())).name).toBe('virtualization-usb');
  });

  it('have names of their own when the pod is known', async () => {
    await start(undefined, 'pod-1');
    const unique = socketPaths(pluginsDir, registryDir, 'pod-1');
    expect(existsSync(unique.registrar)).toBe(true);
    expect((await getInfo(client(RegistrationClient, unique.registrar))).endpoint).toBe(unique.dra);
  });

  it('of an instance that was killed are removed by the next', async () => {
    const first = await start(undefined, 'pod-1');
    const living = socketPaths(pluginsDir, registryDir, 'pod-1').registrar;
    const deaf = join(registryDir, 'virtualization-usb-pod-0-reg.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${deaf}.open`, resolve));
    renameSync(`${deaf}.open`, deaf);
    await new Promise((resolve) => server.close(resolve));
    await start(undefined, 'pod-2');
    expect([existsSync(deaf), existsSync(living)]).toEqual([false, true]);
    await first.close();
  });

  it('may not have a path that the kernel cuts', async () => {
    registryDir = join(bench.folder, 'r'.repeat(100));
    await expect(start()).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    expect(existsSync(draSocket())).toBe(false);
  });
});

describe('the kubelet', () => {
  it('prepares and unprepares through v1', async () => {
    await start();
    const dra = client(DRAPluginClient, draSocket());
    const claim = claimOf('c1');
    const prepared = await answered<NodePrepareResourcesResponse>((done) =>
      dra.nodePrepareResources({ claims: [claim] }, done),
    );
    expect(prepared.claims[claim.uid]).toEqual({
      devices: [
        {
          requestNames: ['usb'],
          poolName: 'a',
          deviceName: 'usb-far',
          cdiDeviceIds: [
            'dra.virtualization.deckhouse.io/usb=common',
            'dra.virtualization.deckhouse.io/usb=uid-c1-usb-far',
          ],
          shareId: 's1',
        },
      ],
      error: '',
    });
    const freed = await answered((done) => dra.nodeUnprepareResources({ claims: [claim] }, done));
    expect(freed).toEqual({ claims: { [claim.uid]: { error: '' } } });
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('gets the same through v1beta1, without share ids', async () => {
    await start();
    const dra = client(OldClient, draSocket());
    const claim = claimOf('c1');
    const prepared = await answered<{ claims: object }>((done) =>
      dra.nodePrepareResources({ claims: [claim] }, done),
    );
    expect(prepared.claims).toMatchObject({ [claim.uid]: { devices: [{ deviceName: 'usb-far' }] } });
    expect(JSON.stringify(prepared)).not.toContain('s1');
  });

  it('gets an answer for every claim, and the error and hint of the one that failed', async () => {
    await start();
    const dra = client(DRAPluginClient, draSocket());
    const [good, bad] = [claimOf('good'), claimOf('bad', 'usb-gone')];
    const { claims } = await answered<NodePrepareResourcesResponse>((done) =>
      dra.nodePrepareResources({ claims: [good, bad] }, done),
    );
    expect(Object.keys(claims).sort()).toEqual([bad.uid, good.uid]);
    expect(claims[good.uid]?.error).toBe('');
    expect(claims[bad.uid]?.error).toMatch(/usb-gone.*\(DEVICE_NOT_FOUND\): ./);
  });

  it('gets an empty answer to an empty question', async () => {
    await start();
    const dra = client(DRAPluginClient, draSocket());
    expect(await answered((done) => dra.nodePrepareResources({ claims: [] }, done))).toEqual({ claims: {} });
  });

  it('undoes a claim by giving the call up', async () => {
    const { driver, access } = bench.start();
    access.silent.add('usb-far');
    await start(driver);
    const dra = client(DRAPluginClient, draSocket());
    const claim = claimOf('slow');
    const call = new Promise((resolve) => {
      const pending = dra.nodePrepareResources({ claims: [claim] }, resolve);
      setTimeout(() => pending.cancel(), 50);
    });
    expect(await call).toMatchObject({ code: status.CANCELLED });
    await expect.poll(() => bench.leftovers()).toEqual(NOTHING);
  });

  it('sees the status that belongs to the code when a whole call fails', async () => {
    const broken = () => Promise.reject(new TypedError('CORRUPT_STATE', 'no disk'));
    await start({ prepare: broken, unprepare: broken });
    const dra = client(DRAPluginClient, draSocket());
    const call = answered((done) => dra.nodeUnprepareResources({ claims: [] }, done));
    await expect(call).rejects.toMatchObject({ code: status.INTERNAL, details: 'no disk (CORRUPT_STATE)' });
  });
});
