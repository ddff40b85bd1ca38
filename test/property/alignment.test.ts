import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { looseInstrument, runBacktest } from '../../src/backtest/run.js';
import type { Candle } from '../../src/core/candle.js';
import { fixed, fixedFromText, type Amount } from '../../src/core/fixed.js';
import { closeTimeOf, type Interval } from '../../src/core/interval.js';
import { ROUND_DEADLINE_MS } from '../../src/engine/market/candle-rounds.js';
import { CandleColumns } from '../../src/market/candle-columns.js';
import { createGate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits.js';
import { defineStrategy } from '../../src/strategy/definition.js';
import { createHost } from '../../src/strategy/host/host.js';
import { EngineRig } from '../harness/engine-rig.js';
import { expectedCalls, MINUTE, seenText, type Markets, type Wanted } from './interval-model.js';

/** Half an hour before a Monday: minutes to days end in what follows. */
const START = Date.UTC(2025, 4, 4, 23, 30);
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const LAST = 150;

/** A candle in the first minutes; some are missing, the last is there for every symbol. */
const marketArbitrary: fc.Arbitrary<readonly Candle[]> = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 50 })), {
    minLength: LAST,
    maxLength: LAST,
  })
  .chain((minutes) =>
    fc
      .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 90 }))
      .map(([from, length]) =>
        [...minutes, [true, 7] as const].flatMap(([kept, price], minute) => {
          const inGap = minute >= from && minute < from + length && minute < LAST;
          return inGap || (!kept && minute % 5 === 3) ? [] : [candleAt(minute, price)];
        }),
      ),
  );

const candleAt = (minute: number, price: number): Candle => ({
  openTime: START + minute * MINUTE,
  open: price,
  high: price + (minute % 3),
  low: price - (minute % 2) / 2,
  close: price + (minute % 3) / 2,
  volume: minute,
});

const wantedArbitrary: fc.Arbitrary<Wanted> = fc.record({
  own: fc.constantFrom<Interval>('1m', '5m', '1h'),
  others: fc.subarray<Interval>(['3m', '15m', '30m', '4h', '1d']),
});

const marketsArbitrary = fc
  .tuple(marketArbitrary, marketArbitrary, marketArbitrary)
  .map((all): Markets => new Map(SYMBOLS.map((symbol, at) => [symbol, all[at] ?? []])));

/** Says what it is told, and of each candle that it can see before its close. */
const telling = ({ others }: Wanted, calls: string[], live = true) =>
  defineStrategy({
    name: 'telling',
    params: z.object({}),
    scope: 'all',
    intervals: others,
    create: ({ interval, symbols }) => ({
      onCandle(context) {
        calls.push(seenText(`candle ${context.symbol} ${interval}`, context.candle));
        for (const symbol of symbols) {
          for (const each of [interval, ...others.filter((other) => other !== interval)]) {
            const { last } = context.of(symbol).candles(each);
            if (live && last !== undefined && closeTimeOf(each, last.openTime) > context.time)
              calls.push(`${symbol} ${each} is seen before its close`);
          }
        }
      },
      onInterval(context, candle, each) {
        calls.push(seenText(`interval ${context.symbol} ${each}`, candle));
      },
      onCandles(_context, { closedAt, missing, candle }) {
        calls.push(`round ${closedAt} without ${missing.join(',')}`);
        for (const symbol of symbols) {
          if ((candle(symbol) === undefined) !== missing.includes(symbol))
            calls.push(`${symbol} is told wrong`);
        }
      },
    }),
  });

const rigOf = (wanted: Wanted, calls: string[], live = true) =>
  new EngineRig({
    seats: [
      {
        id: 'telling',
        symbols: SYMBOLS,
        interval: wanted.own,
        leverage: fixedFromText('1'),
        create: (world) =>
          createHost({
            id: 'telling',
            definition: telling(wanted, calls, live),
            params: {},
            symbols: SYMBOLS,
            interval: wanted.own,
            size: { kind: 'quantity', quantity: fixedFromText('1') },
            world,
          }),
      },
    ],
  });

const send = (rig: EngineRig, symbol: string, candles: readonly Candle[], live: boolean): void => {
  rig.happen({ kind: 'candles', symbol, interval: '1m', candles, live });
};

/** Each symbol's candles in pieces, the pieces of all in any order. */
const arrivalsArbitrary = (markets: Markets) =>
  fc
    .array(fc.tuple(fc.constantFrom(...SYMBOLS), fc.integer({ min: 1, max: 40 })), {
      maxLength: 60,
    })
    .map((pieces) => {
      const left = new Map([...markets].map(([symbol, candles]) => [symbol, [...candles]]));
      const sent = pieces.map(([symbol, count]) => ({
        symbol,
        candles: left.get(symbol)?.splice(0, count) ?? [],
      }));
      for (const [symbol, candles] of left) sent.push({ symbol, candles });
      return sent.filter(({ candles }) => candles.length > 0);
    });

const caseArbitrary = fc.tuple(marketsArbitrary, wantedArbitrary).chain(([markets, wanted]) =>
  fc.record({
    markets: fc.constant(markets),
    wanted: fc.constant(wanted),
    arrivals: arrivalsArbitrary(markets),
    live: fc.boolean(),
  }),
);

const gate = () => createGate({ preset: 'none', limits: DEFAULT_LIMITS });

describe('several intervals and symbols', () => {
  it('are told as the slow model says, whatever order they arrive in', () => {
    fc.assert(
      fc.property(caseArbitrary, ({ markets, wanted, arrivals, live }) => {
        const calls: string[] = [];
        const rig = rigOf(wanted, calls, live);
        for (const { symbol, candles } of arrivals) send(rig, symbol, candles, live);
        expect(calls).toEqual(expectedCalls(markets, wanted));
      }),
      { numRuns: 60 },
    );
  });

  it('are told the same in a backtest', () => {
    fc.assert(
      fc.property(marketsArbitrary, wantedArbitrary, (markets, wanted) => {
        const calls: string[] = [];
        const [first, ...others] = SYMBOLS.map((symbol) => ({
          instrument: looseInstrument(symbol),
          maintenanceRate: fixedFromText<'ratio'>('0.005'),
          columns: CandleColumns.from(markets.get(symbol) ?? []),
        }));
        if (first === undefined) throw new Error('there are symbols');
        runBacktest({
          ...first,
          others,
          seat: {
            id: 'telling',
            symbols: SYMBOLS,
            interval: wanted.own,
            leverage: fixedFromText('1'),
            create: (world) =>
              createHost({
                id: 'telling',
                definition: telling(wanted, calls),
                params: {},
                symbols: SYMBOLS,
                interval: wanted.own,
                size: { kind: 'quantity', quantity: fixedFromText('1') },
                world,
              }),
          },
          base: '1m',
          currency: 'USDT',
          cash: fixedFromText<'USDT'>('10000') as Amount,
          hedgeRate: fixedFromText('90'),
          takerFeeRate: fixed(0),
          makerFeeRate: fixed(0),
          slippageBps: 0,
          limitFill: 'through',
          intrabar: 'pessimistic',
          gate: gate(),
        });
        expect(calls).toEqual(expectedCalls(markets, wanted));
      }),
      { numRuns: 40 },
    );
  });

  it('that come later than the deadline are told alone, and the round names them', () => {
    const calls: string[] = [];
    const rig = rigOf({ own: '1m', others: [] }, calls);
    const at = (minute: number): Candle => candleAt(minute, 10);
    send(rig, 'BTCUSDT', [at(0)], true);
    send(rig, 'ETHUSDT', [at(0), at(1)], true);
    expect(calls).toEqual([]);
    rig.pass(ROUND_DEADLINE_MS);
    expect(calls.map(short)).toEqual(['candle BTC 0', 'candle ETH 0', 'round 1 without SOLUSDT']);
    send(rig, 'SOLUSDT', [at(0), at(1)], true);
    send(rig, 'BTCUSDT', [at(1)], true);
    expect(calls.slice(3).map(short)).toEqual([
      'candle SOL 0',
      'candle BTC 1',
      'candle ETH 1',
      'candle SOL 1',
      'round 2 without ',
    ]);
  });
});

/** Minutes since the start instead of times. */
function short(call: string): string {
  const [what = '', a = '', b = '', c = ''] = call.split(' ');
  const minute = (text: string): string => String((Number(text) - START) / MINUTE);
  if (what === 'round') return `round ${minute(a)} without ${call.split('without ')[1] ?? ''}`;
  return `${what} ${a.slice(0, 3)} ${minute(c)}${b === '1m' ? '' : ` ${b}`}`;
}
