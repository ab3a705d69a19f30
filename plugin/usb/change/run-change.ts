// Carries a plan out: asks, checks rights, patches, waits, and says what stays when it cannot end well.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import { formatDocument } from '../../output/document.ts';
import { Progress } from '../../output/progress.ts';
import { safeText } from '../../output/safe-text.ts';
import type { Host } from '../../run/host.ts';
import type { ChangeOptions } from './change-options.ts';
import type { DonePlan, Plan, StepsPlan } from './plan.ts';
import { checkRights, rightsOf } from './rights.ts';
import type { PatchStep, Step, WaitStep } from './step.ts';
import { waitForGoal } from './wait-for-goal.ts';

/** Reads the cluster anew and plans; `agreed`: questions are answered with yes. */
export type Planner = (agreed: boolean) => Promise<Plan>;

/** How often a plan is made anew because somebody else changed the same object. */
const MOST_ROUNDS = 5;

/** Resolves to the exit code: 1 when the person said no. Rejects with TypedError. */
export async function runChange(
  planner: Planner,
  options: ChangeOptions,
  kube: KubeClient,
  host: Host,
): Promise<number> {
  const plan = await agreedPlan(planner, options, host);
  if (!plan) {
    host.stderr.write('nothing was changed\n');
    return 1;
  }
  if (plan.kind === 'done') return await report(plan, plan.summary, options, kube, host);
  const steps = options.waits && options.dryRun !== 'server' ? plan.steps : patchesOf(plan.steps);
  await checkRights(kube, rightsOf(steps));
  if (options.dryRun === 'client') {
    host.stdout.write(steps.map(({ about }) => `${safeText(about)} (client dry run)\n`).join(''));
    return 0;
  }
  return await new Run(planner, options, kube, host).carryOut(plan);
}

/** Undefined when the person said no. */
async function agreedPlan(
  planner: Planner,
  { yes }: ChangeOptions,
  host: Host,
): Promise<StepsPlan | DonePlan | undefined> {
  const plan = await planner(yes);
  if (plan.kind !== 'question') return plan;
  if (!host.canAsk) throw plan.unasked;
  const agreed = await host.ask(safeText(plan.question));
  if (host.signal.aborted) throw new TypedError('INTERRUPTED', 'interrupted; nothing was changed');
  if (!agreed) return undefined;
  // Minutes may have gone by.
  const again = await planner(true);
  if (again.kind === 'question') throw again.unasked;
  return again;
}

/** A class because what was already changed goes with every step; it lives for one change. */
class Run {
  readonly #planner: Planner;
  readonly #options: ChangeOptions;
  readonly #kube: KubeClient;
  readonly #host: Host;
  readonly #progress: Progress;
  readonly #changed: PatchStep[] = [];
  #answer: KubeObject | undefined;
  /** Milliseconds that are left for all waiting. */
  #left: number;

  constructor(planner: Planner, options: ChangeOptions, kube: KubeClient, host: Host) {
    this.#planner = planner;
    this.#options = options;
    this.#kube = kube;
    this.#host = host;
    this.#left = options.timeout;
    this.#progress = new Progress(host.stderr, () => host.now());
  }

  /** The note comes before the error, so that the error and its hint stand last. */
  async carryOut(first: StepsPlan): Promise<number> {
    try {
      const end = await this.#rounds(first);
      const text = end.kind === 'steps' && !this.#options.waits ? end.requested : end.summary;
      return await report(end, text, this.#options, this.#kube, this.#host, this.#answer);
    } catch (error) {
      this.#progress.clear();
      this.#tellWhatStays();
      throw error;
    }
  }

  /** Plans anew from fresh facts when somebody else was faster, as long as that makes another plan. */
  async #rounds(first: StepsPlan): Promise<StepsPlan | DonePlan> {
    let plan: Plan = first;
    for (let round = 1; plan.kind === 'steps'; round++) {
      const lost = await this.#steps(plan.steps);
      if (!lost) return plan;
      if (round === MOST_ROUNDS) throw lost.error;
      this.#progress.done(`refused: ${lost.step.about}; looking whether somebody else was faster`);
      plan = await this.#planner(true);
      if (plan.kind === 'steps' && isSame(plan.steps, lost.step)) throw lost.error;
    }
    if (plan.kind === 'question') throw plan.unasked;
    return plan;
  }

  /** The step that lost against another writer. */
  async #steps(steps: readonly Step[]): Promise<{ step: PatchStep; error: TypedError } | undefined> {
    const { waits, dryRun } = this.#options;
    const { signal } = this.#host;
    for (const step of steps) {
      // Looked at for each step: another patch after Ctrl-C is what nobody wants.
      if (signal.aborted) throw new TypedError('INTERRUPTED', `interrupted before: ${step.about}`);
      if (step.kind === 'wait') {
        if (waits && dryRun === 'none') await this.#wait(step);
        continue;
      }
      try {
        await this.#patch(step);
      } catch (error) {
        if (!(error instanceof TypedError) || !LOST.has(error.code)) throw error;
        return { step, error };
      }
    }
    return undefined;
  }

  /** All waits share one limit: it is what a person reckons with. */
  async #wait(step: WaitStep): Promise<void> {
    const begin = this.#host.now();
    await waitForGoal(this.#kube, this.#host, step, this.#left, this.#progress);
    this.#left -= this.#host.now() - begin;
  }

  async #patch(step: PatchStep): Promise<void> {
    const { type, key, patch, about } = step;
    const dryRun = this.#options.dryRun === 'server';
    this.#progress.state(about);
    this.#answer = await this.#kube.patch(type, key, 'json', patch, dryRun ? { dryRun } : {});
    this.#progress.done(dryRun ? `${about} (server dry run)` : about);
    if (!dryRun) this.#changed.push(step);
  }

  #tellWhatStays(): void {
    for (const { about, undo } of this.#changed)
      this.#host.stderr.write(safeText(`note: done and kept: ${about}; undo it with: ${undo}`).concat('\n'));
  }
}

/** 409, and 422 for a `test` that failed: the server says no more. */
const LOST: ReadonlySet<string> = new Set(['CONFLICT', 'INVALID_OBJECT']);

/** Then it was not another writer that made the server refuse it. */
function isSame(steps: readonly Step[], lost: PatchStep): boolean {
  return patchesOf(steps).some(
    ({ key, patch }) => JSON.stringify([key, patch]) === JSON.stringify([lost.key, lost.patch]),
  );
}

function patchesOf(steps: readonly Step[]): PatchStep[] {
  return steps.filter((step) => step.kind === 'patch');
}

/** `answer` is of a dry run: nothing was kept that could be read. */
async function report(
  { object: { type, key } }: StepsPlan | DonePlan,
  text: string,
  { format, dryRun }: ChangeOptions,
  kube: KubeClient,
  host: Host,
  answer?: KubeObject,
): Promise<number> {
  const { stdout } = host;
  if (format === undefined)
    stdout.write(`${safeText(text)}${dryRun === 'server' ? ' (server dry run)' : ''}\n`);
  // As kubectl prints it: singular.group/name; the singular of our kinds is the plural without its s.
  else if (format === 'name') stdout.write(`${type.plural.slice(0, -1)}.${type.group}/${key.name}\n`);
  else {
    const object = dryRun === 'server' && answer ? answer : await kube.get(type, key);
    stdout.write(await formatDocument(object, format));
  }
  return 0;
}
