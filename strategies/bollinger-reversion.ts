import { defineStrategy, z } from 'sluice/strategy';

const params = z.object({
  length: z.number().int().min(2).default(20),
  /** Standard deviations between the average and a band. */
  deviations: z.number().positive().default(2),
});

/**
 * Idea: a close far from its average tends to come back. Buy below the lower band, sell above the upper
 * one, and leave at the average.
 *
 * Loses when the price does not come back: a trend walks along a band, and each step of it is a new
 * entry on the wrong side. A stop in the configuration is part of the strategy.
 */
export default defineStrategy({
  name: 'bollinger-reversion',
  description: 'Fades closes beyond a Bollinger band until they are back at the average',
  params,
  create({ params: { length, deviations }, indicators }) {
    const bands = indicators.bollinger({ period: length, deviations });
    return {
      warmup: length,
      onCandle(context) {
        const { close } = context.candle;
        const band = bands.next(close);
        if (band === undefined) return;
        const held = Math.sign(context.position.quantity);
        const isBack = held > 0 ? close >= band.middle : close <= band.middle;
        if (held !== 0 && isBack) {
          context.explain(`${close} is back at the average of ${band.middle.toFixed(2)}`);
          context.target(0);
        } else if (held === 0 && close < band.lower) {
          context.explain(`${close} is below the lower band of ${band.lower.toFixed(2)}`);
          context.target(1);
        } else if (held === 0 && close > band.upper) {
          context.explain(`${close} is above the upper band of ${band.upper.toFixed(2)}`);
          context.target(-1);
        }
      },
    };
  },
});
