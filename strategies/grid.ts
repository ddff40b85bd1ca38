import { defineStrategy, z, type Side, type StrategyContext } from 'sluice/strategy';

const params = z.object({
  /** Per cent between two levels, of the anchor. */
  stepPct: z.number().positive().max(50).default(1),
  /** Levels below the anchor; each buys one lot. */
  levels: z.number().int().min(1).max(50).default(8),
  /** Per cent of equity in all lots together; fixed when the grid is anchored. */
  equityPct: z.number().positive().max(100).default(80),
  /** Steps below the lowest level at which all is sold. */
  stopSteps: z.number().positive().default(4),
});

interface Grid {
  /** USDT; 0 before the first candle. */
  anchor: number;
  /** Base units of one lot. */
  lot: number;
}

/**
 * Idea: earn the waves of a range. Below an anchor, buy orders rest at even steps; what a level bought
 * rests for sale one step higher. When nothing is held and the price has risen a step, the grid follows
 * it up. Anchor and lot are durable: after a crash the same orders are wanted.
 *
 * Loses in a fall: it buys all the way down and then sells everything at the stop, which takes back many
 * small gains at once. In a long rise it stands aside. Its results look smooth until they do not.
 *
 * Its levels need room in `max_open_orders` of the risk limits (README.md).
 */
export default defineStrategy({
  name: 'grid',
  description: 'Rests buys at even steps below an anchor, and sells each one step higher',
  params,
  state: { version: 1, initial: (): Grid => ({ anchor: 0, lot: 0 }) },
  create({ params: { stepPct, levels, equityPct, stopSteps } }) {
    const step = stepPct / 100;
    const priceOf = ({ anchor }: Grid, level: number) => anchor * (1 - step * level);

    const anchorAt = (context: StrategyContext<Grid>, price: number) => {
      const lot = context.quantityOf({ equityPct: equityPct / levels }) ?? 0;
      if (lot < context.instrument.minQuantity) return;
      Object.assign(context.state, { anchor: price, lot });
      context.explain(`anchored at ${price}, ${levels} lots of ${lot}`);
    };

    /** Takes back what should not rest, and asks for what should and does not. */
    const arrange = (context: StrategyContext<Grid>) => {
      const { state, orders } = context;
      const held = context.position.quantity;
      const lots = Math.ceil(held / state.lot - 1e-9);
      const wanted: { side: Side; price: number; quantity: number }[] = [];
      for (let level = 1; level <= levels; level += 1) {
        const quantity =
          level > lots ? state.lot : Math.min(state.lot, held - (level - 1) * state.lot);
        if (level > lots) wanted.push({ side: 'buy', price: priceOf(state, level), quantity });
        else wanted.push({ side: 'sell', price: priceOf(state, level - 1), quantity });
      }
      const near = 2 * context.instrument.priceStep;
      const isSame = (a: { side: Side; price?: number | undefined }, b: typeof a) =>
        a.side === b.side && Math.abs((a.price ?? 0) - (b.price ?? 0)) < near;
      for (const order of orders)
        if (!wanted.some((wish) => isSame(order, wish))) context.cancel(order.key);
      for (const wish of wanted)
        if (!orders.some((order) => isSame(order, wish))) context.limit(wish);
    };

    return {
      warmup: 1,
      onCandle(context) {
        const { state, position } = context;
        const { close } = context.candle;
        const isFlat = position.quantity === 0;
        if (!isFlat && state.lot > 0 && close < priceOf(state, levels + stopSteps)) {
          context.explain(`${close} is ${stopSteps} steps below the grid: sells all`);
          state.lot = 0;
          context.exit();
          return;
        }
        if (isFlat && (state.lot === 0 || close > priceOf(state, -1))) anchorAt(context, close);
        if (state.lot > 0) arrange(context);
      },
    };
  },
});
