import { textFromFixed } from '../core/fixed/fixed.js';
import type { EquityCurve } from './statistics.js';
import type { RoundTrip } from './round-trips.js';

/** `result.json`: the result, indented. Numbers that JSON cannot hold become null. */
export const resultJson = (result: object): string =>
  `${JSON.stringify(result, (_key, value: unknown) => orNull(value), 2)}\n`;

const orNull = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? null : value;

const TRADE_HEADER =
  'symbol,currency,side,quantity,entry_time,entry_price,exit_time,exit_price,' +
  'gross_pnl,fees,funding,net_pnl,exit_reason';

/** `trades.csv`: closed round trips, oldest exit first. Times are in ISO 8601, money is exact. */
export function tradesCsv(trades: readonly RoundTrip[]): string {
  const rows = trades.map((trade) =>
    [
      trade.symbol,
      trade.currency,
      trade.side,
      textFromFixed(trade.quantity),
      new Date(trade.entryTime).toISOString(),
      textFromFixed(trade.entryPrice),
      new Date(trade.exitTime).toISOString(),
      textFromFixed(trade.exitPrice),
      textFromFixed(trade.grossPnl),
      textFromFixed(trade.fees),
      textFromFixed(trade.funding),
      textFromFixed(trade.netPnl),
      trade.exitReason,
    ].join(','),
  );
  return `${[TRADE_HEADER, ...rows].join('\n')}\n`;
}

/**
 * `equity.csv`: time in epoch seconds, equity to 8 places.
 * @param maxRows thins a longer curve evenly and keeps the last row. Default: all rows
 */
export function equityCsv(curve: EquityCurve, maxRows = Infinity): string {
  const step = Math.max(1, Math.ceil(curve.length / maxRows));
  const rows = ['time,equity'];
  for (let index = (curve.length - 1) % step; index >= 0 && index < curve.length; index += step) {
    const seconds = (curve.times[index] as number) / 1_000;
    rows.push(`${seconds},${shortest(curve.equity[index] as number)}`);
  }
  return `${rows.join('\n')}\n`;
}

/** At most 8 places, no exponent, no trailing zeros. */
const shortest = (value: number): string => {
  if (Math.abs(value) >= 1e21) return String(value);
  const text = value.toFixed(8).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
};
