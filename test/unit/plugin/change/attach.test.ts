// usb attach against a server: the good way, and every way in which it does not end well.
import { afterEach, describe, expect, it } from 'vitest';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { type BenchOptions, ChangeBench } from './change-bench.ts';
import { assignedFacts, STICK, stickFacts, vmOf } from './change-objects.ts';

let bench: ChangeBench;
afterEach(() => bench.api.close());

const web = vmOf('web', { list: ['usb-other'], attached: ['usb-other'] });

async function start(facts: UsbFacts = assignedFacts('lab', { vms: [web] }), options: BenchOptions = {}) {
  bench = await ChangeBench.start(facts, options);
}

function listOf(vm: string): string[] | undefined {
  return bench.vm(vm).spec.usbDevices?.map(({ name }) => name);
}

describe('usb attach', () => {
  it('adds the device to the list and waits until the VM has it', async () => {
    await start();
    const { code, out, err } = await bench.run('usb attach stick web.lab');
    expect([code, out]).toEqual([0, `${STICK} is attached to vm/web.lab\n`]);
    expect(listOf('web')).toEqual(['usb-other', STICK]);
    expect(err).toMatch(
      /^ {2}0s {2}add usb-57c1\w+ to the list of vm\/web\.lab\n(.*\n)* {2}0s {2}attached to vm\/web\n$/,
    );
  });

  it('takes the namespace of the context when none is given', async () => {
    await start();
    expect((await bench.run('usb attach 0951:1666 vm/web')).code).toBe(0);
    expect(listOf('web')).toContain(STICK);
  });

  it('says so when the VM has the device already, and writes nothing', async () => {
    await start(assignedFacts('lab', { vms: [vmOf('web', { list: [STICK], attached: [STICK] })] }));
    const version = bench.api.store.version;
    const { code, out } = await bench.run('usb attach stick web');
    expect([code, out, bench.api.store.version]).toEqual([
      0,
      `${STICK} is attached to vm/web.lab\n`,
      version,
    ]);
  });

  it('assigns a free device on the way with --assign', async () => {
    await start(stickFacts({ vms: [web] }));
    const { code, err } = await bench.run('usb attach stick web --assign');
    expect([code, err.includes('assigned to namespace lab and ready')]).toEqual([0, true]);
    expect([bench.stick().spec.assignedNamespace, listOf('web')]).toEqual(['lab', ['usb-other', STICK]]);
  });

  it('asks before it assigns, once, and does nothing after a no', async () => {
    await start(stickFacts({ vms: [web] }));
    const no = await bench.run('usb attach stick web', { answers: [false] });
    expect([no.code, no.host.questions.length, bench.stick().spec.assignedNamespace]).toEqual([1, 1, '']);
    const yes = await bench.run('usb attach stick web', { answers: [true] });
    expect([yes.code, yes.host.questions.length, listOf('web')]).toEqual([0, 1, ['usb-other', STICK]]);
  });

  it('never asks where nobody can answer', async () => {
    await start(stickFacts({ vms: [web] }));
    const { code, err } = await bench.run('usb attach stick web');
    expect([code, err.includes('--assign')]).toEqual([2, true]);
  });

  it('prints the VM at the end with -o, and nothing else on stdout', async () => {
    await start();
    const { out } = await bench.run('usb attach stick web -ojson');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'VirtualMachine',
      status: { usbDevices: [{}, { name: STICK, attached: true }] },
    });
    const name = await bench.run('usb attach stick web -oname');
    expect(name.out).toBe('virtualmachine.virtualization.deckhouse.io/web\n');
  });

  it('does not wait with --wait=false', async () => {
    await start(undefined, { actor: { attaches: false } });
    const { code, out } = await bench.run('usb attach stick web --wait=false');
    expect([code, out, listOf('web')]).toEqual([
      0,
      `${STICK} is to be attached to vm/web.lab\n`,
      ['usb-other', STICK],
    ]);
  });

  it('tells of the next start when the VM does not run and nobody waits', async () => {
    await start(assignedFacts('lab', { vms: [vmOf('web', { phase: 'Stopped' })] }));
    const refused = await bench.run('usb attach stick web');
    expect([refused.code, listOf('web'), refused.err.includes('VM_NOT_RUNNING')]).toEqual([
      1,
      undefined,
      true,
    ]);
    const { code, out } = await bench.run('usb attach stick web --wait=false');
    expect([code, out.includes('next start'), listOf('web')]).toEqual([0, true, [STICK]]);
  });
});

describe('dry runs change nothing:', () => {
  it('that of the client prints the steps', async () => {
    await start(stickFacts({ vms: [web] }));
    const version = bench.api.store.version;
    const { code, out } = await bench.run('usb attach stick web --assign --dry-run=client');
    expect([code, bench.api.store.version]).toEqual([0, version]);
    expect(out.trim().split('\n')).toHaveLength(4);
  });

  it('that of the server sends the patches and prints what it would keep', async () => {
    await start();
    const version = bench.api.store.version;
    const { code, out } = await bench.run('usb attach stick web --dry-run=server -ojson');
    expect([code, bench.api.store.version]).toEqual([0, version]);
    expect(JSON.parse(out).spec.usbDevices).toContainEqual({ name: STICK });
  });

  it('an object that only the server can make is not printed by the client', async () => {
    await start();
    expect((await bench.run('usb attach stick web --dry-run=client -oyaml')).code).toBe(2);
  });
});

describe('somebody else', () => {
  /** Changes the VM behind the program's back, just before its patch arrives. */
  function overtake(change: () => void): void {
    bench.api.faults.once({ delay: 0 }, (method) => {
      if (method === 'PATCH') change();
      return method === 'PATCH';
    });
  }

  it('who changed the list first loses nothing: both devices are in it', async () => {
    await start();
    overtake(() =>
      bench.put(
        RESOURCE_TYPES.virtualMachines,
        vmOf('web', { list: ['usb-other', 'usb-third'], attached: ['usb-other'] }),
      ),
    );
    const { code, err } = await bench.run('usb attach stick web');
    expect([code, listOf('web')]).toEqual([0, ['usb-other', 'usb-third', STICK]]);
    expect(err).toContain('looking whether somebody else was faster');
  });

  it('who was always faster is not fought for ever', async () => {
    await start(undefined, { actor: { attaches: false } });
    let round = 0;
    for (let patch = 0; patch < 9; patch++)
      overtake(() => bench.put(RESOURCE_TYPES.virtualMachines, vmOf('web', { list: [`usb-${round++}`] })));
    const { code } = await bench.run('usb attach stick web');
    expect([code === 0, round]).toEqual([false, 5]);
  });

  it('who gave the device to another VM meanwhile is named', async () => {
    await start(assignedFacts('lab', { vms: [web, vmOf('db')] }));
    overtake(() => {
      bench.put(RESOURCE_TYPES.virtualMachines, vmOf('db', { list: [STICK], attached: [STICK] }));
      bench.put(RESOURCE_TYPES.virtualMachines, vmOf('web', { list: [] }));
    });
    const { code, err } = await bench.run('usb attach stick web');
    expect([code, err.includes('vm/db.lab')]).toEqual([6, true]);
  });

  it('who assigned the device elsewhere meanwhile keeps it', async () => {
    await start(stickFacts({ vms: [web] }));
    overtake(() =>
      bench.put(RESOURCE_TYPES.nodeUsbDevices, {
        ...bench.stick(),
        spec: { assignedNamespace: 'other' },
      } as never),
    );
    const { code } = await bench.run('usb attach stick web --assign');
    expect([code, bench.stick().spec.assignedNamespace, listOf('web')]).toEqual([6, 'other', ['usb-other']]);
  });
});

describe('what does not end well', () => {
  it('is refused by admission once, with the words of the policy', async () => {
    let asked = 0;
    await start(undefined, {
      admit: ({ resource }) => {
        if (resource !== 'virtualmachines') return undefined;
        asked++;
        return { by: 'the policy', message: 'not on Fridays' };
      },
    });
    const { code, err } = await bench.run('usb attach stick web');
    expect([code, asked, err.includes('not on Fridays'), listOf('web')]).toEqual([1, 1, true, ['usb-other']]);
  });

  it('tells what was changed and stays, and how to undo it', async () => {
    await start(stickFacts({ vms: [web] }), {
      admit: ({ resource }) =>
        resource === 'virtualmachines' ? { by: 'the policy', message: 'no' } : undefined,
    });
    const { code, err } = await bench.run('usb attach stick web --assign');
    expect([code, bench.stick().spec.assignedNamespace]).toEqual([1, 'lab']);
    expect(err).toMatch(
      /^note: done and kept: assign \S+ to namespace lab; undo it with: kubectl virt usb unassign usb-57c1/m,
    );
  });

  it('times out with the last state, the undo and exit 5', async () => {
    await start(undefined, { actor: { attaches: false } });
    const { code, err, out } = await bench.run('usb attach stick web --timeout=400ms');
    expect([code, out, listOf('web')]).toEqual([5, '', ['usb-other', STICK]]);
    expect(err).toMatch(/error: .*has not taken it up yet \(TIMED_OUT\)\nhint: .*usb show/);
    expect(err).toMatch(/^note: .*undo it with: kubectl virt usb detach \S+ web\.lab/m);
  });

  it('ends with 130 and the same note on Ctrl-C', async () => {
    await start(undefined, { actor: { attaches: false } });
    const host = bench.host();
    const { runProgram } = await import('../../../../plugin/run/program.ts');
    const ended = runProgram(['usb', 'attach', 'stick', 'web'], host);
    await expect.poll(() => host.err).toContain('taken it up');
    host.stop.abort();
    expect(await ended).toBe(130);
    expect(host.err).toMatch(/note: done and kept:.*\n(.*\n)*error: .*\(INTERRUPTED\)/);
  });

  it('names the rights that are missing before anything is changed', async () => {
    await start(stickFacts({ vms: [web] }), { mayPatch: (plural) => plural === 'virtualmachines' });
    const { code, err } = await bench.run('usb attach stick web --assign');
    expect([code, bench.stick().spec.assignedNamespace, listOf('web')]).toEqual([4, '', ['usb-other']]);
    expect(err).toContain('patch nodeusbdevices.virtualization.deckhouse.io');
    expect(err).not.toContain('virtualmachines.virtualization');
  });

  it('needs no right to assign when the device is assigned', async () => {
    await start(undefined, { mayPatch: (plural) => plural === 'virtualmachines' });
    expect((await bench.run('usb attach stick web')).code).toBe(0);
  });

  it('knows near names of a VM that does not exist', async () => {
    await start();
    const { code, err } = await bench.run('usb attach stick wbe');
    expect([code, err.includes('web')]).toEqual([3, true]);
  });

  it('says when the cluster has no virtual machines', async () => {
    await start(stickFacts(), {
      kinds: [{ ...RESOURCE_TYPES.usbNodeStatuses, kind: 'USBNodeStatus', namespaced: false }],
    });
    const { code, err } = await bench.run('usb attach stick web');
    expect([code, err.includes('VirtualMachine')]).toEqual([3, true]);
  });

  it('says when VMs may not be listed', async () => {
    await start(undefined, { authorize: ({ resource }) => resource !== 'virtualmachines' });
    expect((await bench.run('usb attach stick web')).code).toBe(4);
  });
});
