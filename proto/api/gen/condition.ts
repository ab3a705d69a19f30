// Generated from ../schemas by `npm run generate`: do not edit.

/**
 * One observation of the object, in the form of metav1.Condition.
 */
export interface Condition {
  /**
   * What is observed, in CamelCase or as a qualified name.
   */
  type: string;
  /**
   * Whether it holds.
   */
  status: 'True' | 'False' | 'Unknown';
  /**
   * Why, in one word for programs.
   */
  reason: string;
  /**
   * Why, in a sentence for people; may be empty.
   */
  message: string;
  /**
   * When the status last changed.
   */
  lastTransitionTime: string;
  /**
   * Generation of the object that the observation was made of.
   */
  observedGeneration?: number;
}
