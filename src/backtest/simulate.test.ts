import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineStrategy, z, type StrategyContext } from '../strategy/index.js';
import { candlesFrom, candlesFromCloses, candlesFromCsv, simulate, testFill } from './testing.js';
import { syntheticCandles } from './testing.js';

const above = defineStrategy({
  name: 'above',
  params: z.object({ level: z.number().default(100) }),
  create: ({ params }) => ({
    onCandle(context) {
      context.explain(`close ${context.candle.close}`);
      context.target(context.candle.close > params.level ? 1 : 0);
    },
  }),
});

const acting = (act: (context: StrategyContext) => void) =>
  defineStrategy({ name: 'acting', params: z.object({}), create: () => ({ onCandle: act }) });

describe('simulate', () => {
  it('fills a decision at the open of the next candle, as a backtest does', () => {
    const candles = candlesFrom([{ close: 99 }, { close: 101 }, { open: 102, close: 98 }, {}]);
    const { positions, orders, fills, equity } = simulate({ strategy: above, candles });
    expect(positions).toEqual([0, 0, 1, 0]);
    expect(orders.map(({ index, side, reduceOnly }) => [index, side, reduceOnly])).toEqual([
      [1, 'buy', false],
      [2, 'sell', true],
    ]);
    expect(fills.map(({ index, price }) => [index, price])).toEqual([
      [2, 102],
      [3, 98],
    ]);
    expect(equity.at(-1)).toBe(1_000_000 - 4);
  });

  it('tells the whole run as lines for a snapshot', () => {
    const candles = candlesFromCloses([99, 101, 98, 98]);
    const run = simulate({ strategy: above, candles, protect: { stop_loss_pct: 50 } });
    expect(run.story()).toMatchInlineSnapshot(`
      "#0 explains: close 99
      #0 target TESTUSDT 0
      #1 explains: close 101
      #1 target TESTUSDT 1
      #1 order buy 1 TESTUSDT at the market, stop 50.5
      #2 fill buy 1 TESTUSDT at 101
      #2 explains: close 98
      #2 target TESTUSDT 0
      #2 order sell 1 TESTUSDT at the market, reduces
      #3 fill sell 1 TESTUSDT at 98
      #3 closed TESTUSDT, pnl -3
      #3 explains: close 98
      #3 target TESTUSDT 0"
    `);
  });

  it('walks several symbols in step, for one instance that sees them all', () => {
    const leader = defineStrategy({
      name: 'leader',
      scope: 'all',
      params: z.object({}),
      create: ({ symbols: [, follower = ''] }) => ({
        onCandle(context) {
          if (context.symbol === 'AUSDT')
            context.target(context.candle.close > 1 ? 1 : -1, follower);
        },
      }),
    });
    const run = simulate({
      strategy: leader,
      candles: { AUSDT: candlesFromCloses([2, 0.5, 2]), BUSDT: candlesFromCloses([10, 20, 30]) },
    });
    expect(run.positionsOf('AUSDT')).toEqual([0, 0, 0]);
    expect(run.positionsOf('BUSDT')).toEqual([0, 1, -1]);
    expect(run.fills.map(({ symbol, price }) => [symbol, price])).toEqual([
      ['BUSDT', 10],
      ['BUSDT', 20],
      ['BUSDT', 20],
    ]);
  });

  it('goes on with the symbols that have a candle when another has a gap or has ended', () => {
    const long = candlesFromCloses([1, 2, 3, 4]);
    const run = simulate({
      strategy: acting((context) => context.target(1)),
      candles: { AUSDT: long, BUSDT: [long[0], long[3]].flatMap((each) => each ?? []) },
    });
    expect(run.positionsOf('AUSDT')).toEqual([0, 1, 1, 1]);
    expect(run.positionsOf('BUSDT')).toEqual([0, 1]);
    expect(run.equity).toHaveLength(4);
  });

  it('runs the stream form', () => {
    const strategy = defineStrategy({
      name: 'stream',
      params: z.object({}),
      intents: ({ candles$, target, symbols: [symbol = ''] }) =>
        candles$().pipe(map(({ close }) => target(symbol, close > 1 ? 1 : -1))),
    });
    const { positions } = simulate({ strategy, candles: candlesFromCloses([2, 1, 1]) });
    expect(positions).toEqual([0, 1, -1]);
  });

  it('counts fees and slippage where they are given', () => {
    const { fees, fills } = simulate({
      strategy: acting((context) => context.target(1)),
      candles: candlesFromCloses([100, 100]),
      takerFee: 0.001,
      slippageBps: 10,
    });
    expect(fills[0]?.price).toBeCloseTo(100.1, 8);
    expect(fees).toBeCloseTo(0.1001, 8);
  });

  it('shows a stop that fired, with the loss', () => {
    const candles = candlesFrom([{ close: 100 }, {}, { low: 90, close: 95 }, {}]);
    const run = simulate({
      strategy: acting((context) => context.target(1)),
      candles,
      protect: { stop_loss_pct: 5 },
    });
    expect(run.positions).toEqual([0, 1, 0, 0]);
    expect(run.story()).toContain('#2 closed TESTUSDT, pnl -5');
    expect(run.trades).toBe(1);
  });

  it('says what was refused, and what was wrong', () => {
    const { refusals } = simulate({
      strategy: acting((context) => context.target(Number.NaN)),
      candles: candlesFromCloses([1, 2]),
    });
    expect(refusals[0]).toMatch(/refused: target: conviction is NaN/);
  });

  it('throws what the strategy throws, with its place', () => {
    const strategy = acting(() => {
      throw new Error('no such thing');
    });
    expect(() => simulate({ strategy, candles: candlesFromCloses([1]) })).toThrow(
      /acting: onCandle threw Error: no such thing at .*simulate\.test\.ts:\d+/,
    );
    const { errors, state } = simulate({
      strategy,
      candles: candlesFromCloses([1, 1, 1, 1]),
      onError: 'record',
    });
    expect(errors).toHaveLength(4);
    expect(state).toBe('failed');
  });

  it.each([
    ['no candles', [], /there is none of TESTUSDT/],
    ['no symbol', {}, /there is no symbol/],
    ['candles out of order', [...candlesFromCloses([1, 2])].reverse(), /number 1 does not open/],
  ])('refuses %s', (_, candles, message) => {
    expect(() => simulate({ strategy: above, candles })).toThrow(message);
  });

  it('judges parameters as a config does', () => {
    const candles = candlesFromCloses([1]);
    expect(() => simulate({ strategy: above, candles, params: { levle: 1 } })).toThrow(
      /levle: no such parameter; do you mean level\?/,
    );
  });
});

describe('the builders', () => {
  it('fill in what a sketch leaves out', () => {
    expect(candlesFrom([{ close: 10 }, { close: 12, high: 15 }, {}])).toMatchObject([
      { open: 10, high: 10, low: 10, close: 10, volume: 1 },
      { open: 10, high: 15, low: 10, close: 12 },
      { open: 12, high: 12, low: 12, close: 12 },
    ]);
    const [first, second] = candlesFrom([{ close: 1 }, {}], { interval: '1h', startMs: 0 });
    expect([first?.openTime, second?.openTime]).toEqual([0, 3_600_000]);
  });

  it('refuse a candle that cannot be', () => {
    expect(() => candlesFrom([{ open: 10, high: 9 }])).toThrow(
      /Candle 0 cannot be: open 10, high 9/,
    );
    expect(() => candlesFrom([{ close: -1 }])).toThrow(/Candle 0/);
  });

  it('make the same market for the same seed', () => {
    const wish = { symbol: 'ETHUSDT', count: 50, interval: '5m' } as const;
    const candles = syntheticCandles(wish);
    expect(candles).toHaveLength(50);
    expect(syntheticCandles(wish)).toEqual(candles);
    expect(syntheticCandles({ ...wish, seed: 2 })).not.toEqual(candles);
    expect(() => syntheticCandles({ symbol: 'NOUSDT', count: 1 })).toThrow(/There is no NOUSDT/);
  });

  it('read a CSV text', () => {
    const text = 'open_time,open,high,low,close,volume\n1746403200,1,2,0.5,1.5,7\n';
    expect(candlesFromCsv(text)).toEqual([
      { openTime: 1_746_403_200_000, open: 1, high: 2, low: 0.5, close: 1.5, volume: 7 },
    ]);
  });

  it('make a fill', () => {
    expect(testFill({ price: 5 })).toMatchObject({ side: 'buy', quantity: 1, price: 5 });
  });
});
