import { CsvWriter } from './run/csv-writer.js';
import { lastOfDay, type EquityCurve } from './statistics/equity-curve.js';
import type { MeasuredTrade } from './statistics/trade-statistics.js';

/** `result.json`: the result, indented. Numbers that JSON cannot hold become null. */
export const resultJson = (result: object): string => `${JSON.stringify(result, null, 2)}\n`;

const TRADE_HEADER =
  'symbol,currency,side,quantity,entry_time,entry_price,exit_time,exit_price,' +
  'gross_pnl,fees,funding,net_pnl,mae_pct,mfe_pct,exit_reason';

/** Bytes of a row, roughly. */
const TRADE_BYTES = 200;
const EQUITY_BYTES = 32;

/** `trades.csv`: closed round trips, oldest exit first. Times are in ISO 8601, money is exact. */
export function tradesCsv(trades: readonly MeasuredTrade[]): Uint8Array {
  const csv = new CsvWriter(TRADE_HEADER, TRADE_BYTES * trades.length);
  for (const trade of trades) {
    csv.text(trade.symbol).text(trade.currency).text(trade.side).fixed(trade.quantity);
    csv.instant(trade.entryTime).fixed(trade.entryPrice);
    csv.instant(trade.exitTime).fixed(trade.exitPrice);
    csv.fixed(trade.grossPnl).fixed(trade.fees).fixed(trade.funding).fixed(trade.netPnl);
    csv.text(trade.maePct?.toFixed(6) ?? '').text(trade.mfePct?.toFixed(6) ?? '');
    csv.text(trade.exitReason).endRow();
  }
  return csv.bytes();
}

/**
 * `equity.csv`: time in epoch seconds, equity to 8 places.
 * @param startEquity equity before the first row: the first peak
 * @param maxRows thins a longer curve to about this many rows. Default: all rows
 */
export function equityCsv(curve: EquityCurve, startEquity: number, maxRows = Infinity): Uint8Array {
  const { times, equity, length } = curve;
  const csv = new CsvWriter('time,equity', EQUITY_BYTES * Math.min(length, maxRows));
  const put = (index: number): void => {
    csv
      .number((times.at(index) as number) / 1_000)
      .number(equity[index] as number)
      .endRow();
  };
  if (length <= maxRows) for (let index = 0; index < length; index += 1) put(index);
  else for (const index of keptRows(curve, startEquity, maxRows)) put(index);
  return csv.bytes();
}

/** Rows that a section of a thinned curve keeps. */
const ROWS_PER_SECTION = 5;

/**
 * Indexes of the rows that stand for a curve. Of each section they are its lowest and its last row, its deepest
 * one below the running peak, that peak and the last peak; beside them, the last row of each UTC day. The
 * statistics of the rows are those of the curve: docs/metrics.md samples days, and the deepest fall is among them.
 */
export function keptRows(
  { times, equity, length }: EquityCurve,
  startEquity: number,
  maxRows: number,
): Iterable<number> {
  const section = Math.ceil((length * ROWS_PER_SECTION) / maxRows);
  const kept = new Set<number>();
  let peak = startEquity;
  let peakAt = 0;
  let dayEnd = length > 0 ? lastOfDay(times, 0, length) : -1;
  for (let start = 0; start < length; start += section) {
    const end = Math.min(length, start + section);
    let [low, deepest, peakBefore, depth] = [start, start, peakAt, -Infinity];
    for (let index = start; index < end; index += 1) {
      const value = equity[index] as number;
      if (value > peak) [peak, peakAt] = [value, index];
      if (value < (equity[low] as number)) low = index;
      const fall = (peak - value) / peak;
      if (fall > depth) {
        [deepest, depth] = [index, fall];
        peakBefore = peakAt;
      }
      if (index !== dayEnd) continue;
      kept.add(index);
      if (index + 1 < length) dayEnd = lastOfDay(times, index + 1, length);
    }
    for (const index of [end - 1, peakBefore, peakAt, low, deepest]) kept.add(index);
  }
  return [...kept].sort((left, right) => left - right);
}
