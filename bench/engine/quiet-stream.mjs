import { filter, map, merge, pairwise } from 'rxjs';
import { defineStrategy, z } from 'sluice/strategy';

/** The stream form alone: each candle passes three operators, and none becomes an order. */
export default defineStrategy({
  name: 'quiet-stream',
  description: 'Watches each close and requests nothing',
  params: z.object({}),
  intents: ({ symbols, candles$, target }) =>
    merge(
      ...symbols.map((symbol) =>
        candles$(symbol).pipe(
          map(({ close }) => close),
          pairwise(),
          filter(([before, close]) => close > before * 1_000),
          map(() => target(symbol, 1)),
        ),
      ),
    ),
});
