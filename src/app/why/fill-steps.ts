import { divideHalfEvenBig, fixed, textFromFixed, type Price } from '../../core/fixed.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import type { FillStory } from './story.js';
import { timeText } from './words.js';

/**
 * The fills of an order: each report tells how much has filled and at which average, so that what is
 * new since the report before has a price of its own.
 */
export function fillsOf(updates: readonly JournalRecordOf<'update'>[]): readonly FillStory[] {
  const fills: FillStory[] = [];
  let filled = 0;
  let cost = 0n;
  for (const { venueTime, filledQuantity, averagePrice } of updates) {
    const delta = filledQuantity - filled;
    if (delta <= 0 || averagePrice === undefined) continue;
    const total = BigInt(averagePrice) * BigInt(filledQuantity);
    const price = divideHalfEvenBig(total - cost, BigInt(delta));
    fills.push({
      time: timeText(venueTime),
      quantity: textFromFixed(fixed(delta)),
      // Averages that contradict each other must not make a price that nobody can have paid.
      price: textFromFixed(price > 0n ? fixed<'price'>(Number(price)) : (averagePrice as Price)),
      filled: textFromFixed(filledQuantity),
      average_price: textFromFixed(averagePrice),
    });
    filled = filledQuantity;
    cost = total;
  }
  return fills;
}
