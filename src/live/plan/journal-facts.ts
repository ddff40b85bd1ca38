import type { Currency } from '../../core/currency.js';
import { subtract, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { isEndState, type OrderState } from '../../execution/order/order-state.js';
import { recoverPositions } from '../../execution/recovery/recovered-positions.js';
import { recoverStates, type RecoveredStates } from '../../execution/recovery/recovered-states.js';
import { recoverOrders } from '../../execution/recovery/recovered-orders.js';

/** A position of ours, from the journal. */
export interface JournaledPosition {
  readonly symbol: string;
  /** Signed, without the external share. */
  readonly quantity: Quantity;
  /** Sender of the last order that opened or increased it; undefined: no order of this journal did. */
  readonly openedBy: string | undefined;
}

export interface UnfinishedOrder {
  readonly strategyId: string;
  readonly symbol: string;
  readonly state: OrderState;
}

/** The part of previous runs' journal that a start compares with its configuration. */
export interface JournalFacts {
  readonly positions: ReadonlyMap<string, JournaledPosition>;
  readonly states: RecoveredStates;
  readonly unfinished: readonly UnfinishedOrder[];
}

export const journalFacts = (
  records: readonly JournalRecord[],
  account: string,
  currency: Currency,
): JournalFacts => ({
  positions: positionsOf(records, currency),
  states: recoverStates(records),
  unfinished: recoverOrders(records, account)
    .filter(({ state }) => !isEndState(state))
    .map(({ intent: { strategyId, terms }, state }) => ({
      strategyId,
      symbol: terms.symbol,
      state,
    })),
});

function positionsOf(
  records: readonly JournalRecord[],
  currency: Currency,
): ReadonlyMap<string, JournaledPosition> {
  const openers = openersOf(records, currency);
  const own = recoverPositions(records)
    .filter((position) => position.currency === currency)
    .map(({ symbol, quantity, foreign: external = ZERO as Quantity }) => ({
      symbol,
      quantity: subtract(quantity, external),
      openedBy: openers.get(symbol),
    }));
  return new Map(own.filter(({ quantity }) => quantity !== 0).map((row) => [row.symbol, row]));
}

/** Symbol → strategy of the last order that increased its position. */
function openersOf(
  records: readonly JournalRecord[],
  currency: Currency,
): ReadonlyMap<string, string> {
  const entries = new Map<string, { readonly symbol: string; readonly strategyId: string }>();
  const openers = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'intent' || record.type === 'past') {
      const { clientOrderId, strategyId, terms } = record;
      if (terms.reduceOnly || terms.currency !== currency) continue;
      entries.set(clientOrderId, { symbol: terms.symbol, strategyId });
    }
    if (record.type !== 'past' && record.type !== 'update') continue;
    const entry = record.filledQuantity === 0 ? undefined : entries.get(record.clientOrderId);
    if (entry !== undefined) openers.set(entry.symbol, entry.strategyId);
  }
  return openers;
}
