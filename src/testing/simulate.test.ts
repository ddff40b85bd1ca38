import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { flatCandle } from '../../test/support/builders/flat-candle.js';
import { numberFromFixed } from '../core/fixed/fixed.js';
import { defineStrategy, z, type StrategyContext } from '../strategy/index.js';
import { tradesOf } from '../backtest/result.js';
import { runBacktest } from '../backtest/run.js';
import { simulationPlan } from './simulation-plan.js';
import { SimulationRecorder } from './simulation-recorder.js';
import { candlesFrom, candlesFromCloses, candlesFromCsv, simulate, testFill } from './index.js';
import { syntheticCandles } from './index.js';

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
  it('a decision fills at the open of the next candle, as in a backtest', () => {
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

  it('eventLog has the whole run as lines for a snapshot', () => {
    const candles = candlesFromCloses([99, 101, 98, 98]);
    const run = simulate({ strategy: above, candles, protect: { stop_loss_pct: 50 } });
    expect(run.eventLog()).toMatchInlineSnapshot(`
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

  it('several symbols run in step for one strategy instance', () => {
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

  it('symbols with a candle continue when another one has a gap or has ended', () => {
    const long = candlesFromCloses([1, 2, 3, 4]);
    const run = simulate({
      strategy: acting((context) => context.target(1)),
      candles: { AUSDT: long, BUSDT: [long[0], long[3]].flatMap((each) => each ?? []) },
    });
    expect(run.positionsOf('AUSDT')).toEqual([0, 1, 1, 1]);
    expect(run.positionsOf('BUSDT')).toEqual([0, 1]);
    expect(run.equity).toHaveLength(4);
  });

  it('a strategy of observables runs', () => {
    const strategy = defineStrategy({
      name: 'stream',
      params: z.object({}),
      intents: ({ candles$, target, symbols: [symbol = ''] }) =>
        candles$().pipe(map(({ close }) => target(symbol, close > 1 ? 1 : -1))),
    });
    const { positions } = simulate({ strategy, candles: candlesFromCloses([2, 1, 1]) });
    expect(positions).toEqual([0, 1, -1]);
  });

  it('fees and slippage are counted if they are given', () => {
    const { fees, fills } = simulate({
      strategy: acting((context) => context.target(1)),
      candles: candlesFromCloses([100, 100]),
      takerFee: 0.001,
      slippageBps: 10,
    });
    expect(fills[0]?.price).toBeCloseTo(100.1, 8);
    expect(fees).toBeCloseTo(0.1001, 8);
  });

  it('a fired stop is shown with its loss', () => {
    const candles = candlesFrom([{ close: 100 }, {}, { low: 90, close: 95 }, {}]);
    const run = simulate({
      strategy: acting((context) => context.target(1)),
      candles,
      protect: { stop_loss_pct: 5 },
    });
    expect(run.positions).toEqual([0, 1, 0, 0]);
    expect(run.eventLog()).toContain('#2 closed TESTUSDT, pnl -5');
    expect(run.trades).toBe(1);
  });

  it('refusals and errors are recorded', () => {
    const { refusals } = simulate({
      strategy: acting((context) => context.target(Number.NaN)),
      candles: candlesFromCloses([1, 2]),
    });
    expect(refusals[0]).toMatch(/refused: target: conviction is NaN/);
  });

  it('an error of the strategy is thrown with its file and line', () => {
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
    ['no candles', [], /the list of TESTUSDT is empty/],
    ['no symbol', {}, /no symbol is given/],
    ['candles out of order', [...candlesFromCloses([1, 2])].reverse(), /number 1 does not open/],
  ])('the simulation refuses %s', (_, candles, message) => {
    expect(() => simulate({ strategy: above, candles })).toThrow(message);
  });

  it('parameters are validated as in a configuration', () => {
    const candles = candlesFromCloses([1]);
    expect(() => simulate({ strategy: above, candles, params: { levle: 1 } })).toThrow(
      /levle: no such parameter; do you mean level\?/,
    );
  });
});

describe('simulate with other market data', () => {
  const START = Date.UTC(2025, 0, 1);
  const MINUTE = 60_000;
  const listening = defineStrategy({
    name: 'listening',
    params: z.object({}),
    streams: ['seconds', 'mark', 'funding'],
    create: () => ({
      onSecond: (context, { close }) => context.target(close > 100 ? 1 : -1),
      onMarkCandle: (context) => context.target(0),
      onFunding: (context, { rate, nextSettlementMs }) =>
        context.explain(`${rate} until ${nextSettlementMs - START}`),
    }),
  });
  const candles = candlesFromCloses([100, 100, 100]);

  it('one-second and mark price candles arrive between the candles, in order of their close', () => {
    const { eventLog } = simulate({
      strategy: listening,
      candles,
      seconds: [
        flatCandle(START + 10_000, 101),
        flatCandle(START + MINUTE + 10_000, 101),
        flatCandle(START + 2 * MINUTE - 1_000, 99),
      ],
      markCandles: [flatCandle(START + MINUTE, 100)],
      history: 1,
    });
    expect(eventLog()).toBe(
      [
        '#1 target TESTUSDT 1',
        '#1 order buy 1 TESTUSDT at the market',
        '#1 fill buy 1 TESTUSDT at 101',
        '#1 target TESTUSDT -1',
        '#1 order sell 1 TESTUSDT at the market, reduces',
        '#1 target TESTUSDT 0',
        '#2 fill sell 1 TESTUSDT at 100',
        '#2 closed TESTUSDT, pnl -1',
      ].join('\n'),
    );
  });

  it('a stream that the strategy does not name is refused', () => {
    expect(() => simulate({ strategy: above, candles, seconds: [flatCandle(START, 1)] })).toThrow(
      "above gets 'seconds', which its streams do not name",
    );
  });

  it('funding is charged at its time and passed on as the estimate of the next rate', () => {
    const long = acting((context) => context.target(1));
    const funding = [
      { time: START + 2 * MINUTE, rate: 0.001 },
      { time: START + 3 * MINUTE, rate: -0.0005 },
    ];
    const paid = simulate({ strategy: long, candles, funding });
    // Bought at the open of candle 1; held at the closes of candles 1 and 2, each time at 100.
    expect(paid.funding).toBeCloseTo(0.1 - 0.05, 8);
    expect(paid.equity.at(-1)).toBeCloseTo(1_000_000 - 0.05, 8);
    const { explanations } = simulate({ strategy: listening, candles, funding });
    expect(explanations).toEqual([`0.001 until ${3 * MINUTE}`, `-0.0005 until ${4 * MINUTE}`]);
  });

  it('funding changes a size by equity at once and belongs to its trade', () => {
    const reversing = acting((context) => context.target(context.candle.close > 100 ? -1 : 1));
    const plan = simulationPlan(
      {
        strategy: reversing,
        candles: candlesFromCloses([100, 100, 101, 101]),
        funding: [{ time: START + 3 * MINUTE, rate: 0.5 }],
        size: { equity_pct: 10 },
        cash: 1_000,
      },
      new SimulationRecorder('reversing'),
    );
    const run = runBacktest(plan);
    // 1 long at 100, worth 101 when half of it is paid: 950.5 left, and a tenth of that at 101 is 0.941.
    expect(tradesOf(run).map(({ funding }) => numberFromFixed(funding))).toEqual([50.5]);
    expect(run.fills.map(({ execution }) => numberFromFixed(execution.quantity))).toEqual([
      1, 1, 0.941,
    ]);
  });

  it.each([
    [
      { time: 0.5, rate: 0 },
      /number 0 \(time 0.5, rate 0\) needs a later whole minute and a rate between -1 and 1/,
    ],
    [{ time: START, rate: 2 }, /rate 2\)/],
  ])('an impossible settlement is refused: %o', (one, message) => {
    expect(() => simulate({ strategy: above, candles, funding: [one] })).toThrow(message);
  });

  it('history is passed on without orders on it', () => {
    const { orders, explanations } = simulate({
      strategy: above,
      candles: candlesFromCloses([101, 101, 101]),
      history: 2,
    });
    expect(orders.map(({ index }) => index)).toEqual([2]);
    expect(explanations).toEqual(['close 101']);
    expect(() => simulate({ strategy: above, candles, history: 4 })).toThrow(/from 0 to 3/);
    expect(simulate({ strategy: above, candles, history: 3 }).intents).toEqual([]);
  });

  it('history of a strategy that reads synchronized candles is passed on without orders on it', () => {
    const synced = defineStrategy({
      name: 'synced',
      params: z.object({}),
      scope: 'all',
      create: () => ({ onCandles: (context) => context.target(1) }),
    });
    const { orders } = simulate({
      strategy: synced,
      candles: candlesFromCloses([101, 101, 101, 101]),
      history: 2,
    });
    expect(orders.map(({ index }) => index)).toEqual([2]);
  });

  it('instrument rules are given as numbers', () => {
    const { orders } = simulate({
      strategy: acting((context) => context.target(1)),
      candles,
      instruments: { TESTUSDT: { quantityStep: 0.4 } },
    });
    expect(orders[0]?.quantity).toBe(0.8);
    expect(() =>
      simulate({ strategy: above, candles, instruments: { TESTUSDT: { priceStep: 0 } } }),
    ).toThrow('instruments: priceStep of TESTUSDT is 0, not a number above 0');
  });
});

describe('a stop or target in the candle of its entry', () => {
  it.each([
    { side: 'buy', reason: 'stop_loss', reached: 95 },
    { side: 'buy', reason: 'take_profit', reached: 105 },
    { side: 'sell', reason: 'stop_loss', reached: 105 },
    { side: 'sell', reason: 'take_profit', reached: 95 },
  ] as const)('a $side ended by its $reason is flat at the close', ({ side, reason, reached }) => {
    const seen: string[] = [];
    const entering = defineStrategy({
      name: 'entering',
      params: z.object({}),
      create: () => ({
        onCandle: (context) => {
          seen.push(`candle ${context.position.quantity}`);
          context.enter({ side });
        },
        onPosition: (context, change) =>
          void seen.push(`${change.reason} ${context.position.quantity}`),
      }),
    });
    const { orders } = simulate({
      strategy: entering,
      protect: { stop_loss_pct: 3, take_profit_pct: 3 },
      candles: candlesFrom([
        { close: 100 },
        { open: 100, low: Math.min(99, reached), high: Math.max(101, reached), close: 100 },
        { close: 100 },
      ]),
    });
    const held = side === 'buy' ? 1 : -1;
    const entry = ['candle 0', `fill ${held}`];
    expect(seen.slice(0, 4)).toEqual([...entry, `${reason} 0`, 'candle 0']);
    expect(orders.map(({ index }) => index)).toEqual([0, 1]);
  });
});

describe('the position that a strategy sees', () => {
  it.each([0.05, 0.2, 1])(
    'is that of the fills at each close, with stops at %s percent',
    (percent) => {
      const entering = acting((context) => context.enter({ side: 'buy' }));
      const candles = syntheticCandles({ seed: 7, count: 2_000 });
      const run = simulate({
        strategy: entering,
        candles,
        protect: { stop_loss_pct: percent, take_profit_pct: percent },
      });
      let held = 0;
      let next = 0;
      const filled = run.positions.map((_, index) => {
        for (; (run.fills[next]?.index ?? Infinity) <= index; next += 1)
          held += (run.fills[next]?.side === 'buy' ? 1 : -1) * (run.fills[next]?.quantity ?? 0);
        return held;
      });
      expect(run.positions).toEqual(filled);
      expect(run.fills.length).toBeGreaterThan(20);
    },
  );
});

describe('the builders', () => {
  it('candlesFrom fills in missing fields', () => {
    expect(candlesFrom([{ close: 10 }, { close: 12, high: 15 }, {}])).toMatchObject([
      { open: 10, high: 10, low: 10, close: 10, volume: 1 },
      { open: 10, high: 15, low: 10, close: 12 },
      { open: 12, high: 12, low: 12, close: 12 },
    ]);
    const [first, second] = candlesFrom([{ close: 1 }, {}], { interval: '1h', startMs: 0 });
    expect([first?.openTime, second?.openTime]).toEqual([0, 3_600_000]);
  });

  it('candlesFrom refuses an impossible candle', () => {
    expect(() => candlesFrom([{ open: 10, high: 9 }])).toThrow(
      /Candle 0 is impossible: open 10, high 9/,
    );
    expect(() => candlesFrom([{ close: -1 }])).toThrow(/Candle 0/);
  });

  it('syntheticCandles gives the same market for the same seed', () => {
    const request = { symbol: 'ETHUSDT', count: 50, interval: '5m' } as const;
    const candles = syntheticCandles(request);
    expect(candles).toHaveLength(50);
    expect(syntheticCandles(request)).toEqual(candles);
    expect(syntheticCandles({ ...request, seed: 2 })).not.toEqual(candles);
    expect(() => syntheticCandles({ symbol: 'NOUSDT', count: 1 })).toThrow(/has no NOUSDT/);
  });

  it('candlesFromCsv reads a CSV text', () => {
    const text = 'open_time,open,high,low,close,volume\n1746403200,1,2,0.5,1.5,7\n';
    expect(candlesFromCsv(text)).toEqual([
      { openTime: 1_746_403_200_000, open: 1, high: 2, low: 0.5, close: 1.5, volume: 7 },
    ]);
  });

  it('testFill makes a fill', () => {
    expect(testFill({ price: 5 })).toMatchObject({ side: 'buy', quantity: 1, price: 5 });
  });
});
