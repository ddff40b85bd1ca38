import type { Side } from '../core/order.js';
import { numberFromFixed } from '../core/fixed/fixed.js';
import type { DecisionCause } from '../core/intent.js';
import type { TradeDecision, TradeDecisions } from '../report/page/page-decisions.js';
import type { RoundTrip } from '../report/round-trips.js';
import type { OrderDecision } from './rows/decision-rows.js';
import type { RunFill } from './effects/run-fills.js';
import type { BacktestRun } from './run.js';

/** The decisions behind the first entry and the last exit of a trade of this run. */
export function tradeDecisionsOf({
  fills,
  decisionOf: orderDecisionOf,
}: Pick<BacktestRun, 'fills' | 'decisionOf'>): (trade: RoundTrip) => TradeDecisions {
  const decisionOf = (fill: RunFill | undefined): TradeDecision | undefined => {
    const decision = fill === undefined ? undefined : orderDecisionOf(fill.order.orderId);
    return decision === undefined ? undefined : tradeDecisionOf(decision);
  };
  return ({ symbol, side, entryTime, exitTime }) => {
    const isOf = (fill: RunFill, sideOfFill: Side): boolean =>
      fill.order.symbol === symbol && fill.side === sideOfFill;
    const [entrySide, exitSide]: readonly [Side, Side] =
      side === 'long' ? ['buy', 'sell'] : ['sell', 'buy'];
    const entries = fillsAt(fills, entryTime).filter((fill) => isOf(fill, entrySide));
    const exits = fillsAt(fills, exitTime).filter((fill) => isOf(fill, exitSide));
    return {
      // A reversal closes and opens at one time on one side: only what closes has booked a PnL.
      entry: decisionOf(entries.find(({ realisedPnl }) => realisedPnl === undefined) ?? entries[0]),
      exit: decisionOf(exits.findLast(({ realisedPnl }) => realisedPnl !== undefined)),
    };
  };
}

/** @param fills oldest first */
function fillsAt(fills: readonly RunFill[], time: number): readonly RunFill[] {
  let [from, to] = [0, fills.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((fills[middle] as RunFill).execution.time < time) from = middle + 1;
    else to = middle;
  }
  let end = from;
  while (fills[end]?.execution.time === time) end += 1;
  return fills.slice(from, end);
}

const tradeDecisionOf = ({
  cause,
  decidedAt,
  referencePrice,
  explanation,
  sizing,
}: OrderDecision): TradeDecision => ({
  time: decidedAt,
  after: causeText(cause),
  price: numberFromFixed(referencePrice),
  ...(explanation !== undefined && { text: explanation }),
  ...(sizing !== undefined && { size: sizing }),
});

function causeText(cause: DecisionCause): string {
  switch (cause.kind) {
    case 'candle':
      return `the ${cause.interval} candle of ${cause.symbol}`;
    case 'round':
      return `the ${cause.interval} candles of all symbols`;
    case 'second':
      return `a second of ${cause.symbol}`;
    case 'mark-candle':
      return `a candle of mark prices of ${cause.symbol}`;
    case 'fill':
      return 'a fill';
    case 'timer':
      return `its timer ${cause.key}`;
    case 'operator':
      return 'a command';
  }
}
