// The small parts of a change: flags, guards of patches, kinds that are needed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Arguments } from '../../../../plugin/run/arguments.ts';
import { changeOptions } from '../../../../plugin/usb/change/change-options.ts';
import { testOf } from '../../../../plugin/usb/change/guarded-patch.ts';
import { needKinds } from '../../../../plugin/usb/change/read-device.ts';
import { parseVm } from '../../../../plugin/usb/change/vm.ts';
import { podObjects } from '../../../../plugin/usb/pod-snippet.ts';
import { readFacts } from '../../../../plugin/usb/read-facts.ts';
import { TypedError } from '../../../../proto/api/typed-error.ts';
import { applyJsonPatch, PatchFailure } from '../../../../proto/kube/memory/json-patch.ts';
import { codeOf } from '../code-of.ts';
import { FakeKube, forbidden } from '../fake-kube.ts';
import { assignedFacts, nodeUsbDevice, stickFacts, stickRow, vmOf } from './change-objects.ts';

function options(flags: Record<string, unknown>) {
  return changeOptions(new Arguments(Object.entries(flags)), 60_000);
}

describe('the flags of a change', () => {
  it('wait for the default time, ask, and change things, when none is given', () => {
    expect(options({})).toEqual({
      dryRun: 'none',
      waits: true,
      timeout: 60_000,
      yes: false,
      format: undefined,
    });
  });

  it.each([
    [{ wait: false }, { waits: false }],
    [{ wait: true }, { waits: true }],
    [{ timeout: '90s' }, { timeout: 90_000 }],
    [{ timeout: '0' }, { timeout: Number.POSITIVE_INFINITY }],
    [{ 'dry-run': 'none' }, { dryRun: 'none' }],
    [
      { 'dry-run': 'server', output: 'yaml' },
      { dryRun: 'server', format: 'yaml' },
    ],
    [
      { 'dry-run': 'client', output: 'name' },
      { dryRun: 'client', format: 'name' },
    ],
    [{ yes: true }, { yes: true }],
  ])('%j mean %j', (flags, wanted) => {
    expect(options(flags)).toMatchObject(wanted);
  });

  it.each([{ timeout: 'soon' }, { 'dry-run': 'client', output: 'json' }])('%j are refused', (flags) => {
    expect(codeOf(() => options(flags))).toBe('USAGE');
  });
});

describe('the guard of a patch', () => {
  it('holds for the object it was made of', () => {
    for (const path of [
      ['spec', 'assignedNamespace'],
      ['spec', 'fingerprint'],
      ['spec', 'x', 'y'],
    ])
      expect(() => applyJsonPatch(nodeUsbDevice('lab'), [testOf(nodeUsbDevice('lab'), path)])).not.toThrow();
  });

  it('fails for an object whose member has another value', () => {
    const guard = testOf(nodeUsbDevice('lab'), ['spec', 'assignedNamespace']);
    expect(() => applyJsonPatch(nodeUsbDevice('other'), [guard])).toThrow(PatchFailure);
  });

  it('fails for any other version where there is no member to test', () => {
    const guard = testOf(vmOf('web'), ['spec', 'usbDevices']);
    const later = { ...vmOf('web'), metadata: { ...vmOf('web').metadata, resourceVersion: '10' } };
    expect(() => applyJsonPatch(later, [guard])).toThrow(PatchFailure);
  });

  it('takes no member of a prototype for one of the object', () => {
    expect(testOf(vmOf('web'), ['spec', 'constructor']).path).toBe('/metadata/resourceVersion');
  });
});

describe('a VM and its namespace', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);

  it('are read as they are written', () => {
    fc.assert(
      fc.property(label, label, fc.constantFrom('', 'vm/'), (name, namespace, prefix) => {
        expect(parseVm(`${prefix}${name}.${namespace}`, undefined)).toEqual({ name, namespace });
        expect(parseVm(`${prefix}${name}`, namespace)).toEqual({ name, namespace });
      }),
    );
  });

  it('are an error or a name, never an exception of another kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const code = codeOf(() => parseVm(text, undefined));
        expect([undefined, 'USAGE']).toContain(code);
      }),
    );
  });
});

describe('kinds that a change needs', () => {
  async function need(error: TypedError): Promise<TypedError | undefined> {
    const collections = await readFacts(new FakeKube({ virtualmachines: error }));
    try {
      needKinds(collections, 'nodeUsbDevices', 'virtualMachines');
      return undefined;
    } catch (refusal) {
      return refusal as TypedError;
    }
  }

  it('are explained where they are not served', async () => {
    expect(await need(new TypedError('API_NOT_SERVED', 'unknown'))).toMatchObject({
      code: 'API_NOT_SERVED',
      message: expect.stringContaining('virtualmachines.virtualization.deckhouse.io'),
      hint: expect.stringContaining('usb claim'),
    });
  });

  it('are refused in the words of the server where they are forbidden', async () => {
    expect(await need(forbidden('virtualmachines'))).toMatchObject({
      code: 'FORBIDDEN',
      message: 'you may not list virtualmachines',
    });
  });

  it('are fine when they were listed, even if empty', async () => {
    const collections = await readFacts(new FakeKube());
    expect(() => needKinds(collections, 'nodeUsbDevices', 'usbDevices', 'virtualMachines')).not.toThrow();
  });
});

describe('the pod of a device', () => {
  it('is in the namespace that has the device', () => {
    expect(podObjects(stickRow(assignedFacts()), undefined, 'usbfs').objects).toMatchObject([
      { metadata: { namespace: 'lab' } },
    ]);
  });

  it('asks in its own claim for the very device', () => {
    const [claim] = podObjects(stickRow(assignedFacts()), 'lab', 'driver').objects;
    expect(JSON.stringify(claim)).toContain(
      JSON.stringify(`name == "${stickRow(assignedFacts()).name}"`).slice(1, -1),
    );
  });

  it.each([
    ['NOT_FOUND', stickFacts(), undefined],
    ['NOT_FOUND', stickFacts(), 'lab'],
    ['CONFLICT', assignedFacts('other'), 'lab'],
    ['DEVICE_BLOCKED', assignedFacts('lab', { device: { verdict: 'Blocked' } }), 'lab'],
  ])('is refused with %s', (code, facts, namespace) => {
    expect(codeOf(() => podObjects(stickRow(facts), namespace, 'usbfs'))).toBe(code);
  });
});
