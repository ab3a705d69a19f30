// The bytes on the kubelet's sockets, written by hand from the field numbers: generated code must agree with them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as v1 from '../../../proto/kubelet/gen/dra-v1.ts';
import * as v1beta1 from '../../../proto/kubelet/gen/dra-v1beta1.ts';
import * as registration from '../../../proto/kubelet/gen/registration.ts';
import { memoryFolder } from '../../support/dra/driver-bench.ts';

const kubelet = new URL('../../../proto/kubelet/', import.meta.url).pathname;
const out = memoryFolder();
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** A length-delimited field whose content is short text or other fields. */
function field(number: number, ...content: (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('generated code', () => {
  it('is what the .proto files give', () => {
    execFileSync(process.execPath, [join(kubelet, 'generate.ts'), out]);
    const read = (folder: string) =>
      Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
    expect(read(out)).toEqual(read(join(kubelet, 'gen')));
  });
});

describe('names on the wire', () => {
  it.each([
    [registration.RegistrationService.getInfo.path, '/pluginregistration.Registration/GetInfo'],
    [
      registration.RegistrationService.notifyRegistrationStatus.path,
      '/pluginregistration.Registration/NotifyRegistrationStatus',
    ],
    [
      v1.DRAPluginService.nodePrepareResources.path,
      '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources',
    ],
    [
      v1.DRAPluginService.nodeUnprepareResources.path,
      '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources',
    ],
    [
      v1beta1.DRAPluginService.nodePrepareResources.path,
      '/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources',
    ],
    [
      v1beta1.DRAPluginService.nodeUnprepareResources.path,
      '/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodeUnprepareResources',
    ],
  ])('%s', (path, expected) => {
    expect(path).toBe(expected);
  });
});

describe('messages', () => {
  const claim = { namespace: 'ns', uid: 'u', name: 'n' };
  const claimBytes = [field(1, 'ns'), field(2, 'u'), field(3, 'n')];
  const device = { requestNames: ['r1', 'r2'], poolName: 'p', deviceName: 'd', cdiDeviceIds: ['c1', 'c2'] };
  const deviceBytes = [
    field(1, 'r1'),
    field(1, 'r2'),
    field(2, 'p'),
    field(3, 'd'),
    field(4, 'c1'),
    field(4, 'c2'),
  ];

  it.each([
    ['v1', v1],
    ['v1beta1', v1beta1],
  ])('%s requests name the claim', (_, api) => {
    for (const message of [api.NodePrepareResourcesRequest, api.NodeUnprepareResourcesRequest]) {
      const bytes = message.encode({ claims: [claim] }).finish();
      expect(hex(bytes)).toBe(hex(field(1, ...claimBytes)));
      expect(message.decode(bytes)).toEqual({ claims: [claim] });
    }
  });

  it('v1 answers with devices and a share id', () => {
    const bytes = v1.NodePrepareResourcesResponse.encode({
      claims: { u: { devices: [{ ...device, shareId: 's' }], error: '' } },
    }).finish();
    const value = field(2, field(1, ...deviceBytes, field(5, 's')));
    expect(hex(bytes)).toBe(hex(field(1, field(1, 'u'), value)));
  });

  it('v1beta1 answers with devices', () => {
    const bytes = v1beta1.NodePrepareResourcesResponse.encode({
      claims: { u: { devices: [device], error: 'e' } },
    }).finish();
    expect(hex(bytes)).toBe(hex(field(1, field(1, 'u'), field(2, field(1, ...deviceBytes), field(2, 'e')))));
  });

  it.each([
    ['v1', v1],
    ['v1beta1', v1beta1],
  ])('%s answers a claim that has nothing to say', (_, api) => {
    const empty = hex(field(1, field(1, 'u'), field(2)));
    expect(hex(api.NodeUnprepareResourcesResponse.encode({ claims: { u: { error: '' } } }).finish())).toBe(
      empty,
    );
    expect(
      hex(api.NodePrepareResourcesResponse.encode({ claims: { u: { devices: [], error: '' } } }).finish()),
    ).toBe(empty);
    const failed = api.NodeUnprepareResourcesResponse.encode({ claims: { u: { error: 'e' } } }).finish();
    expect(hex(failed)).toBe(hex(field(1, field(1, 'u'), field(2, field(1, 'e')))));
  });

  it('fields of a later kubelet are skipped', () => {
    const bytes = field(1, ...claimBytes, field(9, 'new'));
    expect(v1.NodePrepareResourcesRequest.decode(bytes)).toEqual({ claims: [claim] });
  });

  it('registration tells type, name, endpoint and versions', () => {
    const info = { type: 'DRAPlugin', name: 'x', endpoint: '/s', supportedVersions: ['a', 'b'] };
    const bytes = [field(1, 'DRAPlugin'), field(2, 'x'), field(3, '/s'), field(4, 'a'), field(4, 'b')];
    expect(hex(registration.PluginInfo.encode(info).finish())).toBe(hex(Buffer.concat(bytes)));
    const status = Buffer.concat([Buffer.from([0x08, 0x01]), field(2, 'e')]);
    expect(registration.RegistrationStatus.decode(status)).toEqual({ pluginRegistered: true, error: 'e' });
  });
});
