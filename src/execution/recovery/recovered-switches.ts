import type { JournalRecord } from '../journal/journal-record.js';

/** Stop and pause of one strategy by a person. It stands over restarts. */
export interface StrategySwitch {
  /** It decides nothing. */
  readonly isStopped: boolean;
  /** Stopped, and its positions are being closed. */
  readonly isClosing: boolean;
  /** Its entries are refused. */
  readonly isPaused: boolean;
  /** End of a pause, venue ms; absent: it has none. */
  readonly pausedUntil?: number;
  /** The command and its reason, for people. */
  readonly cause: string;
}

/** Strategies with a switch that is set, by id, in the order of their first record. */
export function recoverSwitches(
  records: readonly JournalRecord[],
): ReadonlyMap<string, StrategySwitch> {
  const switches = new Map<string, StrategySwitch>();
  for (const record of records) {
    if (record.type !== 'strategy') continue;
    const { type: _type, venueTime: _venueTime, strategyId, ...found } = record;
    if (found.isStopped || found.isPaused) switches.set(strategyId, found);
    else switches.delete(strategyId);
  }
  return switches;
}

/** The fewest records from which `recoverSwitches` returns the same. */
export const switchRecords = (
  switches: ReadonlyMap<string, StrategySwitch>,
  venueTime: number,
): readonly JournalRecord[] =>
  [...switches].map(([strategyId, each]) => ({
    type: 'strategy',
    venueTime,
    strategyId,
    ...each,
  }));
