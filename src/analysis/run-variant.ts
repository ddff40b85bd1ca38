import { closeTimeOf } from '../core/interval.js';
import { fixedFromNumber, multiply, times } from '../core/fixed/fixed.js';
import type { BacktestMarket, BacktestPlan } from '../backtest/plan.js';
import type { FundingRates } from '../backtest/data/funding-rates.js';
import type { MarkColumns } from '../backtest/data/mark-prices.js';
import type { Slippage } from '../backtest/slippage.js';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { createGate } from '../risk/gate.js';

/** How a further run differs from the run of the command. */
export interface RunVariant {
  /** Open time of the last candle that runs, ms UTC. */
  readonly untilMs?: number;
  /** Candles after `untilMs`: there are none, or they go the other way. Default: they stay. */
  readonly future?: 'absent' | 'mirrored';
  /** All times are later by it, ms. */
  readonly shiftMs?: number;
  /** Open time of the first candle, ms UTC. */
  readonly fromMs?: number;
  /** Open time of the first candle on which the strategy may act, ms UTC. */
  readonly liveFromMs?: number;
  /** Fees and slippage are this many times as high. */
  readonly costFactor?: number;
  /** The cash is this many times as large; a whole number. Sizes are those of the strategies. */
  readonly cashFactor?: number;
  readonly slippage?: Slippage;
}

/**
 * The plan of a variant. Candles are copied: a strategy that finds the memory of its candles must not find
 * those that the variant leaves out.
 */
export function variedPlan(plan: BacktestPlan, variant: RunVariant): BacktestPlan {
  const { onExchangeEvent: _event, others, ...rest } = plan;
  const { untilMs, shiftMs = 0, liveFromMs, costFactor, cashFactor = 1 } = variant;
  const knownMs =
    variant.future === undefined ? Infinity : closeTimeOf(plan.base, untilMs ?? Infinity);
  const funding = plan.funding && variedFunding(plan.funding, knownMs, variant);
  return {
    ...rest,
    ...variedMarket(plan, knownMs, variant),
    ...(others !== undefined && {
      others: others.map((each) => variedMarket(each, knownMs, variant)),
    }),
    ...(funding !== undefined && { funding }),
    ...(plan.hedgeRates !== undefined && {
      hedgeRates: plan.hedgeRates.map((each) => ({ ...each, time: each.time + shiftMs })),
    }),
    ...(untilMs !== undefined && { untilMs: untilMs + shiftMs }),
    ...(liveFromMs !== undefined && { liveFromMs: liveFromMs + shiftMs }),
    ...(costFactor !== undefined && variedCosts(plan, costFactor)),
    ...(variant.slippage !== undefined && { slippage: variant.slippage }),
    cash: times(plan.cash, cashFactor),
    gate: createGate(plan.gate),
  };
}

/** @param knownMs events after it are changed: those of the close of the last candle are known */
function variedMarket(
  market: BacktestMarket,
  knownMs: number,
  variant: RunVariant,
): BacktestMarket {
  const { untilMs = Infinity, future, shiftMs = 0, fromMs = -Infinity } = variant;
  const { openTime, length, close } = market.columns;
  const first = market.columns.indexFrom(fromMs);
  const known = market.columns.indexFrom(untilMs + 1);
  const end = future === 'absent' ? known : length;
  const pivot = close[Math.max(0, known - 1)] as number;
  const mirrorFrom = future === 'mirrored' ? known : Infinity;
  const columns = CandleColumns.wrap({
    openTime: openTime.slice(first, end).map((time) => time + shiftMs),
    volume: market.columns.volume
      .slice(first, end)
      .map((volume, index) => (first + index < mirrorFrom ? volume : 2 * volume + 1)),
    ...variedPrices(market.columns, { first, end, mirrorFrom, pivot }),
  });
  const { instrument, maintenanceRate, mark, settlementMarks } = market;
  return {
    instrument,
    maintenanceRate,
    columns,
    ...(mark !== undefined && { mark: variedPrices(mark, { first, end, mirrorFrom, pivot }) }),
    ...(settlementMarks !== undefined && {
      settlementMarks: variedSettlementMarks(settlementMarks, knownMs, { ...variant, pivot }),
    }),
  };
}

interface Section {
  readonly first: number;
  readonly end: number;
  /** Index from which prices are mirrored. */
  readonly mirrorFrom: number;
  readonly pivot: number;
}

/** Prices p become pivot² / p: each rise is a fall of the same ratio. */
function variedPrices(
  { open, high, low, close }: MarkColumns,
  { first, end, mirrorFrom, pivot }: Section,
): MarkColumns {
  const section = (own: Float64Array, mirrored: Float64Array): Float64Array => {
    const column = own.slice(first, end);
    for (let index = mirrorFrom; index < end; index += 1)
      column[index - first] = (pivot * pivot) / (mirrored[index] as number);
    return column;
  };
  return {
    open: section(open, open),
    high: section(high, low),
    low: section(low, high),
    close: section(close, close),
  };
}

function variedSettlementMarks(
  marks: CandleColumns,
  knownMs: number,
  { shiftMs = 0, pivot }: RunVariant & { readonly pivot: number },
): CandleColumns {
  const known = marks.indexFrom(knownMs + 1);
  const section = { first: 0, end: marks.length, mirrorFrom: known, pivot };
  return CandleColumns.wrap({
    openTime: marks.openTime.slice(0, marks.length).map((time) => time + shiftMs),
    volume: marks.volume.slice(0, marks.length),
    ...variedPrices(marks, section),
  });
}

/** The times of later settlements stay, since they are known; their rates change. */
const variedFunding = (
  funding: FundingRates,
  knownMs: number,
  { shiftMs = 0 }: RunVariant,
): FundingRates =>
  Object.fromEntries(
    Object.entries(funding).map(([symbol, rates]) => [
      symbol,
      rates.map(({ time, rate }) => ({
        time: time + shiftMs,
        rate: time > knownMs ? OTHER_RATE - rate : rate,
      })),
    ]),
  );

/** So that a rate of 0 changes too. */
const OTHER_RATE = 0.0001;

function variedCosts(
  { takerFeeRate, makerFeeRate, slippage }: BacktestPlan,
  factor: number,
): Pick<BacktestPlan, 'takerFeeRate' | 'makerFeeRate' | 'slippage'> {
  return {
    takerFeeRate: multiply(takerFeeRate, fixedFromNumber(factor)),
    makerFeeRate: multiply(makerFeeRate, fixedFromNumber(factor)),
    slippage: slippageTimes(slippage, factor),
  };
}

function slippageTimes(slippage: Slippage, factor: number): Slippage {
  if (slippage.kind === 'fixed') return { ...slippage, bps: slippage.bps * factor };
  if (slippage.kind === 'volume') return { ...slippage, impact: slippage.impact * factor };
  return { ...slippage, bps: slippage.bps * factor, share: slippage.share * factor };
}
