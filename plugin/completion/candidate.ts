// One word that a shell may put in, with what a person wants to know about it.

export interface Candidate {
  readonly value: string;
  readonly about: string;
}
