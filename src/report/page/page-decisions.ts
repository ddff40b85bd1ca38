import type { PageDecision, PageDecisions } from './page-data.js';
import { priceDigits } from './page-numbers.js';

/** A decision of the strategy, with the facts that it had. */
export interface TradeDecision {
  /** ms UTC. */
  readonly time: number;
  /** The event that caused it, in words. */
  readonly after: string;
  /** From which its size and its stop were computed. */
  readonly price: number;
  /** The explanation of the strategy. */
  readonly text?: string;
  /** How the limits reduced its size. */
  readonly size?: string;
}

/** undefined: no decision of the strategy, such as a stop. */
export interface TradeDecisions {
  readonly entry: TradeDecision | undefined;
  readonly exit: TradeDecision | undefined;
}

const MAX_CHARACTERS = 160;

/** @param rows indexes of trades, ascending */
export function pageDecisions(
  rows: readonly number[],
  decisionsOf: (row: number) => TradeDecisions,
): PageDecisions {
  const decisions = rows.map(decisionsOf);
  return {
    rows,
    entry: decisions.map(({ entry }) => shaped(entry)),
    exit: decisions.map(({ exit }) => shaped(exit)),
  };
}

function shaped(decision: TradeDecision | undefined): PageDecision | null {
  if (decision === undefined) return null;
  const { time, after, price, text, size } = decision;
  return {
    time: time / 1_000,
    after,
    price: priceDigits(price),
    ...(text !== undefined && { text: cut(text) }),
    ...(size !== undefined && { size: cut(size) }),
  };
}

const cut = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
