import { Decimal } from '../../core/fixed/decimal.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import { parseComparisons, type ControlComparison } from '../../risk/limit-comparisons.js';
import type { MarginTrace, VerdictTrace } from './trace.js';
import { timeText } from './trace-format.js';

/** A verdict with the distance to each limit. */
export function verdictTrace(record: JournalRecordOf<'verdict'>): VerdictTrace {
  const { control, key, values } = record;
  const rest = Object.entries(values).filter(
    ([name]) => name !== 'explanation' && name !== 'sizing' && !name.startsWith('margin_'),
  );
  return {
    time: timeText(record.venueTime),
    approved: record.ok,
    ...(control !== undefined && { control }),
    ...(key !== undefined && { key }),
    text: record.text,
    margins: parseComparisons(values).map(withDistance),
    facts: Object.fromEntries(rest),
  };
}

function withDistance(margin: ControlComparison): MarginTrace {
  const [value, limit] = [numberOf(margin.value), numberOf(margin.limit)];
  const distance = margin.least === true ? value.minus(limit) : limit.minus(value);
  const whole = margin.least === true ? value : limit;
  return {
    ...margin,
    distance: distance.isNaN() ? 'NaN' : distance.toFixed(),
    left_pct: whole.isZero() || whole.isNaN() ? 0 : share(distance, whole),
  };
}

const share = (part: Decimal, whole: Decimal): number =>
  part.div(whole).times(100).toDecimalPlaces(0, Decimal.ROUND_DOWN).toNumber();

/** The age of unknown data is not a number; the control refuses the order for that. */
const numberOf = (text: string): Decimal => new Decimal(text === '' ? Number.NaN : text);
