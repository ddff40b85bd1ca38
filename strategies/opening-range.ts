import { defineStrategy, z, type Interval } from 'sluice/strategy';

const params = z
  .object({
    /** Minutes after midnight UTC at which the session opens. */
    opensAt: z.number().int().min(0).max(1_439).default(0),
    /** Minutes of the opening range. */
    range: z.number().int().min(1).default(60),
    /** Minutes after the opening at which the position is left. */
    leaveAfter: z.number().int().min(2).max(1_440).default(1_320),
  })
  .refine(({ range, leaveAfter }) => range < leaveAfter, {
    path: ['range'],
    error: 'range must be below leaveAfter: there would be no time to trade',
  });

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** A day, so that a start in mid-session knows the range. */
const CANDLES_A_DAY: Partial<Record<Interval, number>> = {
  '5m': 288,
  '15m': 96,
  '30m': 48,
  '1h': 24,
};

/**
 * Idea: the first hour of a session gathers those who are in a hurry; where the price leaves its range,
 * the day goes on. The first close outside of the range is followed, once a day, until the session ends.
 *
 * Loses on days without a direction, which are most: the break fails and there is no exit before the end
 * but the configured stop. Crypto has no bell; midnight UTC is a convention, and an edge from it a hope.
 */
export default defineStrategy({
  name: 'opening-range',
  description: 'Follows the first close beyond the range of the first hour, until the session ends',
  params,
  create({ params: { opensAt, range, leaveAfter }, interval }) {
    let session = -1;
    let high = -Infinity;
    let low = Infinity;
    let isDone = false;
    return {
      warmup: CANDLES_A_DAY[interval] ?? DAY_MINUTES,
      onCandle(context) {
        const { candle, time } = context;
        const minute = Math.floor(candle.openTime / MINUTE_MS) - opensAt;
        const today = Math.floor(minute / DAY_MINUTES);
        if (today !== session) [session, high, low, isDone] = [today, -Infinity, Infinity, false];
        const opened = minute - today * DAY_MINUTES;
        const closed = Math.round(time / MINUTE_MS) - opensAt - today * DAY_MINUTES;
        if (opened < range) {
          high = Math.max(high, candle.high);
          low = Math.min(low, candle.low);
        } else if (closed >= leaveAfter) {
          if (context.position.quantity !== 0) context.target(0);
          isDone = true;
        } else if (!isDone && (candle.close > high || candle.close < low)) {
          context.explain(`${candle.close} is outside of the opening range ${low} … ${high}`);
          context.target(candle.close > high ? 1 : -1);
          isDone = true;
        }
      },
    };
  },
});
