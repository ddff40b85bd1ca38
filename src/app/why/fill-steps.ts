import {
  averagePrice as averagePriceOf,
  multiplyExact,
  subtract,
  textFromFixed,
  ZERO,
  type Quantity,
} from '../../core/fixed.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { FillStory } from './story.js';
import { timeText } from './words.js';

/**
 * The fills of an order: each report tells how much has filled and at which average, so that what is
 * new since the report before has a price of its own.
 */
export function fillsOf(updates: readonly JournalRecordOf<'update'>[]): readonly FillStory[] {
  const fills: FillStory[] = [];
  let filled = ZERO as Quantity;
  let cost = 0n;
  for (const { venueTime, filledQuantity, averagePrice } of updates) {
    const delta = subtract(filledQuantity as Quantity, filled);
    if (delta <= 0 || averagePrice === undefined) continue;
    const total = multiplyExact(averagePrice, filledQuantity);
    const price = averagePriceOf(total - cost, delta);
    fills.push({
      time: timeText(venueTime),
      quantity: textFromFixed(delta),
      // Averages that contradict each other must not make a price that nobody can have paid.
      price: textFromFixed(price > 0 ? price : averagePrice),
      filled: textFromFixed(filledQuantity),
      average_price: textFromFixed(averagePrice),
    });
    filled = filledQuantity as Quantity;
    cost = total;
  }
  return fills;
}
