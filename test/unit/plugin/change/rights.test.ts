// Which rights a plan needs, and how they are asked for.
import { describe, expect, it } from 'vitest';
import { planAttach } from '../../../../plugin/usb/change/attach-plan.ts';
import { checkRights, type Right, rightsOf } from '../../../../plugin/usb/change/rights.ts';
import { TypedError } from '../../../../proto/api/typed-error.ts';
import type { KubeObject, ResourceType } from '../../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { codeOfPromise } from '../code-of.ts';
import { FakeKube } from '../fake-kube.ts';
import { assignedFacts, STICK, stickFacts, stickRow, vmOf } from './change-objects.ts';

const PATCH_VM: Right = {
  verb: 'patch',
  type: RESOURCE_TYPES.virtualMachines,
  key: { namespace: 'lab', name: 'web' },
};
const PATCH_DEVICE: Right = { verb: 'patch', type: RESOURCE_TYPES.nodeUsbDevices, key: { name: STICK } };

/** Answers each review with `answer`, or fails with it; counts those that wait at the same time. */
class ReviewKube extends FakeKube {
  readonly asked: unknown[] = [];
  most = 0;
  #waiting = 0;
  readonly #answer: (attributes: Record<string, unknown>) => boolean | TypedError;

  constructor(answer: (attributes: Record<string, unknown>) => boolean | TypedError) {
    super();
    this.#answer = answer;
  }

  override async create(_type?: ResourceType, object?: KubeObject): Promise<never> {
    const { spec } = object as unknown as { spec: { resourceAttributes: Record<string, unknown> } };
    this.asked.push(spec.resourceAttributes);
    this.most = Math.max(this.most, ++this.#waiting);
    await Promise.resolve();
    this.#waiting--;
    const answer = this.#answer(spec.resourceAttributes);
    if (answer instanceof TypedError) throw answer;
    return { ...object, status: { allowed: answer } } as never;
  }
}

function rights(facts: Parameters<typeof stickRow>[0]): string[] {
  const plan = planAttach({
    row: stickRow(facts),
    vm: vmOf('web', { list: [] }),
    mayAssign: true,
    seesAssignments: true,
    waits: true,
  });
  if (plan.kind !== 'steps') throw new Error('no steps');
  return rightsOf(plan.steps).map(({ verb, type, key }) => `${verb} ${type.plural} ${key.namespace ?? '-'}`);
}

describe('the rights of a plan', () => {
  it('are exactly those of its steps, each once', () => {
    expect(rights(assignedFacts())).toEqual([
      'patch virtualmachines lab',
      'list usbdevices lab',
      'watch usbdevices lab',
      'list virtualmachines lab',
      'watch virtualmachines lab',
    ]);
  });

  it('hold those on NodeUSBDevices only when it assigns', () => {
    expect(rights(stickFacts()).slice(0, 3)).toEqual([
      'patch nodeusbdevices -',
      'list nodeusbdevices -',
      'watch nodeusbdevices -',
    ]);
  });
});

describe('the check', () => {
  it('asks for all at once, with the object', async () => {
    const kube = new ReviewKube(() => true);
    await checkRights(kube, [PATCH_VM, PATCH_DEVICE]);
    expect(kube.most).toBe(2);
    expect(kube.asked[0]).toEqual({
      verb: 'patch',
      group: 'virtualization.deckhouse.io',
      version: 'v1alpha2',
      resource: 'virtualmachines',
      namespace: 'lab',
      name: 'web',
    });
  });

  it('names everything that is missing in one error', async () => {
    await expect(checkRights(new ReviewKube(() => false), [PATCH_VM, PATCH_DEVICE])).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/patch virtualmachines\..* nor patch nodeusbdevices\./),
    });
  });

  it.each(['FORBIDDEN', 'API_NOT_SERVED'] as const)(
    'is left out where the server answers %s',
    async (code) => {
      await checkRights(new ReviewKube(() => new TypedError(code, 'no')), [PATCH_VM]);
    },
  );

  it('does not hide that the server is away', async () => {
    const kube = new ReviewKube(() => new TypedError('SERVER_UNREACHABLE', 'no route'));
    expect(await codeOfPromise(checkRights(kube, [PATCH_VM]))).toBe('SERVER_UNREACHABLE');
  });
});
