import { defineStrategy, z } from 'sluice/strategy';

/** The strategy of the bot of `sluice chaos`: it goes long, and decides so once in all its lives. */
export default defineStrategy({
  name: 'buy-once',
  description: 'Wants to be long from the first second on',
  params: z.object({}),
  state: { version: 1, initial: () => ({ said: false }) },
  streams: ['seconds'],
  create() {
    return {
      warmup: 1,
      onCandle() {
        // Seconds decide.
      },
      onSecond(context) {
        if (context.state.said) return;
        context.state.said = true;
        context.target(1);
      },
    };
  },
});
