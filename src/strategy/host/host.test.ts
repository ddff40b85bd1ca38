import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { StrategyContext } from '../contract/strategy-context.js';
import { defineStrategy, type StrategyDefinition } from '../contract/definition.js';
import { createHost } from './host.js';
import { testInstrument } from '../../testing/instrument.js';
import { FakeStrategyPort } from '../../../test/support/fakes/fake-strategy-port.js';
import {
  START,
  MINUTE,
  scripted,
  rig,
  textOf,
  target,
  nothing,
} from '../../../test/support/rigs/strategy-rig.js';

describe('hooks', () => {
  it('a hook handles history and cannot order on it', () => {
    const { definition, script } = scripted({ warmup: 2 });
    const { world, host, close } = rig(definition);
    script.push(target(1), target(1), target(1));
    expect(host.warmupCandles).toBe(2);
    close(100, undefined, false);
    close(100, undefined, false);
    expect(world.intents).toEqual([]);
    close(100);
    expect(world.intents).toHaveLength(1);
  });

  it('hooks are created once per symbol, so that indicators do not mix markets', () => {
    const seen: string[] = [];
    const definition = defineStrategy({
      name: 'counting',
      params: z.object({}),
      create: ({ symbols }) => {
        let count = 0;
        return { onCandle: ({ symbol }) => seen.push(`${symbols.join('+')} ${symbol} ${++count}`) };
      },
    });
    const symbols = ['AUSDT', 'BUSDT'];
    const each = rig(definition, { symbols });
    each.close(1, 'AUSDT');
    each.close(1, 'BUSDT');
    const all = rig({ ...definition, scope: 'all' }, { symbols });
    all.close(1, 'AUSDT');
    all.close(1, 'BUSDT');
    expect(seen).toEqual([
      'AUSDT AUSDT 1',
      'BUSDT BUSDT 1',
      'AUSDT+BUSDT AUSDT 1',
      'AUSDT+BUSDT BUSDT 2',
    ]);
  });

  it('a hook reads candle, position, orders, instrument and equity as numbers', () => {
    const seen: unknown[] = [];
    const { definition, script } = scripted();
    const { close, settle } = rig(definition);
    script.push(
      (context) => context.enter({ side: 'sell', quantity: 2 }),
      ({ candle, position, orders, instrument, equity, time, symbol, interval }) =>
        seen.push(
          candle.close,
          position.quantity,
          position.entryPrice,
          orders.length,
          instrument.priceStep,
          equity,
          time,
          `${symbol} ${interval}`,
        ),
    );
    close(100);
    settle();
    close(101);
    expect(seen).toEqual([101, -2, 100, 0, 0.01, 10_000, START + 2 * MINUTE, 'TESTUSDT 1m']);
  });

  it('a decision on a fill has a cause that is the same after a restart', () => {
    const { definition, script } = scripted({
      onFill: (context, { side, price }) => {
        if (side === 'buy') context.limit({ side: 'sell', price: price * 1.1 });
      },
    });
    const { world, close, settle } = rig(definition);
    script.push(target(1));
    close(100);
    settle();
    expect(world.intents[1]).toMatchObject({
      cause: { kind: 'fill', orderId: `candle:TESTUSDT:1m:${START}#0/0`, fillId: '1' },
      ordinal: 0,
      terms: { reduceOnly: true, price: fixedFromText('110') },
    });
  });

  it('a hook gets the end of orders, and logs explanations', () => {
    const ends: string[] = [];
    const { definition, script } = scripted({
      onOrder: (context, { end, reason }) => {
        ends.push(`${end} ${reason}`);
        context.explain('noted');
      },
    });
    const { world, host, close, keyOf } = rig(definition);
    script.push(target(1));
    close(100);
    world.end(keyOf(), 'rejected', host, 'insufficient');
    expect(ends).toEqual(['rejected insufficient']);
    expect(world.notes).toContain('info: mine: noted');
  });

  it('onStart and onStop are called once, and no hook after them', () => {
    const calls: string[] = [];
    const { definition, script } = scripted({
      onStart: () => calls.push('start'),
      onStop: () => calls.push('stop'),
    });
    const { host, close } = rig(definition, { symbols: ['AUSDT', 'BUSDT'] });
    script.push(() => calls.push('candle'));
    host.stop();
    host.stop();
    close(100, 'AUSDT');
    expect(calls).toEqual(['start', 'start', 'stop', 'stop']);
    expect(host.state).toBe('stopped');
  });
});

describe('a hook that throws', () => {
  const boom = (): void => {
    throw new TypeError('boom');
  };

  it('a hook that throws is logged with its location, its intents are discarded, and the strategy continues', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    script.push((context) => {
      context.target(1);
      boom();
    }, target(-1));
    close(100);
    expect(world.intents).toEqual([]);
    expect(world.notes[0]).toMatch(
      /error: mine: onCandle threw TypeError: boom at .*host\.test\.ts:\d+/,
    );
    close(100);
    expect(world.intents).toHaveLength(1);
    expect(host.counts.errors).toBe(1);
  });

  it('three throws within ten minutes stop the strategy, and its entries are canceled', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle } = rig(definition);
    script.push(
      (context) => context.limit({ side: 'buy', price: 90 }),
      boom,
      boom,
      boom,
      target(1),
    );
    for (let i = 0; i < 5; i++) close(100);
    settle();
    expect(host.state).toBe('failed');
    expect(world.intents).toHaveLength(1);
    expect(world.workingOrders('TESTUSDT')).toEqual([]);
    expect(world.notes.at(-1)).toMatch(/failed: it threw 3 times within 10 minutes/);
  });

  it('three throws within more than ten minutes do not stop the strategy', () => {
    const { definition, script } = scripted();
    const { host, close } = rig(definition);
    for (let i = 0; i < 24; i++) script.push(i % 6 === 0 ? boom : nothing);
    for (let i = 0; i < 24; i++) close(100);
    expect(host.counts.errors).toBe(4);
    expect(host.state).toBe('running');
  });

  it('three intents with NaN or a foreign symbol within ten minutes stop the strategy', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    const foreign = (context: StrategyContext) =>
      context.enter({ side: 'buy', symbol: 'OTHERUSDT' });
    script.push(target(Number.NaN), foreign, nothing, target(Number.NaN), target(1));
    for (let i = 0; i < 5; i++) close(100);
    expect(host.state).toBe('failed');
    expect(world.intents).toEqual([]);
    expect(world.notes.at(-1)).toMatch(
      /failed: it had 3 faulty intents within 10 minutes, the last: target: conviction is NaN/,
    );
  });

  it('three faulty intents within more than ten minutes do not stop the strategy', () => {
    const { definition, script } = scripted();
    const { host, close } = rig(definition);
    for (let i = 0; i < 24; i++) script.push(i % 6 === 0 ? target(Number.NaN) : nothing);
    for (let i = 0; i < 24; i++) close(100);
    expect(host.state).toBe('running');
    expect(host.counts.refused).toBe(4);
  });

  it('a stop on the wrong side of the price is a refusal, however often it comes', () => {
    const { definition, script } = scripted();
    const { host, close } = rig(definition);
    for (let i = 0; i < 5; i++)
      script.push((context) => context.enter({ side: 'buy', stopLoss: 101 }));
    for (let i = 0; i < 5; i++) close(100);
    expect(host.state).toBe('running');
    expect(host.counts.refused).toBe(5);
  });

  it('a throw in create is a load error', () => {
    const definition = defineStrategy({ name: 'bad', params: z.object({}), create: boom as never });
    expect(() => rig(definition)).toThrow(
      /Strategy mine \(bad\) could not be made: TypeError: boom/,
    );
  });
});

describe('settings', () => {
  it('a size in risk needs a stop', () => {
    const { definition } = scripted();
    expect(() => rig(definition, { size: { kind: 'risk-pct', percent: 1 } })).toThrow(
      /needs protect\.stop_loss_pct/,
    );
  });

  it('a size in per cent of equity uses USDT, at the wallet’s rate', () => {
    const { definition, script } = scripted();
    const size = { kind: 'equity-pct', percent: 50 } as const;
    const { world, close } = rig(definition, { size, usdtPerUnit: () => 0.0125 });
    script.push(target(1));
    close(2);
    // 10,000 × 0.0125 is 125 USDT; half of it at 2.
    expect(world.intents.map(textOf)).toEqual(['buy 31.25 #0/0']);
  });

  it('a target is refused while the equity is not known, and accepted later', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition, { size: { kind: 'equity-pct', percent: 50 } });
    world.wallet = undefined;
    script.push(target(1), target(1));
    close(100);
    expect(world.notes[0]).toMatch(/equity-pct needs the equity/);
    world.wallet = fixedFromText('1000');
    close(100);
    expect(world.intents).toHaveLength(1);
  });
});

describe('a strategy before its start', () => {
  const candle = { openTime: START, open: 100, high: 100, low: 100, close: 100, volume: 1 };
  const columns = CandleColumns.from([candle, { ...candle, openTime: START + MINUTE }]);

  function unstarted(definition: StrategyDefinition) {
    const world = new FakeStrategyPort([testInstrument()]);
    const size = { kind: 'notional', notional: 100 } as const;
    const symbols = ['TESTUSDT'];
    const settings = {
      id: 'mine',
      params: {},
      symbols,
      interval: '1m',
      size,
      port: world,
    } as const;
    world.price('TESTUSDT', 100);
    return { world, host: createHost({ ...settings, definition }) };
  }

  it('a candle before the start is history, live or not', () => {
    const { definition, script } = scripted();
    const { world, host } = unstarted(definition);
    script.push(target(1), target(1));
    host.candlesOf('TESTUSDT').onCandle('1m', columns, 0, true);
    expect(world.intents).toEqual([]);
    host.start();
    host.candlesOf('TESTUSDT').onCandle('1m', columns, 1, true);
    expect(world.intents).toHaveLength(1);
  });

  it('a second before the start is not dispatched, so that a one-time intent is not lost', () => {
    const { world, host } = unstarted(
      defineStrategy({
        name: 'once',
        params: z.object({}),
        streams: ['seconds'],
        state: { version: 1, initial: () => ({ said: false }) },
        create: () => ({
          onCandle: () => undefined,
          onSecond(context) {
            if (context.state.said) return;
            context.state.said = true;
            context.target(1);
          },
        }),
      }),
    );
    host.candlesOf('TESTUSDT').onCandle('1m', columns, 0, false);
    host.onSecond('TESTUSDT', 'last', candle);
    host.start();
    host.onSecond('TESTUSDT', 'last', { ...candle, openTime: START + 1_000 });
    expect(world.intents).toHaveLength(1);
  });

  it('a funding rate and a moved position are dispatched at the start, and may be acted on', () => {
    const received: string[] = [];
    const { world, host } = unstarted(
      defineStrategy({
        name: 'facts',
        params: z.object({}),
        streams: ['funding'],
        create: () => ({
          onCandle: () => undefined,
          onStart: () => received.push('start'),
          onFunding: (_, { rate }) => received.push(`funding ${rate}`),
          onPosition(context, { reason }) {
            received.push(`${reason} ${context.position.quantity}`);
            context.exit();
          },
        }),
      }),
    );
    host.candlesOf('TESTUSDT').onCandle('1m', columns, 0, false);
    host.onFunding('TESTUSDT', { rate: 0.0001, nextSettlementMs: START });
    world.setPosition('TESTUSDT', fixedFromText('1'));
    host.onPositionChanged('TESTUSDT', 'hand');
    expect(received).toEqual([]);
    host.start();
    expect(received).toEqual(['start', 'funding 0.0001', 'external 1']);
    expect(world.intents.map(textOf)).toEqual(['sell 1 reduce-only #0/0']);
  });
});
