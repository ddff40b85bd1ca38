import { defineStrategy, z } from 'sluice/strategy';

/** In at one candle, out at the next: one order for each close, and none that waits for another. */
export default defineStrategy({
  name: 'flip',
  description: 'Enters and leaves in turn, candle by candle',
  params: z.object({}),
  create: () => ({
    warmup: 1,
    onCandle(context) {
      context.target(context.position.quantity === 0 ? 1 : 0);
    },
  }),
});
