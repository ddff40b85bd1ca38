import { Decimal } from '../../core/decimal.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import { marginsOf, type ControlMargin } from '../../risk/margins.js';
import type { MarginStory, VerdictStory } from './story.js';
import { timeText } from './words.js';

/** A verdict with how near every limit was. */
export function verdictStory(record: JournalRecordOf<'verdict'>): VerdictStory {
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
    margins: marginsOf(values).map(withDistance),
    facts: Object.fromEntries(rest),
  };
}

function withDistance(margin: ControlMargin): MarginStory {
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

/** An age may be no number: that is what refused the order. */
const numberOf = (text: string): Decimal => new Decimal(text === '' ? Number.NaN : text);
