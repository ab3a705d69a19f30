// A JSONPath template of kubectl as data: text, paths, and ranges that repeat their body for each result of a path.

export type Template = readonly Part[];

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly body: Template };

/** Each step takes the results of the one before it. */
export type Path = readonly Step[];

export type Step =
  /** A quoted text, a number or a boolean: the same whatever comes in. */
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'field'; readonly name: string }
  /** All members of a map or list. */
  | { readonly kind: 'wildcard' }
  /** Every map and list at any depth that is not empty. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'slice'; readonly bounds: Bounds; readonly at: number }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  | {
      readonly kind: 'filter';
      readonly left: Path;
      /** Without it: whether `left` finds anything. */
      readonly test?: { readonly operator: Operator; readonly right: Path };
      readonly at: number;
    };

/** As written, so negative ones count from the end. `to` is not included; absent means up to the end. */
export interface Bounds {
  readonly from: number;
  readonly to?: number;
  readonly step: number;
  /** One index instead of a range: `[3]`. */
  readonly single: boolean;
}

export const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
export type Operator = (typeof OPERATORS)[number];
