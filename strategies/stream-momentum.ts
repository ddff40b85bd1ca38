import { filter, map, merge, skip, tap, zip } from 'rxjs';
import { defineStrategy, z } from 'sluice/strategy';

const params = z.object({
  /** Candles over which the change is measured. */
  lookback: z.number().int().min(1).default(48),
  /** Change in per cent from which it enters; it leaves when the change has turned round. */
  enterPct: z.number().min(0).default(2),
});

/**
 * Idea: a price that has moved far within a while goes on. Above `enterPct` long, below its negative
 * short, and flat as soon as the change over the same while is on the other side of 0. In the form of
 * streams: read it from top to bottom as what happens to a candle.
 *
 * Loses in a range: the entry is late by design, so each move that ends soon after it is a full loss.
 * After a sudden jump it stays in for `lookback` candles even if nothing follows.
 *
 * The side is durable state: a restart continues with it, and warm-up candles do not change it. A position without
 * one has the side of its quantity.
 */
export default defineStrategy({
  name: 'stream-momentum',
  description: 'Follows a change of some per cent until it has turned round (streams)',
  params,
  state: { version: 1, initial: () => ({ sides: {} as Record<string, number> }) },
  warmup: ({ lookback }) => lookback + 1,
  intents: ({ symbols, candles$, position, target, explain, state, params }) =>
    merge(
      ...symbols.map((symbol) => {
        const closes$ = candles$(symbol).pipe(map(({ close }) => close));
        const { lookback, enterPct } = params;
        const sideOf = () => state.sides[symbol] ?? Math.sign(position(symbol).quantity);
        return zip(closes$, closes$.pipe(skip(lookback))).pipe(
          map(([before, close]) => (close / before - 1) * 100),
          tap((percent) => explain(`${symbol} ${percent.toFixed(2)} % in ${lookback} candles`)),
          map((percent) => sideAfter(sideOf(), percent, enterPct)),
          filter((side) => side !== sideOf()),
          tap((side) => (state.sides[symbol] = side)),
          map((side) => target(symbol, side)),
        );
      }),
    ),
});

/** Entered beyond the threshold, left on the other side of 0. */
function sideAfter(side: number, percent: number, threshold: number): number {
  if (percent > threshold) return 1;
  if (percent < -threshold) return -1;
  return side * percent > 0 ? side : 0;
}
