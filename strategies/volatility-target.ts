import { defineStrategy, z } from 'sluice/strategy';

const params = z.object({
  /** Volatility that the position shall bring to the equity, per cent a year. */
  yearlyPct: z.number().positive().default(30),
  /** Candles that the market's volatility is measured over. */
  lookback: z.number().int().min(2).default(168),
  /** Part of the wanted quantity by which the held one may be off before it is traded. */
  band: z.number().min(0).max(1).default(0.2),
});

/**
 * Idea: always long, but with a steady risk instead of a steady size. The position is small in wild weeks
 * and large in calm ones, at most the whole equity. The size comes from here, not from the configuration.
 *
 * Loses whenever the market falls: it holds no opinion about direction. It also buys after calm weeks, so
 * a crash out of calm meets its largest position, and every change of size pays fees.
 */
export default defineStrategy({
  name: 'volatility-target',
  description: 'Always long, sized so that the volatility of the position stays the same',
  params,
  create: ({ params: { yearlyPct, lookback, band } }) => ({
    warmup: lookback + 1,
    onCandle(context) {
      const wanted = context.quantityOf({ volatilityPct: yearlyPct, lookback });
      if (wanted === undefined || wanted === 0) return;
      const held = context.position.quantity;
      if (Math.abs(wanted - held) <= wanted * band) return;
      context.explain(`${yearlyPct} % a year are ${wanted} now, held are ${held}`);
      context.targetQuantity(wanted);
    },
  }),
});
