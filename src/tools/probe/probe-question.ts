import type { ProbeTrader } from './probe-trader.js';
import type { ProbeContext } from './probe-context.js';

/** An answer with its evidence, or the reason why there is none. */
export type ProbeFinding =
  | { readonly answer: string; readonly evidence: string }
  | { readonly answer: undefined; readonly evidence: string };

/** The state of the account that a question needs. */
export type QuestionPrecondition =
  /** No precondition. */
  | 'any'
  /** A resting order. */
  | 'resting'
  /** An open position of the symbol. */
  | 'open'
  /** History of earlier questions. */
  | 'after';

/** One open question about a venue. */
export interface ProbeQuestion {
  /** Id of the assumption (answers as in its table), of the quirk (`on`, `off`), or of a fact. */
  readonly id: string;
  readonly kind: 'assumption' | 'quirk' | 'fact';
  readonly precondition: QuestionPrecondition;
  /** Trades or changes orders: asked under `--min-size` only, on the probe's own position. */
  readonly placesOrders?: true;
  /** How the question is asked. */
  readonly how: string;
  /** The meaning of each answer. */
  readonly answers: Readonly<Record<string, string>>;
  /** Listens for a long time, so other questions run meanwhile. */
  readonly runsConcurrently?: true;
  /** @param trader absent when the probe only reads */
  readonly ask: (context: ProbeContext, trader?: ProbeTrader) => Promise<ProbeFinding>;
}

export const probeFinding = (answer: string, evidence: string): ProbeFinding => ({
  answer,
  evidence,
});
export const unanswered = (evidence: string): ProbeFinding => ({ answer: undefined, evidence });
export const quirkFinding = (on: boolean, evidence: string): ProbeFinding =>
  probeFinding(on ? 'on' : 'off', evidence);
