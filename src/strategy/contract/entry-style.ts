import { z } from 'zod';
import type { Price } from '../../core/fixed/fixed.js';
import { quantizePrice, type Instrument } from '../../core/instrument.js';
import { sideSign, type Side } from '../../core/order.js';
import { positiveNumber } from './positive-number.js';

/** How increases are sent; reductions are always market orders. */
export type EntryStyle =
  | { readonly kind: 'market' }
  | {
      readonly kind: 'marketable-limit';
      /** Bound of the fill beyond the last price, basis points. */
      readonly bps: number;
      /** Venue ms after which the rest is canceled. */
      readonly ttlMs: number;
    };

/**
 * Last price ± bps on the price step, rounded toward the last price so that `bps` is a bound. Where
 * `bps` is less than a step, the order may rest until it expires.
 */
export function marketableLimit(
  side: Side,
  last: number,
  bps: number,
  instrument: Instrument,
): Price {
  const worst = (last * (10_000 + sideSign(side) * bps)) / 10_000;
  return quantizePrice(worst, instrument, side === 'buy' ? 'down' : 'up');
}

/** `market`, or `{ marketable_limit: { bps: 10, ttl_ms: 5000 } }`. */
export const entrySchema = z.union(
  [
    z.literal('market').transform((kind): EntryStyle => ({ kind })),
    z
      .strictObject({
        marketable_limit: z.strictObject({
          bps: positiveNumber.refine((bps) => bps < 10_000, 'below 10000'),
          ttl_ms: positiveNumber.refine(Number.isSafeInteger, 'a whole number of milliseconds'),
        }),
      })
      .transform(({ marketable_limit: { bps, ttl_ms: ttlMs } }): EntryStyle => ({
        kind: 'marketable-limit',
        bps,
        ttlMs,
      })),
  ],
  { error: 'expected market, or marketable_limit: { bps: 10, ttl_ms: 5000 }' },
);
