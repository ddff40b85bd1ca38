import { defineStrategy, z } from 'sluice/strategy';

const params = z.object({
  /** Symbols on each side. */
  legs: z.number().int().min(1).default(1),
  /** Difference of the rates from which it pays, per settlement; 0.0001 is 0.01 %. */
  minSpread: z.number().min(0).default(0.0001),
  /** Minutes between two decisions, counted from midnight UTC. */
  everyMinutes: z.number().int().min(1).default(480),
});

const MINUTE_MS = 60_000;

/**
 * Idea: be paid for what others are eager to hold. Sell the symbols whose longs pay most and buy those
 * whose longs pay least, for as much; what the market does as a whole cancels out.
 *
 * Loses when the crowd is right: a high rate marks a symbol that is rising, and it is sold here. Some
 * hundredths of a per cent per settlement are little beside what two coins may differ in a day, and
 * beside four taker orders.
 */
export default defineStrategy({
  name: 'funding-tilt',
  description: 'Sells what pays the highest funding and buys what pays the lowest',
  params,
  scope: 'all',
  streams: ['funding'],
  create({ params: { legs, minSpread, everyMinutes }, symbols }) {
    const rates = new Map<string, number>();
    return {
      warmup: 1,
      onFunding(_, { symbol, rate }) {
        rates.set(symbol, rate);
      },
      onCandles(context, { closedAt }) {
        if (closedAt % (everyMinutes * MINUTE_MS) !== 0 || rates.size < symbols.length) return;
        const ranked = [...rates].sort(([, one], [, other]) => one - other);
        const sides = Math.min(legs, Math.floor(ranked.length / 2));
        const spread = (ranked.at(-1)?.[1] ?? 0) - (ranked[0]?.[1] ?? 0);
        const pays = sides > 0 && spread >= minSpread;
        const all = ranked.map(([symbol, rate]) => `${symbol} ${(rate * 100).toFixed(4)} %`);
        context.explain(`${all.join(', ')}: ${pays ? 'tilts' : 'too close to pay'}`);
        ranked.forEach(([symbol], index) => {
          const isLow = pays && index < sides;
          const isHigh = pays && index >= ranked.length - sides;
          context.target(isLow ? 1 : isHigh ? -1 : 0, symbol);
        });
      },
    };
  },
});
