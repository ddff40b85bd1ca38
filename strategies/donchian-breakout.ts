import { filter, map, merge, type Observable } from 'rxjs';
import { defineStrategy, z, type Candle, type Indicators } from 'sluice/strategy';

const params = z.object({
  entry: z.number().int().min(2).default(20),
  exit: z.number().int().min(1).default(10),
});

export default defineStrategy({
  name: 'donchian-breakout',
  description: 'Follows closes beyond the highest high or lowest low of the candles before',
  params,
  warmup: ({ entry, exit }) => Math.max(entry, exit),
  intents: ({ symbols, candles$, position, target, params: periods, indicators }) =>
    merge(
      ...symbols.map((symbol) => {
        const held = () => Math.sign(position(symbol).quantity);
        return candles$(symbol).pipe(
          convictions({ ...periods, held, indicators }),
          map((conviction) => target(symbol, conviction)),
        );
      }),
    ),
});

interface Breakout {
  readonly entry: number;
  readonly exit: number;
  /** 1, 0 or −1: of the position, which may be older than this run. */
  readonly held: () => number;
  readonly indicators: Indicators;
}

/** Convictions of the candles that break out; other candles emit nothing. */
const convictions =
  ({ entry, exit, held, indicators }: Breakout) =>
  (candles: Observable<Candle>): Observable<number> => {
    const outer = indicators.donchian(entry);
    const inner = indicators.donchian(exit);
    let last = 0;
    return candles.pipe(
      map((candle) => {
        const before = { outer: outer.value, inner: inner.value };
        outer.next(candle);
        inner.next(candle);
        if (before.outer === undefined || before.inner === undefined) return undefined;
        const side = last === 0 ? held() : last;
        const conviction = judge(candle.close, side, before.outer, before.inner);
        last = conviction ?? last;
        return conviction;
      }),
      filter((conviction) => conviction !== undefined),
    );
  };

interface Band {
  readonly upper: number;
  readonly lower: number;
}

function judge(close: number, side: number, outer: Band, inner: Band): number | undefined {
  if (close > outer.upper) return 1;
  if (close < outer.lower) return -1;
  if (side > 0 && close < inner.lower) return 0;
  if (side < 0 && close > inner.upper) return 0;
  return undefined;
}
