import { defineStrategy, z } from 'sluice/strategy';

/** Buys once, and rests buy orders far below the market, one more each candle. */
export default defineStrategy({
  name: 'hoarder',
  description: 'Holds a position and rests a ladder of buy orders far below it',
  params: z.object({ rungs: z.number().int().min(0) }),
  create({ params: { rungs } }) {
    return {
      warmup: 1,
      onCandle(context) {
        const { orders, position, candle } = context;
        const rung = position.quantity === 0 ? 0 : orders.length + 1;
        if (rung === 0 && orders.length > 0) return;
        // The first one is met by the market at once.
        const price = candle.close * (rung === 0 ? 1.003 : 1 - (0.09 * rung) / rungs);
        if (rung <= rungs) context.limit({ side: 'buy', price });
      },
    };
  },
});
