import { defineStrategy, z } from 'sluice/strategy';

const params = z.object({
  /** Candles over which the usual ratio and its deviation are measured. */
  lookback: z.number().int().min(2).default(240),
  /** In standard deviations: where it enters, where it leaves, and where it gives up. */
  entry: z.number().positive().default(2),
  exit: z.number().min(0).default(0.5),
  stop: z.number().positive().default(4),
});

/**
 * Idea: two related prices keep a usual ratio. When the first symbol is dear against the second, sell it
 * and buy the second for as much, and the other way round; leave when the ratio is usual again. Moves that
 * both make together cancel out.
 *
 * Loses when the ratio has changed for good: it gives up at `stop` and waits until the new ratio has
 * become the usual one. Four taker orders a round trip. It wants a size in `notional` or `equity_pct`, so
 * that both legs are worth the same. A leg that is alone when the next candle closes is left.
 */
export default defineStrategy({
  name: 'pairs-spread',
  description: 'Sells the dear one of two symbols and buys the cheap one until they meet',
  params,
  scope: 'all',
  state: { version: 1, initial: () => ({ gaveUp: false }) },
  create({ params: { lookback, entry, exit, stop }, symbols, indicators }) {
    const [first = '', second = first] = symbols;
    const usual = indicators.sma(lookback);
    const spread = indicators.deviation(lookback);
    return {
      warmup: lookback,
      onCandles(context, round) {
        const [one, other] = [round.candle(first), round.candle(second)];
        if (one === undefined || other === undefined) return;
        const ratio = one.close / other.close;
        const [mean, deviation] = [usual.next(ratio), spread.next(ratio)];
        if (mean === undefined || deviation === undefined || deviation === 0) return;
        const score = (ratio - mean) / deviation;
        const hold = (side: number, why: string) => {
          context.explain(`${first}/${second} is ${score.toFixed(2)} deviations off: ${why}`);
          context.target(side, first);
          context.target(-side, second);
        };
        const held = Math.sign(context.of(first).position.quantity);
        const alone = held !== -Math.sign(context.of(second).position.quantity);
        if (Math.abs(score) <= exit) context.state.gaveUp = false;
        if (alone) {
          hold(0, 'the other leg is missing');
        } else if (held !== 0) {
          // `held` is −1 where the ratio was high.
          if (Math.abs(score) >= stop) context.state.gaveUp = true;
          if (context.state.gaveUp) hold(0, 'gives up');
          else if (-held * score <= exit) hold(0, 'back to the usual');
        } else if (!context.state.gaveUp && Math.abs(score) >= entry && Math.abs(score) < stop) {
          hold(-Math.sign(score), 'enters');
        }
      },
    };
  },
});
