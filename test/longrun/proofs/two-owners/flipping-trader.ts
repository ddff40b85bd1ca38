import { defineStrategy, z } from 'sluice/strategy';

/**
 * A market order at nearly each candle. With `by: coin` each process decides for itself; with
 * `by: position` two processes that see the same candle and the same position decide the same.
 */
export default defineStrategy({
  name: 'coin',
  description: 'In or out at the market, candle by candle',
  params: z.object({ by: z.enum(['coin', 'position']) }),
  create: ({ params }) => ({
    warmup: 1,
    onCandle(context) {
      const isFlat = context.position.quantity === 0;
      const turns = params.by === 'position' || Math.random() < 0.7;
      context.target(isFlat === turns ? 1 : 0);
    },
  }),
});
