import type { ProbeDesk } from './probe-desk.js';
import type { ProbeWorld } from './probe-world.js';

/** An answer with what was seen, or why there is none. */
export type Finding =
  | { readonly answer: string; readonly evidence: string }
  | { readonly answer: undefined; readonly evidence: string };

/** When a question can be asked: what must be there for it. */
export type Moment =
  /** Nothing. */
  | 'any'
  /** An order that rests. */
  | 'resting'
  /** An open position of the symbol. */
  | 'open'
  /** What has happened before. */
  | 'after';

/** One open question about a venue: a row of the probe. */
export interface Question {
  /** Of the assumption (its answers are that table's), of the quirk (`on`, `off`), or of a fact. */
  readonly id: string;
  readonly kind: 'assumption' | 'quirk' | 'fact';
  readonly moment: Moment;
  /** Trades, or changes orders: asked under `--min-size` alone, on a position of the probe's own. */
  readonly trades?: true;
  /** How it is asked. */
  readonly how: string;
  /** Each answer and what it means. */
  readonly answers: Readonly<Record<string, string>>;
  /** Listens for so long that the others go on meanwhile. */
  readonly long?: true;
  /** @param desk absent: the probe only reads */
  readonly ask: (world: ProbeWorld, desk?: ProbeDesk) => Promise<Finding>;
}

export const found = (answer: string, evidence: string): Finding => ({ answer, evidence });
export const unanswered = (evidence: string): Finding => ({ answer: undefined, evidence });
/** A quirk is on or off. */
export const whether = (on: boolean, evidence: string): Finding =>
  found(on ? 'on' : 'off', evidence);
