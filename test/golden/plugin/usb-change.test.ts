// What a person reads of assign, attach, detach and claim, byte for byte.
import { afterEach, describe, expect, it } from 'vitest';
import type { UsbFacts } from '../../../plugin/usb/facts.ts';
import { showPage } from '../../../plugin/usb/show-page.ts';
import { type BenchOptions, ChangeBench } from '../../unit/plugin/change/change-bench.ts';
import {
  assignedFacts,
  condition,
  nodeUsbDevice,
  STICK,
  stickFacts,
  stickRow,
  UNPLUGGED,
  vmOf,
} from '../../unit/plugin/change/change-objects.ts';
import { run } from '../../unit/plugin/fake-host.ts';
import { claimOf, NOW, nodeOf } from '../../unit/plugin/lab-facts.ts';

let bench: ChangeBench | undefined;
afterEach(() => bench?.api.close());

async function report(
  facts: UsbFacts,
  line: string,
  options: BenchOptions = {},
  columns?: number,
): Promise<string> {
  await bench?.api.close();
  bench = await ChangeBench.start(facts, options);
  const answers = columns === undefined ? {} : { columns, answers: [true] };
  const { code, out, err, host } = await bench.run(line, answers);
  const asked = host.questions.map((question) => `? ${question}\n`).join('');
  return `# ${line}\n${asked}${err}${out}exit ${code}\n`;
}

const web = vmOf('web', { list: ['usb-other'], attached: ['usb-other'] });
const used = vmOf('web', { list: [STICK], attached: [STICK] });
const full = vmOf('web', { list: Array.from({ length: 8 }, (_, index) => `usb-${index}`) });
const changed = nodeUsbDevice('lab', {
  ready: condition(
    'Ready',
    'False',
    'FingerprintChanged',
    'another device than the approved one is plugged in',
  ),
});
const held = (pods: string[]) =>
  assignedFacts('lab', { vms: [web], claims: [claimOf('disk', 'worker-1', STICK, pods)] });
const blocked = {
  verdict: 'Blocked',
  rule: 'default/boot-keyboard-mouse',
  reason: 'it is a keyboard',
} as const;

const REFUSALS: [facts: UsbFacts, line: string, options?: BenchOptions][] = [
  [assignedFacts('other', { vms: [web] }), 'usb attach stick web.lab'],
  [assignedFacts('lab', { vms: [web] }), 'usb attach stick wbe.lab'],
  [
    assignedFacts('lab', { vms: [web, vmOf('db', { list: [STICK], attached: [STICK] })] }),
    'usb attach stick web',
  ],
  [held(['job']), 'usb attach stick web'],
  [held([]), 'usb attach stick web'],
  [stickFacts({ vms: [web], device: blocked }), 'usb attach stick web'],
  [stickFacts({ vms: [web], device: { namespaces: ['media'], rule: 'cameras' } }), 'usb attach stick web'],
  [assignedFacts('lab', { vms: [web], statuses: UNPLUGGED }), 'usb attach stick web'],
  [assignedFacts('lab', { vms: [web], nodes: [nodeOf('worker-1', 'False')] }), 'usb attach stick web'],
  [assignedFacts('lab', { vms: [web], nodeUsbDevices: [changed] }), 'usb attach stick web'],
  [assignedFacts('lab', { vms: [full] }), 'usb attach stick web'],
  [assignedFacts('lab', { vms: [vmOf('web', { phase: 'Stopped' })] }), 'usb attach stick web'],
  [stickFacts({ vms: [web] }), 'usb attach stick web'],
  [stickFacts({ vms: [web] }), 'usb attach stick web --assign', { mayPatch: () => false }],
  [assignedFacts('other'), 'usb assign stick -n lab'],
  [stickFacts(), 'usb assign stick'],
  [stickFacts({ device: { identityForm: 'port' } }), 'usb assign stick -n lab'],
  [stickFacts(), 'usb assign stick -n nowhere'],
  [stickFacts({ nodeUsbDevices: [] }), 'usb assign stick -n lab'],
  [assignedFacts('lab', { vms: [used] }), 'usb unassign stick'],
  [assignedFacts('lab', { vms: [used] }), 'usb detach stick'],
  [held(['job']), 'usb detach stick'],
  [stickFacts(), 'usb claim stick'],
  [assignedFacts('other'), 'usb claim stick -n lab'],
];

describe('kubectl virt usb', () => {
  it('refuses in one form, with the next step', async () => {
    const reports: string[] = [];
    for (const [facts, line, options] of REFUSALS) reports.push(await report(facts, line, options));
    await expect(reports.join('\n')).toMatchFileSnapshot('change-refusals.txt');
  });

  it('prints the steps of a dry run', async () => {
    await expect(
      await report(stickFacts({ vms: [web] }), 'usb attach stick web --assign --dry-run=client'),
    ).toMatchFileSnapshot('change-dry-run.txt');
  });

  it('tells what stays when time is up', async () => {
    const actor = { assigns: false };
    const line = 'usb attach stick web --assign --timeout=600ms';
    await expect(await report(stickFacts({ vms: [web] }), line, { actor })).toMatchFileSnapshot(
      'change-timeout.txt',
    );
  });

  it('rewrites one line on a terminal and asks there', async () => {
    const text = await report(stickFacts({ vms: [web] }), 'usb assign stick -n lab', {}, 60);
    expect(text).toContain('\r\u001b[2K');
    await expect(
      await report(assignedFacts('lab', { vms: [used] }), 'usb unassign stick --wait=false', {}, 60),
    ).toMatchFileSnapshot('change-question.txt');
  });

  it.each(['usbfs', 'driver'])('prints a pod for mode %s', async (mode) => {
    await expect(await report(assignedFacts(), `usb claim stick --mode ${mode}`)).toMatchFileSnapshot(
      `claim-${mode}.txt`,
    );
  });

  it('shows the page of an assigned device', async () => {
    const facts = assignedFacts('lab', { vms: [used] });
    const page = showPage({ row: stickRow(facts), statuses: facts.statuses, events: [], now: NOW });
    await expect(page).toMatchFileSnapshot('show-vm.txt');
  });
});

describe('help', () => {
  it.each(['assign', 'unassign', 'attach', 'detach', 'claim'])('of usb %s', async (verb) => {
    const { code, out } = await run(`usb ${verb} --help`);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`help-${verb}.txt`);
  });
});
