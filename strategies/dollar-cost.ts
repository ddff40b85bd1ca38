import { defineStrategy, z } from 'sluice/strategy';

const params = z
  .object({
    /** USDT of each part. */
    amount: z.number().positive().default(150),
    /** Minutes between two parts; four weeks. */
    everyMinutes: z.number().int().min(1).default(40_320),
    /** USDT that are spent in all. */
    cap: z.number().positive().default(10_000),
  })
  .refine(({ amount, cap }) => amount <= cap, {
    path: ['amount'],
    error: 'amount must not be above cap: not even the first part could be bought',
  });

const MINUTE_MS = 60_000;

/**
 * Idea: buy for the same amount again and again, at any price, until the cap is spent. More units are
 * bought when they are cheap. An amount left over by rounding or a refusal is added to the next part.
 * The state is durable: after a crash no part is bought twice. The size comes from here.
 *
 * Loses as the market does, and never sells. In a long rise it lags behind buying all at once; in a
 * future the funding of the whole position is paid all along.
 */
export default defineStrategy({
  name: 'dollar-cost',
  description: 'Buys for a fixed amount at fixed times, up to a cap',
  params,
  state: { version: 1, initial: () => ({ startedAt: 0, parts: 0, spent: 0 }) },
  create: ({ params: { amount, everyMinutes, cap } }) => ({
    onFill({ state }, { side, price, quantity }) {
      if (side === 'buy') state.spent += price * quantity;
    },
    onCandle(context) {
      const { state, time, position } = context;
      if (state.startedAt === 0) state.startedAt = time;
      const due = 1 + Math.floor((time - state.startedAt) / (everyMinutes * MINUTE_MS));
      if (due <= state.parts) return;
      state.parts = due;
      const notional = Math.min(cap, amount * due) - state.spent;
      if (notional <= 0) return;
      const quantity = context.quantityOf({ notional });
      const { minQuantity, minNotional } = context.instrument;
      if (quantity === undefined || quantity < minQuantity || notional < minNotional) {
        context.explain(`part ${due}: ${notional.toFixed(2)} USDT are too few, they wait`);
        return;
      }
      context.explain(`part ${due}: buys ${quantity}, ${state.spent.toFixed(2)} of ${cap} spent`);
      context.targetQuantity(position.quantity + quantity);
    },
  }),
});
