import { defineStrategy, z } from 'sluice/strategy';

/**
 * Long while the price is above its own average, flat below it. Start here: change onCandle.
 */
export default defineStrategy({
  name: 'my-strategy',
  description: 'Long while the close is above its average, else flat',
  // The parameters of a configuration. Each has a default, so that the strategy runs as it is.
  params: z.object({
    length: z.number().int().min(2).default(20),
  }),
  // Called once for each symbol: keep all state in here.
  create({ params, indicators }) {
    const average = indicators.sma(params.length);
    return {
      warmup: params.length,
      // Called when a candle has closed. The candle is a reused view: copy values that you keep.
      onCandle(context) {
        const { close } = context.candle;
        const mean = average.next(close);
        if (mean === undefined) return; // not warm yet
        // 1 is the configured size, 0 is flat, −1 is short. A target is held until another replaces it.
        context.explain(`close ${close}, average ${mean.toFixed(2)}`);
        context.target(close > mean ? 1 : 0);
      },
    };
  },
});
