import type { JournalRecord } from '../journal/journal-record.js';

/** Durable state as a strategy kept it last: JSON text in the shape of its version. */
export interface RecoveredState {
  readonly version: number;
  readonly value: string;
  /** Candles that are in it: series → newest time, ms UTC. */
  readonly seen?: Readonly<Record<string, number>>;
}

/** Strategy id → key → what was kept under it last. */
export type RecoveredStates = ReadonlyMap<string, ReadonlyMap<string, RecoveredState>>;

/** What strategies kept, by themselves or with an intent. */
export function recoverStates(records: readonly JournalRecord[]): RecoveredStates {
  const states = new Map<string, Map<string, RecoveredState>>();
  for (const record of records) {
    if (record.type !== 'state' && record.type !== 'intent') continue;
    const { strategyId, kept } = record;
    if (kept === undefined) continue;
    let own = states.get(strategyId);
    if (own === undefined) states.set(strategyId, (own = new Map()));
    const { key, ...state } = kept;
    own.set(key, state);
  }
  return states;
}

/** The fewest records that say the same; they come after every other that says it. */
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
