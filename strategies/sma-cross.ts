import { defineStrategy, z } from 'sluice/strategy';

const params = z
  .object({
    fast: z.number().int().min(2).default(10),
    slow: z.number().int().min(3).default(50),
  })
  .refine(({ fast, slow }) => fast < slow, {
    path: ['fast'],
    error: 'fast must be less than slow: it is the shorter of the two averages',
  });

export default defineStrategy({
  name: 'sma-cross',
  description: 'Long while the fast average of closes is above the slow one, else short',
  params,
  create({ params: { fast, slow }, indicators }) {
    const quick = indicators.sma(fast);
    const steady = indicators.sma(slow);
    /** NaN compares as false: the first difference is no signal. */
    let previous = Number.NaN;
    /** A position from before this run is on the side of its last signal: a cross since then is one at the first candle. */
    let isFirst = false;
    return {
      warmup: slow,
      onStart() {
        isFirst = true;
      },
      onCandle(context) {
        const { close } = context.candle;
        const fastMean = quick.next(close);
        const slowMean = steady.next(close);
        if (fastMean === undefined || slowMean === undefined) return;
        const difference = fastMean - slowMean;
        if (isFirst && context.position.quantity !== 0) previous = context.position.quantity;
        isFirst = false;
        if (previous <= 0 && difference > 0) context.target(1);
        else if (previous >= 0 && difference < 0) context.target(-1);
        previous = difference;
      },
    };
  },
});
