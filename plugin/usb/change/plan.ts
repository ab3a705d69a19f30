// What a planner decides. Refusals are thrown as TypedError, before anything is changed.
import type { TypedError } from '../../../proto/api/typed-error.ts';
import type { ObjectAddress, Step } from './step.ts';

export type Plan = StepsPlan | DonePlan | QuestionPlan;

interface Outcome {
  /** The object that `-o` prints. */
  readonly object: ObjectAddress;
  /** A sentence, when all is done. */
  readonly summary: string;
}

export interface StepsPlan extends Outcome {
  readonly kind: 'steps';
  readonly steps: readonly Step[];
  /** Instead of `summary` when nothing was waited for. */
  readonly requested: string;
}

/** Nothing is to be done. */
export interface DonePlan extends Outcome {
  readonly kind: 'done';
}

/** A person must agree first; then it is planned again with the consent. */
export interface QuestionPlan {
  readonly kind: 'question';
  readonly question: string;
  /** The error where nobody can be asked. */
  readonly unasked: TypedError;
}
