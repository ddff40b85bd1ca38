import { defineStrategy, z } from 'sluice/strategy';

/** What the bot of `sluice chaos` wants, in each of its lives: to be long, once. */
export default defineStrategy({
  name: 'buy-once',
  description: 'Wants to be long from the first second on',
  params: z.object({}),
  streams: ['seconds'],
  create() {
    return {
      warmup: 1,
      onCandle() {
        // Seconds decide.
      },
      onSecond(context) {
        context.target(1);
      },
    };
  },
});
