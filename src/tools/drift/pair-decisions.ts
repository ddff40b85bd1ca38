import { openTimeOf, MINUTE_MS, closeTimeOf } from '../../core/interval.js';
import { decisionKey, type DecisionCause } from '../../core/intent.js';
import {
  absolute,
  add,
  averagePrice,
  isGreater,
  negate,
  subtract,
  textFromFixed,
  unitsOf,
  ZERO,
  type Amount,
  type Price,
} from '../../core/fixed/fixed.js';
import type { DriftDecision, DriftFill, DriftSide } from './decision-fills.js';
import type { DriftFees } from './drift-fees.js';
import type { DriftCause, DriftRow, DriftSideRow } from './drift-report.js';
import type { LiveRecord } from './live-record.js';
import { sumOf, walkPrices, type FilledSum, type PriceParts } from './price-walk.js';

/** Parts of the gap that have an amount. */
export type DriftAmounts = Readonly<Record<DriftCause, Amount>>;

/** One decision on both sides; undefined: that side did not take it. */
export interface DecisionPair {
  readonly decision: DriftDecision;
  readonly session: DecisionSide | undefined;
  readonly backtest: DecisionSide | undefined;
  readonly amounts: DriftAmounts;
  readonly gap: Amount;
  readonly note: string | undefined;
}

interface DecisionSide extends FilledSum {
  readonly fee: Amount;
}

export interface PairInputs {
  readonly live: LiveRecord;
  readonly session: DriftSide;
  readonly backtest: DriftSide;
  readonly fees: DriftFees;
  /** Price of each symbol at the end. */
  readonly endPrice: (symbol: string) => Price;
}

/** Every decision of either side, in order of time. */
export function pairDecisions(inputs: PairInputs): readonly DecisionPair[] {
  const { session, backtest } = inputs;
  const sessionFills = fillsByDecision(session.fills);
  const backtestFills = fillsByDecision(backtest.fills);
  const names = new Set([...session.decisions.keys(), ...backtest.decisions.keys()]);
  return [...names]
    .map((name) =>
      pairOf(inputs, {
        session: sideOf(session.decisions.get(name), sessionFills.get(name)),
        backtest: sideOf(backtest.decisions.get(name), backtestFills.get(name)),
        decision: (session.decisions.get(name) ?? backtest.decisions.get(name)) as DriftDecision,
      }),
    )
    .sort((a, b) => a.decision.time - b.decision.time);
}

function fillsByDecision(fills: readonly DriftFill[]): ReadonlyMap<string, readonly DriftFill[]> {
  const found = new Map<string, DriftFill[]>();
  for (const fill of fills) found.set(fill.decision, [...(found.get(fill.decision) ?? []), fill]);
  return found;
}

function sideOf(
  decision: DriftDecision | undefined,
  fills: readonly DriftFill[] = [],
): DecisionSide | undefined {
  if (decision === undefined) return undefined;
  const fee = fills.reduce<Amount>((sum, fill) => add(sum, fill.fee), ZERO as Amount);
  return { ...sumOf(fills, decision.ordered), fee };
}

type Sides = Pick<DecisionPair, 'decision' | 'session' | 'backtest'>;

const NOTHING: DecisionSide = { ...sumOf([], ZERO as never), fee: ZERO as Amount };

function pairOf(inputs: PairInputs, sides: Sides): DecisionPair {
  const { fees, endPrice } = inputs;
  const { decision, session = NOTHING, backtest = NOTHING } = sides;
  const end = unitsOf(endPrice(decision.symbol));
  const prices = walkPrices(decision.side, session, backtest, end);
  const missing = sides.session === undefined ? missingCandles(inputs, decision) : 0;
  const amounts = amountsOf(prices, missing > 0, fees, subtract(backtest.fee, session.fee));
  const gap = Object.values(amounts).reduce<Amount>((sum, each) => add(sum, each), ZERO as Amount);
  return { ...sides, amounts, gap, note: noteOf(inputs, sides, missing) };
}

const amountsOf = (
  { latency, spread, partialFill, quantity }: PriceParts,
  isMissing: boolean,
  fees: DriftFees,
  fee: Amount,
): DriftAmounts => ({
  latency: fees.amountOf(latency),
  spread: fees.amountOf(spread),
  fee,
  funding: ZERO as Amount,
  partial_fill: fees.amountOf(partialFill),
  missing_data: isMissing ? fees.amountOf(quantity) : (ZERO as Amount),
  decision: isMissing ? (ZERO as Amount) : fees.amountOf(quantity),
});

/** Base candles of a decision that the session did not receive in time. */
function missingCandles({ live }: PairInputs, { symbol, cause }: DriftDecision): number {
  const span = cause && spanOf(cause);
  return span === undefined ? 0 : live.market.missing(symbol, span.from, span.to);
}

function spanOf(cause: DecisionCause): { readonly from: number; readonly to: number } | undefined {
  if (cause.kind === 'candle')
    return { from: cause.openTime, to: closeTimeOf(cause.interval, cause.openTime) };
  if (cause.kind !== 'round') return undefined;
  return { from: openTimeOf(cause.interval, cause.closeTime - MINUTE_MS), to: cause.closeTime };
}

function noteOf(
  { live }: PairInputs,
  { decision, session }: Sides,
  missing: number,
): string | undefined {
  if (decision.note !== undefined) return decision.note;
  const { cause, strategy } = decision;
  if (cause?.kind === 'operator') return 'a command of a person';
  if (session !== undefined) return undefined;
  if (missing > 0) return `${missing} of its 1m candles did not arrive in time`;
  if (cause === undefined) return undefined;
  const keys = [0, 1, 2].map((ordinal) => `${strategy} ${decisionKey(cause, ordinal)}`);
  const refusal = keys.map((key) => live.refusals.get(key)).find((text) => text !== undefined);
  return refusal ?? live.restrictionAt(decision.symbol, decision.time);
}

/** The row of a pair; undefined: both sides are alike. */
export function driftRowOf(pair: DecisionPair): DriftRow | undefined {
  const { decision, session, backtest, amounts, gap, note } = pair;
  const parts = Object.entries(amounts).filter(([, amount]) => amount !== 0) as [
    DriftCause,
    Amount,
  ][];
  if (parts.length === 0 && session?.filled === backtest?.filled) return undefined;
  const [largest] = [...parts].sort(([, a], [, b]) =>
    isGreater(absolute(a), absolute(b)) ? -1 : 1,
  );
  return {
    time: new Date(decision.time).toISOString(),
    strategy: decision.strategy,
    symbol: decision.symbol,
    side: decision.side,
    session: session === undefined ? null : sideRow(session),
    backtest: backtest === undefined ? null : sideRow(backtest),
    gap: textFromFixed(gap),
    parts: Object.fromEntries(parts.map(([cause, amount]) => [cause, textFromFixed(amount)])),
    cause: largest?.[0] ?? 'decision',
    note: note ?? null,
  };
}

const sideRow = ({ ordered, filled, value, fee }: DecisionSide): DriftSideRow => ({
  ordered: textFromFixed(ordered),
  filled: textFromFixed(filled),
  price: filled === 0 ? null : textFromFixed(averagePrice(value, filled)),
  fee: textFromFixed(fee),
});

/** Sums over all decisions; `funding` is that of the session, as a cost. */
export function totalAmounts(pairs: readonly DecisionPair[], funding: Amount): DriftAmounts {
  const sum = (cause: DriftCause): Amount =>
    pairs.reduce<Amount>((total, { amounts }) => add(total, amounts[cause]), ZERO as Amount);
  return {
    latency: sum('latency'),
    spread: sum('spread'),
    fee: sum('fee'),
    funding: negate(funding),
    partial_fill: sum('partial_fill'),
    missing_data: sum('missing_data'),
    decision: sum('decision'),
  };
}
