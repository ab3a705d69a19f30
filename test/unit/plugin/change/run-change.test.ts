// How plans are carried out, with planners that a test makes: rounds, questions, dry runs, what is printed.
import { describe, expect, it } from 'vitest';
import type { ChangeOptions } from '../../../../plugin/usb/change/change-options.ts';
import type { Plan, StepsPlan } from '../../../../plugin/usb/change/plan.ts';
import { runChange } from '../../../../plugin/usb/change/run-change.ts';
import type { PatchStep, WaitStep } from '../../../../plugin/usb/change/step.ts';
import type { ErrorCode } from '../../../../proto/api/error-codes.ts';
import { TypedError } from '../../../../proto/api/typed-error.ts';
import type { KubeObject, ObjectKey, ResourceType, WriteOptions } from '../../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { FakeHost, type FakeHostOptions } from '../fake-host.ts';
import { FakeKube } from '../fake-kube.ts';
import { STICK, usbDevice, vmOf } from './change-objects.ts';

const object = { type: RESOURCE_TYPES.virtualMachines, key: { namespace: 'lab', name: 'web' } };
const OPTIONS: ChangeOptions = { dryRun: 'none', waits: true, timeout: 50, yes: false, format: undefined };

function patchStep(value: string): PatchStep {
  const patch = [{ op: 'add', path: '/spec/x', value } as const];
  return { kind: 'patch', about: `set ${value}`, ...object, patch, undo: `unset ${value}` };
}

const wait: WaitStep = {
  kind: 'wait',
  about: 'wait for it',
  goal: { kind: 'attached', device: STICK, namespace: 'lab', vm: 'web' },
  look: 'look at it',
};

function stepsOf(...steps: StepsPlan['steps']): StepsPlan {
  return { kind: 'steps', steps, object, summary: 'it is done', requested: 'it is asked for' };
}

/** Takes patches, and refuses the first ones with the codes that it is given. */
class PatchKube extends FakeKube {
  readonly patches: { value: unknown; dryRun: boolean }[] = [];
  readonly #refusals: ErrorCode[];

  constructor(...refusals: ErrorCode[]) {
    const vm = vmOf('web', { list: [STICK], attached: [STICK] });
    super({ virtualmachines: [vm], usbdevices: [usbDevice('lab')] });
    this.#refusals = refusals;
  }

  override async create(): Promise<never> {
    throw new TypedError('API_NOT_SERVED', 'no reviews');
  }

  override async patch(
    _type?: ResourceType,
    _key?: ObjectKey,
    _patchType?: unknown,
    patch?: unknown,
    options: WriteOptions = {},
  ): Promise<never> {
    const refusal = this.#refusals.shift();
    if (refusal) throw new TypedError(refusal, 'the server said no');
    const [{ value } = { value: undefined }] = patch as { value?: unknown }[];
    this.patches.push({ value, dryRun: options.dryRun === true });
    return { kind: 'Answer', metadata: {} } as never;
  }

  override async get(): Promise<never> {
    return { kind: 'Stored', metadata: {} } as KubeObject as never;
  }
}

/** Runs with the plans in turn; the last one again and again. */
async function carriedOut(
  plans: Plan[],
  given: { options?: Partial<ChangeOptions>; kube?: PatchKube; host?: FakeHostOptions } = {},
) {
  const { kube = new PatchKube() } = given;
  const host = new FakeHost(given.host);
  const asked: boolean[] = [];
  const planner = async (agreed: boolean) => {
    asked.push(agreed);
    const plan = plans[Math.min(asked.length, plans.length) - 1];
    if (!plan) throw new Error('no plan');
    return plan;
  };
  const running = runChange(planner, { ...OPTIONS, ...given.options }, kube, host);
  const end = await running.then<{ code?: number; error?: unknown }, { code?: number; error?: unknown }>(
    (code) => ({ code }),
    (error: unknown) => ({ error: error instanceof TypedError ? error.code : error }),
  );
  return {
    ...end,
    asked,
    host,
    kube,
    out: host.out,
    err: host.err,
    values: kube.patches.map(({ value }) => value),
  };
}

describe('a plan', () => {
  it('is carried out step by step, and its summary is printed', async () => {
    const { code, out, values } = await carriedOut([stepsOf(patchStep('a'), patchStep('b'), wait)]);
    expect([code, out, values]).toEqual([0, 'it is done\n', ['a', 'b']]);
  });

  it('without steps prints its summary and writes nothing', async () => {
    const { code, out, values } = await carriedOut([{ kind: 'done', object, summary: 'it was done' }]);
    expect([code, out, values]).toEqual([0, 'it was done\n', []]);
  });

  it('that is not waited for says what was asked for', async () => {
    const { out, kube } = await carriedOut([stepsOf(patchStep('a'), wait)], { options: { waits: false } });
    expect([out, kube.calls]).toEqual(['it is asked for\n', []]);
  });

  it('never puts what the cluster said on a terminal as it is', async () => {
    const plan = { ...stepsOf(patchStep('\u001b[2J')), summary: 'done \u001b[2J' };
    const { out, err } = await carriedOut([plan]);
    expect(out + err).not.toContain('\u001b');
  });
});

describe('a patch that another writer overtook', () => {
  it.each(['CONFLICT', 'INVALID_OBJECT'] as const)('is planned anew after %s', async (code) => {
    const { values, asked } = await carriedOut([stepsOf(patchStep('a')), stepsOf(patchStep('b'))], {
      kube: new PatchKube(code),
    });
    expect([values, asked]).toEqual([['b'], [false, true]]);
  });

  it('is not sent twice as it is: then it was not another writer', async () => {
    const { error, values, asked } = await carriedOut([stepsOf(patchStep('a'))], {
      kube: new PatchKube('INVALID_OBJECT'),
    });
    expect([error, values, asked.length]).toEqual(['INVALID_OBJECT', [], 2]);
  });

  it('is given up after five rounds', async () => {
    const plans = ['a', 'b', 'c', 'd', 'e', 'f'].map((value) => stepsOf(patchStep(value)));
    const kube = new PatchKube(...Array.from({ length: 6 }, () => 'CONFLICT' as const));
    const { error, asked } = await carriedOut(plans, { kube });
    expect([error, asked.length]).toEqual(['CONFLICT', 5]);
  });

  it('has nothing more to do when the other one did the same', async () => {
    const done: Plan = { kind: 'done', object, summary: 'it was done' };
    const { code, out } = await carriedOut([stepsOf(patchStep('a')), done], {
      kube: new PatchKube('CONFLICT'),
    });
    expect([code, out]).toEqual([0, 'it was done\n']);
  });

  it('is not tried again after any other refusal', async () => {
    const { error, asked } = await carriedOut([stepsOf(patchStep('a'))], {
      kube: new PatchKube('FORBIDDEN'),
    });
    expect([error, asked.length]).toEqual(['FORBIDDEN', 1]);
  });
});

describe('what was changed before a failure', () => {
  it('is told with the way back, in order', async () => {
    class LaterKube extends PatchKube {
      override async patch(...args: Parameters<PatchKube['patch']>): Promise<never> {
        if (this.patches.length === 2) throw new TypedError('FORBIDDEN', 'no');
        return super.patch(...args);
      }
    }
    const { err } = await carriedOut([stepsOf(patchStep('a'), patchStep('b'), patchStep('c'))], {
      kube: new LaterKube(),
    });
    expect(err.match(/^note: .*$/gm)).toEqual([
      'note: done and kept: set a; undo it with: unset a',
      'note: done and kept: set b; undo it with: unset b',
    ]);
  });

  it('is not claimed of a dry run', async () => {
    const { err } = await carriedOut([stepsOf(patchStep('a'), wait)], { options: { dryRun: 'server' } });
    expect(err).not.toContain('note:');
  });
});

describe('a question', () => {
  const question: Plan = {
    kind: 'question',
    question: 'Really \u001b[2J?',
    unasked: new TypedError('USAGE', 'say --yes'),
  };

  it('is an error where nobody answers', async () => {
    expect(await carriedOut([question])).toMatchObject({ error: 'USAGE', values: [] });
  });

  it('is asked once in safe text, and a yes plans again', async () => {
    const { code, asked, host } = await carriedOut([question, stepsOf(patchStep('a'))], {
      host: { answers: [true] },
    });
    expect([code, asked, host.questions]).toEqual([0, [false, true], ['Really \\x1b[2J?']]);
  });

  it('answered with no ends with 1', async () => {
    const { code, err, values } = await carriedOut([question], { host: { answers: [false] } });
    expect([code, err, values]).toEqual([1, 'nothing was changed\n', []]);
  });

  it('is not asked with --yes', async () => {
    const { asked } = await carriedOut([stepsOf(patchStep('a'))], { options: { yes: true } });
    expect(asked).toEqual([true]);
  });

  it('that comes back after a yes is not asked again', async () => {
    const { error, host } = await carriedOut([question], { host: { answers: [true, true] } });
    expect([error, host.questions.length]).toEqual(['USAGE', 1]);
  });
});

describe('a dry run', () => {
  it('of the client prints what would be done, waits included', async () => {
    const { out, values } = await carriedOut([stepsOf(patchStep('a'), wait)], {
      options: { dryRun: 'client' },
    });
    expect([out, values]).toEqual(['set a (client dry run)\nwait for it (client dry run)\n', []]);
  });

  it('of the server sends the patches as such and waits for nothing', async () => {
    const { kube, out } = await carriedOut([stepsOf(patchStep('a'), wait)], {
      options: { dryRun: 'server' },
    });
    expect([kube.patches, out, kube.calls]).toEqual([
      [{ value: 'a', dryRun: true }],
      'it is done (server dry run)\n',
      [],
    ]);
  });
});

describe('stdout', () => {
  it.each([
    [{ format: 'name' }, 'virtualmachine.virtualization.deckhouse.io/web\n'],
    [{ format: 'yaml' }, 'kind: Stored\nmetadata: {}\n'],
    [{ format: 'yaml', dryRun: 'server' }, 'kind: Answer\nmetadata: {}\n'],
  ] as const)('gets with %j only the object', async (options, text) => {
    expect((await carriedOut([stepsOf(patchStep('a'))], { options })).out).toBe(text);
  });
});
