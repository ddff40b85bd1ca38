import type { JournalRecord } from '../journal/journal-record.js';

/** Durable state of a strategy: JSON text in the shape of its version. */
export interface RecoveredState {
  readonly version: number;
  readonly value: string;
  /** Candles that the state includes: series → newest open time, ms UTC. */
  readonly seen?: Readonly<Record<string, number>>;
}

/** Strategy id → key → newest durable state. */
export type RecoveredStates = ReadonlyMap<string, ReadonlyMap<string, RecoveredState>>;

/** Newest durable states, from state records, from intents that carry one, and from decisions on their owner. */
export function recoverStates(records: readonly JournalRecord[]): RecoveredStates {
  const states = new Map<string, Map<string, RecoveredState>>();
  const put = (strategyId: string, { key, ...state }: RecoveredState & { key: string }): void => {
    let own = states.get(strategyId);
    if (own === undefined) states.set(strategyId, (own = new Map()));
    own.set(key, state);
  };
  for (const record of records) {
    if (record.type === 'ownership') {
      const { strategyId, to, kept: taken, dropped } = record;
      for (const key of dropped) states.get(strategyId)?.delete(key);
      if (to !== undefined) for (const each of taken) put(to, each);
      continue;
    }
    if (record.type !== 'state' && record.type !== 'intent') continue;
    const { strategyId, kept } = record;
    if (kept !== undefined) put(strategyId, kept);
  }
  return states;
}

/**
 * The fewest records from which `recoverStates` returns the same; they follow every other record
 * that carries a state.
 */
export const stateRecords = (
  states: RecoveredStates,
  venueTime: number,
): readonly JournalRecord[] =>
  [...states].flatMap(([strategyId, own]) =>
    [...own].map(([key, state]) => ({
      type: 'state' as const,
      venueTime,
      strategyId,
      kept: { key, ...state },
    })),
  );
