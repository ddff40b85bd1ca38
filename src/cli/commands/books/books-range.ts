import { UsageError } from '../../../core/command-errors.js';
import { instantFromText } from '../../../core/time-text.js';
import { LocalTime } from '../../../report/books/local-time.js';
import type { StatementRange } from '../../../report/books/statement.js';
import type { BooksOptions } from './books-options.js';

/** @throws UsageError for a zone that does not exist */
export function zoneOf(zone: string): LocalTime {
  try {
    return new LocalTime(zone);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const text = `--tz ${zone}: there is no such time zone; it is a name such as Asia/Kolkata or UTC`;
    throw new UsageError(text, { cause });
  }
}

/** @throws UsageError for a time in another form, or a start that is not before the end */
export function rangeOf(
  { from, to }: Pick<BooksOptions, 'from' | 'to'>,
  time: LocalTime,
): StatementRange {
  const first = from === undefined ? undefined : instantOf('--from', from, time, 0);
  const last = to === undefined ? undefined : instantOf('--to', to, time, 1);
  if (first !== undefined && last !== undefined && first >= last)
    throw new UsageError(`--from ${from ?? ''} is not before --to ${to ?? ''}: exchange them`);
  return {
    ...(first !== undefined && { from: first }),
    ...(last !== undefined && { to: last }),
  };
}

/** @param days 1: of the day after a day */
function instantOf(name: string, text: string, time: LocalTime, days: 0 | 1): number {
  const start = time.dayStart(text);
  if (start !== undefined) return days === 0 ? start : time.nextDayStart(start);
  const instant = instantFromText(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `${name} ${text}: expected a day such as 2025-05-05 or a UTC time such as 2025-05-05T00:00:00Z`,
  );
}
