import type { Currency } from '../../core/currency.js';
import { add, multiply, subtract, ZERO, type Usdt } from '../../core/fixed/fixed.js';
import type { LossCounters } from '../../risk/loss/loss-ledger.js';
import { tradingDayOf } from '../../risk/loss/trading-day.js';
import type { WalletTransferState } from '../../risk/loss/wallet-baseline.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';

/** Counters of losses that previous runs left. */
export interface RecoveredLosses {
  readonly currency: Currency;
  readonly counters: LossCounters;
  readonly transfers: WalletTransferState;
}

/** The newest counters, with the orders and fills journaled after them. */
export function recoverLosses(records: readonly JournalRecord[]): RecoveredLosses | undefined {
  const at = records.findLastIndex(({ type }) => type === 'losses');
  const last = records[at];
  if (last?.type !== 'losses') return undefined;
  const { currency, counters, transfers } = lossesOf(last);
  const { orders, turnover } = activityAfter(records, at, counters.day);
  return {
    currency,
    counters: {
      ...counters,
      orders: counters.orders + orders,
      turnover: add(counters.turnover, turnover),
    },
    transfers,
  };
}

/** The record from which `recoverLosses` returns the same. */
export function lossRecord(
  { currency, counters, transfers }: RecoveredLosses,
  venueTime: number,
): JournalRecordOf<'losses'> {
  const { latched, ...rest } = counters;
  const { transferIds, ...baseline } = transfers;
  return {
    type: 'losses',
    venueTime,
    currency,
    ...rest,
    ...(latched.length > 0 && { latched: [...latched] }),
    ...baseline,
    ...(transferIds.length > 0 && { transferIds: [...transferIds] }),
  };
}

function lossesOf(record: JournalRecordOf<'losses'>): RecoveredLosses {
  const { type: _type, venueTime: _at, currency, latched = [], ...rest } = record;
  const { wallet, walletAt, transferIds = [], stopOuts: _stopOuts, ...counters } = rest;
  return {
    currency,
    counters: { ...counters, latched },
    transfers: { wallet, walletAt, transferIds },
  };
}

/** Orders and turnover of the day in the records behind `at`. */
function activityAfter(
  records: readonly JournalRecord[],
  at: number,
  day: number,
): { readonly orders: number; readonly turnover: Usdt } {
  const filled = new Map<string, Usdt>();
  let orders = 0;
  let turnover = ZERO as Usdt;
  for (const [index, record] of records.entries()) {
    if (record.type !== 'intent' && record.type !== 'update' && record.type !== 'past') continue;
    const counts = index > at && tradingDayOf(record.venueTime) === day;
    if (record.type === 'intent') {
      if (counts) orders += 1;
      continue;
    }
    const before = filled.get(record.clientOrderId) ?? (ZERO as Usdt);
    const after = multiply<'USDT'>(record.filledQuantity, record.averagePrice ?? ZERO);
    filled.set(record.clientOrderId, after);
    if (counts) turnover = add(turnover, subtract(after, before));
  }
  return { orders, turnover };
}
