import type { RunFill } from '../../backtest/effects/run-fills.js';
import { marketsOf, ownerOf, type BacktestMarket, type BacktestPlan } from '../../backtest/plan.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';

type Nearest = NonNullable<ProfitEvidence['nearest_liquidation']>;

/** A position between two fills. */
interface Holding {
  /** Signed base units. */
  quantity: number;
  /** Average entry price. */
  entry: number;
  /** ms UTC of the last fill. */
  since: number;
}

/**
 * The smallest distance between the price and the liquidation price of an open position, per cent of the price: over
 * the mark prices, or else the last prices, of the candles from a fill to the one before the next fill. 0 in the
 * candle of a liquidation. null without a position.
 */
export function nearestLiquidation(plan: BacktestPlan, fills: readonly RunFill[]): Nearest | null {
  let nearest: Nearest | null = null;
  const closer = (each: Nearest | undefined): void => {
    if (each !== undefined && each.distance_pct < (nearest?.distance_pct ?? Infinity))
      nearest = each;
  };
  for (const market of marketsOf(plan)) {
    const { symbol } = market.instrument;
    const strategy = plan.strategies.find(({ id }) => id === ownerOf(plan, symbol));
    const leverage = numberFromFixed(strategy?.leverage ?? plan.hedgeRate);
    const holding: Holding = { quantity: 0, entry: 0, since: 0 };
    for (const fill of fills) {
      if (fill.order.symbol !== symbol) continue;
      const { time } = fill.execution;
      if (holding.quantity !== 0) closer(nearestWithin(market, holding, leverage, time));
      if (fill.reason === 'liquidation' && fill.realisedPnl !== undefined)
        closer({ distance_pct: 0, symbol, time: new Date(time).toISOString() });
      book(holding, fill);
    }
    if (holding.quantity !== 0) closer(nearestWithin(market, holding, leverage, Infinity));
  }
  return nearest;
}

function book(holding: Holding, { side, execution }: RunFill): void {
  const signed = numberFromFixed(execution.quantity) * (side === 'buy' ? 1 : -1);
  const price = numberFromFixed(execution.price);
  const after = holding.quantity + signed;
  const isFlat = Math.abs(after) < 1e-12;
  const hasGrown = Math.sign(signed) === Math.sign(holding.quantity);
  if (hasGrown) holding.entry = (holding.entry * holding.quantity + price * signed) / after;
  else if (Math.sign(after) !== Math.sign(holding.quantity)) holding.entry = price;
  holding.quantity = isFlat ? 0 : after;
  holding.since = execution.time;
}

function nearestWithin(
  { instrument, columns, mark = columns, maintenanceRate }: BacktestMarket,
  { quantity, entry, since }: Holding,
  leverage: number,
  until: number,
): Nearest | undefined {
  const isLong = quantity > 0;
  const rate = Math.min(numberFromFixed(maintenanceRate), 1 / (2 * leverage));
  const trigger = isLong
    ? (entry * (1 - 1 / leverage)) / (1 - rate)
    : (entry * (1 + 1 / leverage)) / (1 + rate);
  let [distance, at] = [Infinity, -1];
  const first = columns.indexAt(since);
  for (let index = first; index < columns.length; index += 1) {
    const next = columns.openTime[index + 1] ?? Infinity;
    if (until !== Infinity && next > until) break;
    const price = (isLong ? mark.low[index] : mark.high[index]) as number;
    const gap = (isLong ? price - trigger : trigger - price) / price;
    if (gap < distance) [distance, at] = [gap, index];
  }
  if (at < 0) return undefined;
  return {
    distance_pct: Math.max(0, distance * 100),
    symbol: instrument.symbol,
    time: new Date(columns.openTime[at] as number).toISOString(),
  };
}
