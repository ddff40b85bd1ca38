import { numberFromFixed } from '../core/fixed/fixed.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import type { RoundTrip } from '../report/round-trips.js';
import type { MeasuredTrade } from '../report/statistics/trade-statistics.js';

/**
 * Adds the extremes of the price while a trade was open: those of the candles from its entry to the one
 * before its exit, and the exit price. The candle of the exit is left out, because its path up to the exit is
 * not known.
 *
 * @param columns candles of its symbol
 */
export function measureTrade(trade: RoundTrip, columns: CandleColumns): MeasuredTrade {
  const entry = numberFromFixed(trade.entryPrice);
  const exit = numberFromFixed(trade.exitPrice);
  let low = exit;
  let high = exit;
  const { low: lows, high: highs } = columns;
  const last = columns.indexAt(trade.exitTime);
  for (let index = columns.indexAt(trade.entryTime); index < last; index += 1) {
    const [lowest, highest] = [lows[index] as number, highs[index] as number];
    if (lowest < low) low = lowest;
    if (highest > high) high = highest;
  }
  const sign = trade.side === 'long' ? 1 : -1;
  const percent = (price: number): number => ((sign * (price - entry)) / entry) * 100;
  const [worst, best] = trade.side === 'long' ? [low, high] : [high, low];
  // Written out: a spread of so many doubles takes ten times as long, and a run has thousands of trades.
  return {
    symbol: trade.symbol,
    currency: trade.currency,
    side: trade.side,
    quantity: trade.quantity,
    entryTime: trade.entryTime,
    exitTime: trade.exitTime,
    entryPrice: trade.entryPrice,
    exitPrice: trade.exitPrice,
    grossPnl: trade.grossPnl,
    fees: trade.fees,
    funding: trade.funding,
    netPnl: trade.netPnl,
    exitReason: trade.exitReason,
    maePct: Math.min(0, percent(worst)),
    mfePct: Math.max(0, percent(best)),
  };
}
