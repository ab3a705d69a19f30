// usb assign, unassign, detach and claim against a server.
import { afterEach, describe, expect, it } from 'vitest';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import { claimOf } from '../lab-facts.ts';
import { type BenchOptions, ChangeBench } from './change-bench.ts';
import {
  assignedFacts,
  condition,
  FINGERPRINT,
  nodeUsbDevice,
  STICK,
  stickFacts,
  UNPLUGGED,
  vmOf,
} from './change-objects.ts';

let bench: ChangeBench;
afterEach(() => bench.api.close());

async function start(facts: UsbFacts, options: BenchOptions = {}) {
  bench = await ChangeBench.start(facts, options);
}

const web = vmOf('web', { list: [STICK], attached: [STICK] });
const used = () => assignedFacts('lab', { vms: [web] });

describe('usb assign', () => {
  it('waits until the USBDevice is ready', async () => {
    await start(stickFacts());
    const { code, out } = await bench.run('usb assign stick -n lab');
    expect([code, out]).toEqual([0, `${STICK} is assigned to namespace lab\n`]);
    expect(bench.usbDevices().map(({ metadata }) => metadata.namespace)).toEqual(['lab']);
  });

  it('needs the namespace on the command line', async () => {
    await start(stickFacts());
    expect((await bench.run('usb assign stick')).code).toBe(2);
  });

  it('knows that the namespace does not exist', async () => {
    await start(stickFacts());
    const { code } = await bench.run('usb assign stick -n nowhere');
    expect([code, bench.stick().spec.assignedNamespace]).toEqual([3, '']);
  });

  it('goes on when namespaces may not be read', async () => {
    await start(stickFacts(), { authorize: ({ resource }) => resource !== 'namespaces' });
    expect((await bench.run('usb assign stick -n lab')).code).toBe(0);
  });

  it('leaves the device with another namespace', async () => {
    await start(assignedFacts('other'));
    const { code, err } = await bench.run('usb assign stick -n lab --yes');
    expect([code, bench.stick().spec.assignedNamespace]).toEqual([6, 'other']);
    expect(err).toContain('assigned to namespace other');
  });

  it('approves what is plugged in now', async () => {
    const ready = condition('Ready', 'False', 'FingerprintChanged', 'it is another device');
    const pinned = nodeUsbDevice('lab', { ready });
    const changed = { ...pinned, status: { ...pinned.status, pinnedFingerprint: 'sha256:old' } };
    await start(assignedFacts('lab', { nodeUsbDevices: [changed] }));
    const refused = await bench.run('usb assign stick -n lab');
    expect([refused.code, refused.err.includes('--approve-change')]).toEqual([6, true]);
    expect((await bench.run('usb assign stick -n lab --approve-change')).code).toBe(0);
    expect(bench.stick().spec.fingerprint).toBe(FINGERPRINT);
  });

  it('needs a yes for a device that is known by its port only', async () => {
    await start(stickFacts({ device: { identityForm: 'port' } }));
    expect((await bench.run('usb assign stick -n lab')).code).toBe(2);
    expect((await bench.run('usb assign stick -n lab', { answers: [false] })).code).toBe(1);
    expect(bench.stick().spec.assignedNamespace).toBe('');
    expect((await bench.run('usb assign stick -n lab --yes')).code).toBe(0);
  });

  it('times out when no controller is there, and keeps the assignment', async () => {
    await start(stickFacts(), { actor: { assigns: false } });
    const { code, err } = await bench.run('usb assign stick -n lab --timeout 400ms');
    expect([code, bench.stick().spec.assignedNamespace]).toEqual([5, 'lab']);
    expect(err).toContain('the controller has not seen the change yet');
  });

  it('prints the NodeUSBDevice with -o yaml', async () => {
    await start(stickFacts());
    expect((await bench.run('usb assign stick -n lab -oyaml')).out).toMatch(
      /^kind: NodeUSBDevice\nspec:\n {2}assignedNamespace: lab/m,
    );
  });

  it('says what is missing in a cluster without NodeUSBDevices', async () => {
    const { nodeUsbDevices: _, usbDevices: __, vms: ___, ...facts } = stickFacts();
    await start(facts);
    bench.api.faults.once({ status: 404 }, (_method, path) => path.includes('nodeusbdevices'));
    const { code, err } = await bench.run('usb assign stick -n lab');
    expect([code, err.includes('usb-controller')]).toEqual([3, true]);
  });
});

describe('usb unassign', () => {
  it('waits until the USBDevice is gone', async () => {
    await start(assignedFacts());
    const { code, out } = await bench.run('usb unassign stick');
    expect([code, out, bench.usbDevices()]).toEqual([0, `${STICK} is assigned to no namespace\n`, []]);
  });

  it('is an error where nobody can be asked and a VM would lose the device', async () => {
    await start(used());
    const { code, err } = await bench.run('usb unassign stick');
    expect([code, err.includes('--yes'), bench.stick().spec.assignedNamespace]).toEqual([2, true, 'lab']);
  });

  it('asks once on a terminal, and --yes answers', async () => {
    await start(used());
    const { host } = await bench.run('usb unassign stick', { answers: [false] });
    expect([host.questions.length, bench.stick().spec.assignedNamespace]).toEqual([1, 'lab']);
    const yes = await bench.run('usb unassign stick --yes', { answers: [false] });
    expect([yes.code, yes.host.questions, bench.stick().spec.assignedNamespace]).toEqual([0, [], '']);
  });
});

describe('usb detach', () => {
  it('finds the VM and waits until it is without the device', async () => {
    await start(used());
    const { code, out } = await bench.run('usb detach stick --yes');
    expect([code, out]).toEqual([0, `${STICK} is detached from vm/web.lab\n`]);
    expect([bench.vm('web').spec.usbDevices, bench.vm('web').status?.usbDevices]).toEqual([[], []]);
  });

  it('takes a VM by its name', async () => {
    await start(used());
    expect((await bench.run('usb detach stick web.lab -y')).code).toBe(0);
    expect((await bench.run('usb detach stick web -y')).out).toContain('is not attached to vm/web.lab');
    expect((await bench.run('usb detach stick nobody')).code).toBe(3);
  });

  it('asks before the VM loses the device', async () => {
    await start(used());
    expect((await bench.run('usb detach stick')).code).toBe(2);
    const { code, err } = await bench.run('usb detach stick', { answers: [false] });
    expect([code, err, bench.vm('web').spec.usbDevices?.length]).toEqual([1, 'nothing was changed\n', 1]);
  });

  it('says which pod holds it', async () => {
    await start(assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK, ['job'])] }));
    const { code, err } = await bench.run('usb detach stick');
    expect([code, err.includes('kubectl delete pod job -n lab')]).toEqual([6, true]);
  });

  it('looks in the own namespace when VMs of all may not be listed', async () => {
    await start(used(), {
      authorize: ({ resource, namespace }) => resource !== 'virtualmachines' || namespace === 'lab',
    });
    expect((await bench.run('usb detach stick -y')).code).toBe(0);
  });
});

describe('usb claim', () => {
  it("prints a pod with the namespace's template", async () => {
    await start(assignedFacts());
    const { code, out } = await bench.run('usb claim stick -ojson');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'Pod',
      metadata: { namespace: 'lab' },
      spec: { resourceClaims: [{ name: 'usb', resourceClaimTemplateName: `${STICK}-template` }] },
    });
  });

  it('brings a claim of its own for the driver mode, and says what that takes', async () => {
    await start(assignedFacts());
    const { out, err } = await bench.run('usb claim stick --mode driver -ojson');
    expect(JSON.parse(out).items.map((item: { kind: string }) => item.kind)).toEqual([
      'ResourceClaim',
      'Pod',
    ]);
    expect([
      JSON.stringify(JSON.parse(out)).includes('"mode":"driver"'),
      err.includes('free-claims'),
    ]).toEqual([true, true]);
  });

  it.each([
    ['a free device', stickFacts(), 3],
    ['a device of another namespace', assignedFacts('other'), 6],
  ])('explains why not for %s', async (_what, facts, exit) => {
    await start(facts);
    const { code, out, err } = await bench.run('usb claim stick -n lab');
    expect([code, out, err.includes('kubectl virt usb assign')]).toEqual([exit, '', true]);
  });

  it('prints the pod of an unplugged device too, with a note', async () => {
    await start(assignedFacts('lab', { statuses: UNPLUGGED }));
    const { code, out, err } = await bench.run('usb claim stick');
    expect([code, out.startsWith('apiVersion: v1\nkind: Pod'), /^note: .*not plugged/.test(err)]).toEqual([
      0,
      true,
      true,
    ]);
  });
});
