import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { MeasuredTrade } from '../statistics/trade-statistics.js';
import type { PageTrades } from './page-data.js';
import { pageDecisions, type TradeDecisions } from './page-decisions.js';
import { moneyDigits, priceDigits, shareDigits, stepsOf } from './page-numbers.js';

export interface DecidedTrades {
  readonly decisionsOf: (trade: MeasuredTrade) => TradeDecisions;
  /** Trades whose decisions the page holds. */
  readonly maxTrades: number;
}

/** Trades as columns. Of more than `maxTrades` the page holds half by size of their net PnL, half evenly. */
export function pageTrades(
  trades: readonly MeasuredTrade[],
  maxTrades: number,
  decided?: DecidedTrades,
): PageTrades {
  const kept = keptOf(trades, maxTrades);
  const rows = kept.map((index) => trades[index] as MeasuredTrade);
  const symbols = [...new Set(rows.map(({ symbol }) => symbol))];
  const reasons = [...new Set(rows.map(({ exitReason }) => exitReason))];
  const unitMs = unitOf(rows);
  const column = (valueOf: (trade: MeasuredTrade) => number): readonly number[] =>
    rows.map((trade) => valueOf(trade));
  return {
    total: trades.length,
    rows: rows.length === trades.length ? null : kept.map((index) => index + 1),
    symbols,
    reasons,
    unitMs,
    symbol: column(({ symbol }) => symbols.indexOf(symbol)),
    side: column(({ side }) => (side === 'long' ? 1 : -1)),
    entrySteps: stepsOf(column(({ entryTime }) => entryTime / unitMs)),
    held: column(({ entryTime, exitTime }) => (exitTime - entryTime) / unitMs),
    quantity: column(({ quantity }) => priceDigits(numberFromFixed(quantity))),
    entryPrice: column(({ entryPrice }) => priceDigits(numberFromFixed(entryPrice))),
    exitPrice: column(({ exitPrice }) => priceDigits(numberFromFixed(exitPrice))),
    net: column(({ netPnl }) => moneyDigits(numberFromFixed(netPnl))),
    fees: column(({ fees }) => moneyDigits(numberFromFixed(fees))),
    funding: column(({ funding }) => moneyDigits(numberFromFixed(funding))),
    mae: rows.map(({ maePct }) => (maePct === undefined ? null : shareDigits(maePct))),
    mfe: rows.map(({ mfePct }) => (mfePct === undefined ? null : shareDigits(mfePct))),
    reason: column(({ exitReason }) => reasons.indexOf(exitReason)),
    decisions:
      decided === undefined
        ? null
        : pageDecisions(keptOf(rows, decided.maxTrades), (row) =>
            decided.decisionsOf(rows[row] as MeasuredTrade),
          ),
  };
}

const keptOf = (trades: readonly MeasuredTrade[], maxTrades: number): readonly number[] =>
  trades.length <= maxTrades
    ? trades.map((_, index) => index)
    : keptTrades(
        trades.map(({ netPnl }) => Math.abs(numberFromFixed(netPnl))),
        maxTrades,
      );

/** Indexes, ascending: the largest half of the budget, and an even part of the rest. */
function keptTrades(sizes: readonly number[], maxTrades: number): readonly number[] {
  const bySize = sizes.map((_, index) => index);
  bySize.sort((a, b) => (sizes[b] as number) - (sizes[a] as number) || a - b);
  const largest = bySize.slice(0, Math.floor(maxTrades / 2));
  const rest = bySize.slice(largest.length).sort((a, b) => a - b);
  const even = maxTrades - largest.length;
  for (let index = 0; index < even; index += 1)
    largest.push(rest[Math.floor((index * rest.length) / even)] as number);
  return largest.sort((a, b) => a - b);
}

const UNITS_MS = [60_000, 1_000] as const;

/** The longest unit in which all times are whole. */
const unitOf = (trades: readonly MeasuredTrade[]): number =>
  UNITS_MS.find((unit) =>
    trades.every(({ entryTime, exitTime }) => entryTime % unit === 0 && exitTime % unit === 0),
  ) ?? 1;
