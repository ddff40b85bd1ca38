import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unrestrictedInstrument, runBacktest } from '../../src/backtest/run.js';
import type { Candle } from '../../src/core/candle.js';
import { fixed, fixedFromText, type Amount } from '../../src/core/fixed/fixed.js';
import { closeTimeOf, type Interval } from '../../src/core/interval.js';
import { SYNC_DEADLINE_MS } from '../../src/engine/market/candle-synchronizer.js';
import { CandleColumns } from '../../src/market/candles/candle-columns.js';
import { createGate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits/risk-limits.js';
import { defineStrategy } from '../../src/strategy/contract/definition.js';
import { createHost } from '../../src/strategy/host/host.js';
import { EngineRig } from '../support/rigs/engine-rig.js';
import {
  expectedCalls,
  MINUTE,
  callText,
  type Markets,
  type IntervalSubscriptions,
} from './interval-model.js';

/** Half an hour before a Monday, so that buckets of all intervals up to a day end in the test. */
const START = Date.UTC(2025, 4, 4, 23, 30);
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const LAST = 150;

/** One-minute candles with gaps. Every symbol has the last one. */
const marketArbitrary: fc.Arbitrary<readonly Candle[]> = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 50 })), {
    minLength: LAST,
    maxLength: LAST,
  })
  .chain((minutes) =>
    fc
      .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 90 }))
      .map(([from, length]) =>
        [...minutes, [true, 7] as const].flatMap(([isPresent, price], minute) => {
          const inGap = minute >= from && minute < from + length && minute < LAST;
          return inGap || (!isPresent && minute % 5 === 3) ? [] : [candleAt(minute, price)];
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

const subscriptionsArbitrary: fc.Arbitrary<IntervalSubscriptions> = fc.record({
  own: fc.constantFrom<Interval>('1m', '5m', '1h'),
  others: fc.subarray<Interval>(['3m', '15m', '30m', '4h', '1d']),
});

const marketsArbitrary = fc
  .tuple(marketArbitrary, marketArbitrary, marketArbitrary)
  .map((all): Markets => new Map(SYMBOLS.map((symbol, at) => [symbol, all[at] ?? []])));

/** Records its hook calls, and every candle that is visible before its close. */
const recordingStrategy = ({ others }: IntervalSubscriptions, calls: string[], live = true) =>
  defineStrategy({
    name: 'recording',
    params: z.object({}),
    scope: 'all',
    intervals: others,
    create: ({ interval, symbols }) => ({
      onCandle(context) {
        calls.push(callText(`candle ${context.symbol} ${interval}`, context.candle));
        for (const symbol of symbols) {
          for (const each of [interval, ...others.filter((other) => other !== interval)]) {
            const { last } = context.of(symbol).candles(each);
            if (live && last !== undefined && closeTimeOf(each, last.openTime) > context.time)
              calls.push(`${symbol} ${each} is visible before its close`);
          }
        }
      },
      onInterval(context, candle, each) {
        calls.push(callText(`interval ${context.symbol} ${each}`, candle));
      },
      onCandles(_context, { closedAt, missing, candle }) {
        calls.push(`round ${closedAt} without ${missing.join(',')}`);
        for (const symbol of symbols) {
          if ((candle(symbol) === undefined) !== missing.includes(symbol))
            calls.push(`${symbol} is wrongly reported as missing or present`);
        }
      },
    }),
  });

const rigOf = (subscriptions: IntervalSubscriptions, calls: string[], live = true) =>
  new EngineRig({
    strategies: [
      {
        id: 'recording',
        symbols: SYMBOLS,
        interval: subscriptions.own,
        leverage: fixedFromText('1'),
        create: (port) =>
          createHost({
            id: 'recording',
            definition: recordingStrategy(subscriptions, calls, live),
            params: {},
            symbols: SYMBOLS,
            interval: subscriptions.own,
            size: { kind: 'quantity', quantity: fixedFromText('1') },
            port,
          }),
      },
    ],
  });

const send = (rig: EngineRig, symbol: string, candles: readonly Candle[], live: boolean): void => {
  rig.handle({ kind: 'candles', symbol, interval: '1m', candles, live });
};

/** The candles of each symbol in pieces, the pieces of all symbols in any order. */
const arrivalsArbitrary = (markets: Markets) =>
  fc
    .array(fc.tuple(fc.constantFrom(...SYMBOLS), fc.integer({ min: 1, max: 40 })), {
      maxLength: 60,
    })
    .map((pieces) => {
      const remaining = new Map([...markets].map(([symbol, candles]) => [symbol, [...candles]]));
      const sent = pieces.map(([symbol, count]) => ({
        symbol,
        candles: remaining.get(symbol)?.splice(0, count) ?? [],
      }));
      for (const [symbol, candles] of remaining) sent.push({ symbol, candles });
      return sent.filter(({ candles }) => candles.length > 0);
    });

const caseArbitrary = fc
  .tuple(marketsArbitrary, subscriptionsArbitrary)
  .chain(([markets, subscriptions]) =>
    fc.record({
      markets: fc.constant(markets),
      subscriptions: fc.constant(subscriptions),
      arrivals: arrivalsArbitrary(markets),
      live: fc.boolean(),
    }),
  );

const gate = () => createGate({ preset: 'none', limits: DEFAULT_LIMITS });

describe('several intervals and symbols', () => {
  it('the hook calls equal those of the slow model for any order of arrival', () => {
    fc.assert(
      fc.property(caseArbitrary, ({ markets, subscriptions, arrivals, live }) => {
        const calls: string[] = [];
        const rig = rigOf(subscriptions, calls, live);
        for (const { symbol, candles } of arrivals) send(rig, symbol, candles, live);
        expect(calls).toEqual(expectedCalls(markets, subscriptions));
      }),
      { numRuns: 60 },
    );
  });

  it('the hook calls of a backtest equal those of the slow model', () => {
    fc.assert(
      fc.property(marketsArbitrary, subscriptionsArbitrary, (markets, subscriptions) => {
        const calls: string[] = [];
        const [first, ...others] = SYMBOLS.map((symbol) => ({
          instrument: unrestrictedInstrument(symbol),
          maintenanceRate: fixedFromText<'ratio'>('0.005'),
          columns: CandleColumns.from(markets.get(symbol) ?? []),
        }));
        if (first === undefined) throw new Error('there are symbols');
        runBacktest({
          ...first,
          others,
          strategies: [
            {
              id: 'recording',
              symbols: SYMBOLS,
              interval: subscriptions.own,
              leverage: fixedFromText('1'),
              create: (port) =>
                createHost({
                  id: 'recording',
                  definition: recordingStrategy(subscriptions, calls),
                  params: {},
                  symbols: SYMBOLS,
                  interval: subscriptions.own,
                  size: { kind: 'quantity', quantity: fixedFromText('1') },
                  port,
                }),
            },
          ],
          base: '1m',
          currency: 'USDT',
          cash: fixedFromText<'USDT'>('10000') as Amount,
          hedgeRate: fixedFromText('90'),
          takerFeeRate: fixed(0),
          makerFeeRate: fixed(0),
          slippage: { kind: 'fixed', bps: 0 },
          limitFill: 'through',
          intrabar: 'pessimistic',
          gate: gate(),
        });
        expect(calls).toEqual(expectedCalls(markets, subscriptions));
      }),
      { numRuns: 40 },
    );
  });

  it('candles after the deadline are delivered alone, and onCandles names their symbol as missing', () => {
    const calls: string[] = [];
    const rig = rigOf({ own: '1m', others: [] }, calls);
    const at = (minute: number): Candle => candleAt(minute, 10);
    send(rig, 'BTCUSDT', [at(0)], true);
    send(rig, 'ETHUSDT', [at(0), at(1)], true);
    expect(calls).toEqual([]);
    rig.pass(SYNC_DEADLINE_MS);
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

/** The call with minutes since the start instead of times. */
function short(call: string): string {
  const [what = '', a = '', b = '', c = ''] = call.split(' ');
  const minute = (text: string): string => String((Number(text) - START) / MINUTE);
  if (what === 'round') return `round ${minute(a)} without ${call.split('without ')[1] ?? ''}`;
  return `${what} ${a.slice(0, 3)} ${minute(c)}${b === '1m' ? '' : ` ${b}`}`;
}
