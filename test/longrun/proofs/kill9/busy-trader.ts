import { defineStrategy, z } from 'sluice/strategy';

/**
 * Never content: every few seconds it wants something else, so that orders are nearly always in
 * flight, and it changes its mind while they are. Each second's wish is a hash of it, so that a life
 * that was cut off is not repeated.
 */
export default defineStrategy({
  name: 'restless',
  description: 'Turns, reduces, rests and cancels as the hash of each second says',
  params: z.object({}),
  streams: ['seconds'],
  create() {
    return {
      warmup: 1,
      onCandle() {},
      onSecond(context, { close, openTime }) {
        const draw = hash(`${context.symbol}${openTime}`) % 40;
        const [working] = context.orders;
        if (draw < 3) context.target(1);
        else if (draw < 6) context.target(-1);
        else if (draw < 7) context.target(0.5);
        else if (draw < 8) context.exit();
        else if (draw < 10 && working === undefined) {
          const isBuy = draw === 8;
          context.limit({ side: isBuy ? 'buy' : 'sell', price: close * (isBuy ? 0.999 : 1.001) });
        } else if (draw < 13 && working !== undefined) context.cancel(working.key);
      },
    };
  },
});

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return (value ^ (value >>> 15)) >>> 0;
}
