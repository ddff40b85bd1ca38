import { defineStrategy, z } from 'sluice/strategy';

const params = z
  .object({
    /** Hours of the average that says which way the trend goes. */
    trend: z.number().int().min(2).default(24),
    /** Candles of the RSI that finds the dip. */
    length: z.number().int().min(2).default(14),
    /** RSI at which a dip is bought; a rally in a falling trend is sold at 100 less it. */
    dip: z.number().min(1).max(49).default(30),
    /** RSI at which it is over; 100 less it in a falling trend. */
    over: z.number().min(50).max(99).default(60),
  })
  .strict();

/**
 * Idea: trade the minutes in the direction of the hours. While the price is above its hourly average a
 * dip is bought and sold when it has recovered; below the average rallies are sold.
 *
 * Loses at the turn of the trend, where the deepest dip is the beginning of the fall: the position is
 * left when the hourly average is crossed, with a loss. Dips on short candles are small, often
 * smaller than two taker fees.
 */
export default defineStrategy({
  name: 'trend-pullback',
  description: 'Buys dips by the candle in the direction of the hourly average',
  params,
  intervals: ['1h'],
  create({ params: { trend, length, dip, over }, indicators }) {
    const average = indicators.ema(trend, { on: 'close', interval: '1h' });
    const strength = indicators.rsi(length);
    return {
      warmup: length + 1,
      onCandle(context) {
        const { close } = context.candle;
        const rsi = strength.next(close);
        if (rsi === undefined || average.value === undefined) return;
        const direction = close > average.value ? 1 : -1;
        /** As if the trend were rising. */
        const mirrored = direction > 0 ? rsi : 100 - rsi;
        const held = Math.sign(context.position.quantity);
        if (held !== 0 && (held !== direction || mirrored >= over)) {
          context.explain(held === direction ? `recovered, RSI ${rsi.toFixed(1)}` : 'trend turned');
          context.target(0);
        } else if (held === 0 && mirrored <= dip) {
          const side = direction > 0 ? 'above' : 'below';
          context.explain(`RSI ${rsi.toFixed(1)} ${side} the average ${average.value.toFixed(2)}`);
          context.target(direction);
        }
      },
    };
  },
});
