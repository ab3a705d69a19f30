// What a command may touch of the world around it. Tests give it a terminal of their own and a cluster in memory.
import type { KubeClient } from '../../proto/kube/client.ts';
import type { Arguments } from './arguments.ts';

/** stdout or stderr as a command sees it. */
export interface Screen {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; meaningless when it is none. */
  readonly columns: number;
  readonly colour: boolean;
}

/** A device as the selector of the policy sees it. */
export interface SelectCandidate {
  readonly name: string;
  readonly node: string;
  readonly busId: string;
  /** Unsigned 16 bits. */
  readonly vendorId: number;
  readonly productId: number;
  readonly serial?: string;
  readonly product?: string;
}

/** Indices of the candidates that a person means; throws when the selector is empty. */
export type Select = (selector: string, candidates: readonly SelectCandidate[]) => readonly number[];

export interface Host {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `milliseconds`; at once when the signal is aborted. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Ends what runs until it is stopped (watches, waits, questions). */
  readonly signal: AbortSignal;
  /** Somebody reads stderr and types at stdin. */
  readonly canAsk: boolean;
  /** True for yes; no, an empty answer, the end of stdin and `signal` are false. */
  ask(question: string): Promise<boolean>;
  /** UTF-8. Rejects with USAGE: paths come from the command line. */
  readFile(path: string): Promise<string>;
  connect(args: Arguments): Promise<KubeClient>;
  /** As `connect`, but asks nobody and says nothing: for completion. */
  connectUnattended(args: Arguments): Promise<KubeClient>;
  /** Names of the kubeconfig's contexts. */
  contexts(args: Arguments): Promise<string[]>;
  /** Of the flags, else of the kubeconfig's context. */
  namespaceOf(args: Arguments): Promise<string>;
  loadSelect(): Promise<Select>;
}
