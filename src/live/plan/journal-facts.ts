import type { Currency } from '../../core/currency.js';
import { subtract, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { isEndState, type OrderState } from '../../execution/order/order-state.js';
import { recoverPositions } from '../../execution/recovery/recovered-positions.js';
import { recoverStates, type RecoveredStates } from '../../execution/recovery/recovered-states.js';
import {
  recoverSwitches,
  type StrategySwitch,
} from '../../execution/recovery/recovered-switches.js';
import { recoverOrders, type RecoveredOrder } from '../../execution/recovery/recovered-orders.js';

/** A position of ours, from the journal. */
export interface JournaledPosition {
  readonly symbol: string;
  /** Signed, without the external share. */
  readonly quantity: Quantity;
  /** Owner of the last order that opened or increased it; undefined: no order of this journal did. */
  readonly openedBy: string | undefined;
}

export interface UnfinishedOrder {
  /** Its owner. */
  readonly strategyId: string;
  readonly symbol: string;
  readonly state: OrderState;
}

/** As the facts hold it: with its id, and whether it is still wanted. */
export interface UnfinishedOrderFacts extends UnfinishedOrder {
  readonly clientOrderId: string;
  readonly isEntry: boolean;
  /** No run withdraws or cancels it. */
  readonly isWanted: boolean;
}

/** The part of previous runs' journal that a start compares with its configuration. */
export interface JournalFacts {
  readonly positions: ReadonlyMap<string, JournaledPosition>;
  readonly states: RecoveredStates;
  readonly switches: ReadonlyMap<string, StrategySwitch>;
  readonly unfinished: readonly UnfinishedOrderFacts[];
  /** Owners of all orders, of states and of switches. */
  readonly ids: ReadonlySet<string>;
}

export function journalFacts(
  records: readonly JournalRecord[],
  account: string,
  currency: Currency,
): JournalFacts {
  const states = recoverStates(records);
  const switches = recoverSwitches(records);
  const orders = recoverOrders(records, account);
  const stateIds = [...states].flatMap(([id, own]) => (own.size === 0 ? [] : [id]));
  return {
    positions: positionsOf(records, currency),
    states,
    switches,
    unfinished: orders.filter(({ state }) => !isEndState(state)).map(unfinishedOrder),
    ids: new Set([...orders.map(({ owner }) => owner), ...stateIds, ...switches.keys()]),
  };
}

function unfinishedOrder(recovered: RecoveredOrder): UnfinishedOrderFacts {
  const { clientOrderId, active: isWanted } = recovered.create(0);
  const { owner: strategyId, state, intent } = recovered;
  const { symbol, reduceOnly } = intent.terms;
  return { strategyId, symbol, state, clientOrderId, isEntry: !reduceOnly, isWanted };
}

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

interface Entry {
  readonly symbol: string;
  readonly strategyId: string;
}

/** Entries and positions that a person gave to another strategy. */
function passOn(
  { decision, strategyId, to, symbols, orders }: JournalRecordOf<'ownership'>,
  entries: Map<string, Entry>,
  openers: Map<string, string>,
): void {
  if (to === undefined || to === strategyId) return;
  for (const [id, entry] of entries)
    if (decision === 'rename' ? entry.strategyId === strategyId : orders.includes(id))
      entries.set(id, { ...entry, strategyId: to });
  for (const [symbol, opener] of openers)
    if (opener === strategyId && (decision === 'rename' || symbols.includes(symbol)))
      openers.set(symbol, to);
}

/** Symbol → strategy of the last order that increased its position. */
function openersOf(
  records: readonly JournalRecord[],
  currency: Currency,
): ReadonlyMap<string, string> {
  const entries = new Map<string, Entry>();
  const openers = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'ownership') passOn(record, entries, openers);
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
