// Giving back: Unprepare, and what failures and crashes leave.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOf, DriverBench, NOTHING } from '../../support/dra/driver-bench.ts';
import { Fuse } from '../../support/dra/fuse.ts';
import { type Allocation, claimObject, ref } from '../../support/dra/objects.ts';

const FAR: Allocation = { pool: 'a', device: 'usb-far' };
const NEAR: Allocation = { pool: 'b', device: 'usb-near' };
const never = new AbortController().signal;

let bench: DriverBench;
beforeEach(() => {
  bench = new DriverBench();
});
afterEach(() => bench.dispose());

function put(name: string, allocations: Allocation[]) {
  const claim = ref(name);
  bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, allocations));
  return claim;
}

describe('unprepare', () => {
  it('of an unknown claim is success', async () => {
    const claim = ref('unknown');
    expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('ok');
  });

  it('asks neither the API nor another node', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    bench.kube.before = () => Promise.reject(new TypedError('SERVER_UNREACHABLE', 'down'));
    bench.kube.calls.length = 0;
    expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.kube.calls).toEqual([]);
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('fails and keeps the record when the kernel does not let go, and works later', async () => {
    const claim = put('c1', [FAR]);
    const { driver, access } = bench.start();
    await driver.prepare([claim], never);
    access.stuck = true;
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('KERNEL');
    expect(bench.leftovers()).toMatchObject({ kernel: 1, checkpoints: ['uid-c1.json'] });
    access.stuck = false;
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('of a claim of a former boot leaves the kernel alone', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    const { driver, access } = bench.start({ bootId: 'boot-2' });
    access.stuck = true;
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toMatchObject({ checkpoints: [], cdi: [] });
  });

  it('refuses a uid that is no file name', async () => {
    const claim = ref('c1', '../../etc/passwd');
    expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('BAD_INPUT');
  });

  it('of a claim whose record is damaged keeps the file aside and says so', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start();
    await driver.prepare([claim], never);
    writeFileSync(join(bench.checkpoints, 'uid-c1.json'), '{"version":1');
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toEqual({ ...NOTHING, checkpoints: ['uid-c1.json.corrupt-1'] });
    expect(bench.damaged.map(({ error }) => (error as TypedError).code)).toEqual(['CORRUPT_STATE']);
  });
});

describe('a claim whose record is lost', () => {
  const cdiFile = (name: string) => `dra.virtualization.deckhouse.io-usb_uid-${name}.json`;
  const lose = (name: string) => rmSync(join(bench.checkpoints, `uid-${name}.json`));

  it('gives back all that its CDI file names, in the next process too', async () => {
    const claim = put('c1', [FAR, { ...NEAR, request: 'near' }]);
    await bench.start().driver.prepare([claim], never);
    lose('c1');
    expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('is prepared anew, and what it had is given back first', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start();
    await driver.prepare([claim], never);
    lose('c1');
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('ok');
    expect(bench.kernel.held.size).toBe(1);
  });

  it('keeps the file that names its devices while the kernel does not let go', async () => {
    const claim = put('c1', [FAR]);
    const { driver, access } = bench.start();
    await driver.prepare([claim], never);
    lose('c1');
    access.stuck = true;
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('KERNEL');
    access.stuck = false;
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('does not take what the record of another claim says is that one’s', async () => {
    const [lost, holder] = [put('lost', [FAR]), put('holder', [FAR])];
    const { driver } = bench.start();
    await driver.prepare([lost], never);
    const edits = readFileSync(join(bench.cdiFolder, cdiFile('lost')), 'utf8');
    await driver.unprepare([lost]);
    await driver.prepare([holder], never);
    const now = JSON.parse(readFileSync(join(bench.cdiFolder, cdiFile('holder')), 'utf8'));
    const stale = JSON.parse(edits);
    stale.devices[0].containerEdits.deviceNodes = now.devices[0].containerEdits.deviceNodes;
    writeFileSync(join(bench.cdiFolder, cdiFile('lost')), JSON.stringify(stale));
    expect(codeOf(await driver.unprepare([lost]), lost)).toBe('ok');
    expect(bench.leftovers()).toMatchObject({ kernel: 1, cdi: [cdiFile('holder')] });
  });

  it('is unprepared although its CDI file is damaged too', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start();
    await driver.prepare([claim], never);
    lose('c1');
    writeFileSync(join(bench.cdiFolder, cdiFile('c1')), '{"devices":[{}]}');
    expect(codeOf(await driver.unprepare([claim]), claim)).toBe('ok');
    expect(bench.leftovers()).toMatchObject({ checkpoints: [], cdi: [] });
  });
});

describe('an interruption at any step of Prepare', () => {
  const devices = [FAR, { ...NEAR, request: 'near' }];

  async function stepsOfPrepare(): Promise<string[]> {
    const fuse = new Fuse();
    const counting = new DriverBench();
    const claim = ref('c1');
    counting.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, devices));
    await counting.start({ fuse }).driver.prepare([claim], never);
    counting.dispose();
    return fuse.steps;
  }

  it('has all the steps that matter', async () => {
    expect(await stepsOfPrepare()).toEqual([
      'api get',
      ...['api list', 'api get'],
      'checkpoint write',
      ...['reach usb-far', 'checkpoint write', 'attach usb-far', 'wait for usb-far'],
      ...['reach usb-near', 'checkpoint write', 'attach usb-near', 'wait for usb-near'],
      ...['cdi write', 'cdi write', 'api patch'],
      'checkpoint write',
    ]);
  });

  it('leaves nothing behind when the step fails', async () => {
    for (const [at, step] of (await stepsOfPrepare()).entries()) {
      const claim = put('c1', devices);
      const { driver } = bench.start({ fuse: new Fuse(at) });
      expect([step, codeOf(await driver.prepare([claim], never), claim)]).toEqual([step, 'INTERNAL']);
      expect({ step, ...bench.leftovers() }).toEqual({ step, ...NOTHING });
    }
  });

  it('leaves what Unprepare of the next process can free when the process dies', async () => {
    for (const [at, step] of (await stepsOfPrepare()).entries()) {
      const claim = put('c1', devices);
      await bench.start({ fuse: new Fuse(at, true) }).driver.prepare([claim], never);
      expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('ok');
      expect({ step, ...bench.leftovers() }).toEqual({ step, ...NOTHING });
    }
  });

  it('leaves what Prepare of the next process can finish when the process dies', async () => {
    for (const [at, step] of (await stepsOfPrepare()).entries()) {
      const claim = put('c1', devices);
      await bench.start({ fuse: new Fuse(at, true) }).driver.prepare([claim], never);
      const { driver } = bench.start();
      expect([step, codeOf(await driver.prepare([claim], never), claim)]).toEqual([step, 'ok']);
      expect(bench.kernel.held.size).toBe(2);
      await driver.unprepare([claim]);
      expect({ step, ...bench.leftovers() }).toEqual({ step, ...NOTHING });
    }
  });

  it('leaves what can be freed when it strikes Unprepare', async () => {
    for (let at = 0; at < 4; at++) {
      for (const dies of [false, true]) {
        const claim = put('c1', devices);
        await bench.start().driver.prepare([claim], never);
        const first = await bench.start({ fuse: new Fuse(at, dies) }).driver.unprepare([claim]);
        expect([at, codeOf(first, claim)]).toEqual([at, 'INTERNAL']);
        expect(codeOf(await bench.start().driver.unprepare([claim]), claim)).toBe('ok');
        expect({ at, ...bench.leftovers() }).toEqual({ at, ...NOTHING });
      }
    }
  });
});
