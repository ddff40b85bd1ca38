import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';

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
  /** Of an id that is not configured: the symbols to close. */
  readonly symbols?: readonly string[];
}

/** Strategies with a switch that is set, by id, in the order of their first record. */
export function recoverSwitches(
  records: readonly JournalRecord[],
): ReadonlyMap<string, StrategySwitch> {
  const switches = new Map<string, StrategySwitch>();
  for (const record of records) {
    if (record.type === 'ownership') applyDecision(switches, record);
    if (record.type !== 'strategy') continue;
    const { type: _type, venueTime: _venueTime, strategyId, ...found } = record;
    if (found.isStopped || found.isPaused) switches.set(strategyId, found);
    else switches.delete(strategyId);
  }
  return switches;
}

/** A renamed strategy keeps its switch; a retired one is only closed. */
function applyDecision(
  switches: Map<string, StrategySwitch>,
  { decision, strategyId, to, close = false, symbols, reason }: JournalRecordOf<'ownership'>,
): void {
  if (to === strategyId) return;
  const before = switches.get(strategyId);
  if (decision !== 'adopt') switches.delete(strategyId);
  if (decision === 'rename' && to !== undefined && before !== undefined) switches.set(to, before);
  if (close)
    switches.set(strategyId, {
      ...{ isStopped: true, isClosing: true, isPaused: false },
      cause: reason,
      symbols,
    });
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
    ...switchFields(each),
  }));

/** The fields of its record. */
export const switchFields = ({ symbols, ...rest }: StrategySwitch) => ({
  ...rest,
  ...(symbols !== undefined && { symbols: [...symbols] }),
});
