import { defineStrategy, z, type StrategyContext } from 'sluice/strategy';

const params = z.object({
  /** Candles over which the change is measured. */
  lookback: z.number().int().min(1).default(168),
  /** How many symbols are held at once. */
  hold: z.number().int().min(1).default(1),
  /** Minutes between two decisions, counted from midnight UTC. */
  everyMinutes: z.number().int().min(1).default(1_440),
});

const MINUTE_MS = 60_000;

/**
 * Idea: what has risen most of late goes on rising for a while. At fixed times the symbols are ranked by
 * their change, and the best `hold` of those that rose are held in equal parts; the others are left.
 *
 * Loses when leaders change faster than it looks, and when all fall at once after having risen: coins move
 * together, so the choice protects from little. Each change of leader is two taker orders.
 */
export default defineStrategy({
  name: 'momentum-rotation',
  description: 'Holds the symbols that rose most, ranked at fixed times',
  params,
  scope: 'all',
  create({ params: { lookback, hold, everyMinutes }, symbols }) {
    const changeOf = (context: StrategyContext, symbol: string) => {
      const history = context.of(symbol).candles();
      const [before, now] = [history.ago(lookback), history.last];
      return before === undefined || now === undefined ? undefined : now.close / before.close - 1;
    };
    return {
      warmup: lookback + 1,
      onCandles(context, { closedAt, missing }) {
        // A rank without all of them would trade on a gap in the data.
        if (closedAt % (everyMinutes * MINUTE_MS) !== 0 || missing.length > 0) return;
        const ranked = symbols
          .map((symbol) => ({ symbol, change: changeOf(context, symbol) ?? 0 }))
          .sort((one, other) => other.change - one.change);
        const chosen = ranked.slice(0, hold).filter(({ change }) => change > 0);
        const percent = ({ symbol, change }: (typeof ranked)[number]) =>
          `${symbol} ${(change * 100).toFixed(2)} %`;
        context.explain(`ranked ${ranked.map(percent).join(', ')}`);
        for (const { symbol } of ranked)
          if (!chosen.some((one) => one.symbol === symbol)) context.target(0, symbol);
        for (const { symbol } of chosen) context.target(1 / hold, symbol);
      },
    };
  },
});
