import { defineStrategy, z } from 'sluice/strategy';

/** Rests buy orders far below the market, one more each candle, and keeps them there. */
export default defineStrategy({
  name: 'ladder',
  description: 'Rests a ladder of buy orders far below the market',
  params: z.object({ rungs: z.number().int().min(1) }),
  create({ params: { rungs } }) {
    return {
      warmup: 1,
      onCandle(context) {
        const rung = context.orders.length + 1;
        const price = context.candle.close * (1 - 0.01 * rung);
        if (rung <= rungs) context.limit({ side: 'buy', price });
      },
    };
  },
});
