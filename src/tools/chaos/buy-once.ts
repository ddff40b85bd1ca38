import { defineStrategy, z } from 'sluice/strategy';

/** The strategy of `sluice chaos`: it enters long once, over all runs of the bot. */
export default defineStrategy({
  name: 'buy-once',
  description: 'Enters long on the first second',
  params: z.object({}),
  state: { version: 1, initial: () => ({ said: false }) },
  streams: ['seconds'],
  create() {
    return {
      warmup: 1,
      onCandle() {
        // Decisions are made on seconds.
      },
      onSecond(context) {
        if (context.state.said) return;
        context.state.said = true;
        context.target(1);
      },
    };
  },
});
