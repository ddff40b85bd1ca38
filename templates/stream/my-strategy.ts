import { filter, map, merge, tap } from 'rxjs';
import { defineStrategy, z, type Indicators } from 'sluice/strategy';

/**
 * Long while the price is above its own average, flat below it, as a stream: closed candles in, intents
 * out. Start here: change the operators between them.
 */
export default defineStrategy({
  name: 'my-strategy',
  description: 'Long while the close is above its average, else flat',
  // The parameters of a configuration. Each has a default, so that the strategy runs as it is.
  params: z.object({
    length: z.number().int().min(2).default(20),
  }),
  warmup: ({ length }) => length,
  // Called once. An intent during a candle belongs to that candle. Time operators need `scheduler`.
  intents: ({ symbols, candles$, target, explain, params, indicators }) =>
    merge(
      ...symbols.map((symbol) => {
        const isAbove = trend(indicators, params.length);
        return candles$(symbol).pipe(
          map(({ close }) => isAbove(close)),
          filter((above) => above !== undefined),
          // Shown by `sluice dev`, and by `sluice why` beside the order.
          tap((above) => explain(`${symbol} is ${above ? 'above' : 'below'} its average`)),
          // 1 is the configured size, 0 is flat, −1 is short.
          map((above) => target(symbol, above ? 1 : 0)),
        );
      }),
    ),
});

/** Whether a close is above the average; undefined until that is warm. */
function trend(indicators: Indicators, length: number): (close: number) => boolean | undefined {
  const average = indicators.sma(length);
  return (close) => {
    const mean = average.next(close);
    return mean === undefined ? undefined : close > mean;
  };
}
