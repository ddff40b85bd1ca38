import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { EvidenceTrace } from './trace.js';
import { timeText } from './trace-format.js';

interface TracedOrder {
  readonly clientOrderId: string;
  readonly strategy?: string | undefined;
  /** Venue ms of its first record. */
  readonly at: number;
}

const PAST = { rename: 'renamed', adopt: 'adopted', retire: 'retired' } as const;

/** Changes of an order's owner by a person. @param decisions oldest first, some of them twice */
export function ownerTraces(
  { clientOrderId, strategy, at }: TracedOrder,
  decisions: readonly JournalRecordOf<'ownership'>[],
): readonly EvidenceTrace[] {
  let owner = strategy;
  const seen = new Set<string>();
  return decisions.flatMap((record): EvidenceTrace[] => {
    const { decision, strategyId, to, orders, reason, venueTime, decidedAt } = record;
    const key = `${decidedAt} ${strategyId} ${to ?? ''}`;
    const isOf = decision === 'rename' ? strategyId === owner : orders.includes(clientOrderId);
    if (venueTime < at || !isOf || seen.has(key)) return [];
    seen.add(key);
    owner = to ?? owner;
    const change = to === undefined ? 'a person canceled it' : `${to} owns it from now on`;
    const text = `${change}: ${strategyId} was ${PAST[decision]} (${reason})`;
    return [{ time: timeText(venueTime), level: 'info', text }];
  });
}
