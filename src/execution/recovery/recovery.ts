import type { Currency } from '../../core/currency.js';
import type { LimitChange } from '../../risk/catalog/limit-changes.js';
import type { Restriction } from '../../risk/restrictions.js';
import type { JournalRecord } from '../journal/journal-record.js';
import { recoverOperations, type RecoveredOperations } from './operation-recovery.js';
import { recoverSwitches, type StrategySwitch } from './recovered-switches.js';
import { recoverFlatten, type RecoveredFlatten } from './recovered-flatten.js';
import { recoverLimitChanges } from './recovered-limits.js';
import { recoverLosses, type RecoveredLosses } from './recovered-losses.js';
import { recoverOrders, type RecoveredOrder } from './recovered-orders.js';
import {
  recoverFillTimes,
  recoverPositions,
  type RecoveredPosition,
} from './recovered-positions.js';
import { recoverRestrictions } from './recovered-restrictions.js';
import { recoverFailedStarts } from './recovered-starts.js';
import { recoverStates, type RecoveredStates } from './recovered-states.js';

/** State of a previous run, rebuilt from the journal. */
export interface Recovery {
  readonly orders: readonly RecoveredOrder[];
  readonly positions: readonly RecoveredPosition[];
  /** Venue ms of our last fill of each symbol. */
  readonly filledAt: ReadonlyMap<string, number>;
  /** Latched restrictions that only a person ends. */
  readonly restrictions: readonly Restriction[];
  /** Venue ms of the newest starts in a row that never reached TRADING. */
  readonly failedStarts: readonly number[];
  /** Client order ids and symbols that the operator has adopted. */
  readonly adopted: ReadonlySet<string>;
  /** Client order ids of another writer that are not adopted. */
  readonly strays: ReadonlySet<string>;
  /** Venue ms until which order history of each currency was compared with the journal. */
  readonly judgedUntil: ReadonlyMap<Currency, number>;
  /** Venue ms of the newest record; undefined: there is none. */
  readonly until: number | undefined;
  /** A flatten that has not ended; absent: none. */
  readonly flatten?: RecoveredFlatten;
  /** Durable states of strategies. */
  readonly states: RecoveredStates;
  /** Strategies that a person has stopped or paused. */
  readonly switches: ReadonlyMap<string, StrategySwitch>;
  /** Limits that a person tightened at run time. */
  readonly limitChanges: readonly LimitChange[];
  /** Operations: every change that was neither an order nor its cancel. */
  readonly operations: RecoveredOperations;
  /** Counters of losses; absent: none were kept. */
  readonly losses?: RecoveredLosses;
}

export function recover(records: readonly JournalRecord[], account: string): Recovery {
  const flatten = recoverFlatten(records);
  const losses = recoverLosses(records);
  return {
    orders: recoverOrders(records, account),
    positions: recoverPositions(records),
    filledAt: recoverFillTimes(records),
    restrictions: recoverRestrictions(records),
    failedStarts: recoverFailedStarts(records),
    adopted: recoverAdopted(records),
    strays: recoverStrays(records),
    judgedUntil: recoverHistoryProgress(records),
    until: records.at(-1)?.venueTime,
    ...(flatten !== undefined && { flatten }),
    states: recoverStates(records),
    switches: recoverSwitches(records),
    limitChanges: recoverLimitChanges(records),
    operations: recoverOperations(records),
    ...(losses !== undefined && { losses }),
  };
}

/** Client order ids and symbols that the operator has adopted; no id equals a symbol. */
export function recoverAdopted(records: readonly JournalRecord[]): ReadonlySet<string> {
  const adopted = new Set<string>();
  for (const record of records) {
    if (record.type === 'command' && record.command.kind === 'adopt') {
      adopted.add(record.command.what);
    }
  }
  return adopted;
}

/** Client order ids of another writer under our account name that are not adopted. */
export function recoverStrays(records: readonly JournalRecord[]): ReadonlySet<string> {
  const adopted = recoverAdopted(records);
  const strays = records.flatMap((record) =>
    record.type === 'stray' && !adopted.has(record.clientOrderId) ? [record.clientOrderId] : [],
  );
  return new Set(strays);
}

/** Venue ms until which order history of each currency was compared with the journal. */
export function recoverHistoryProgress(
  records: readonly JournalRecord[],
): ReadonlyMap<Currency, number> {
  return new Map(
    records.flatMap((record) =>
      record.type === 'history' ? [[record.currency, record.judgedUntil] as const] : [],
    ),
  );
}
