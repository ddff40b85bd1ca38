import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixedFromText } from '../../core/fixed.js';
import { CandleColumns } from '../../market/candle-columns.js';
import { defineStrategy, type StrategyDefinition } from '../definition.js';
import { createHost } from './host.js';
import { testInstrument } from '../../backtest/test-instrument.js';
import { TestWorld } from '../../../test/harness/test-world.js';
import {
  START,
  MINUTE,
  scripted,
  rig,
  textOf,
  target,
  nothing,
} from '../../../test/harness/strategy-rig.js';

describe('hooks', () => {
  it('see history without being able to order on it', () => {
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

  it('are made once per symbol, so that indicators do not mix markets', () => {
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

  it('see candle, position, orders, instrument and equity as numbers', () => {
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

  it('may decide on a fill, under a cause that is the same after a restart', () => {
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

  it('hear how orders end, and explain themselves to people', () => {
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

  it('are told of start and stop once, and of nothing after it', () => {
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

  it('is named with its place, has asked for nothing, and the strategy goes on', () => {
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

  it('three times within ten minutes stops the strategy, whose entries are taken back', () => {
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
    expect(world.working('TESTUSDT')).toEqual([]);
    expect(world.notes.at(-1)).toMatch(/failed: it threw 3 times within 10 minutes/);
  });

  it('three times within more than ten minutes does not', () => {
    const { definition, script } = scripted();
    const { host, close } = rig(definition);
    for (let i = 0; i < 24; i++) script.push(i % 6 === 0 ? boom : nothing);
    for (let i = 0; i < 24; i++) close(100);
    expect(host.counts.errors).toBe(4);
    expect(host.state).toBe('running');
  });

  it('while it is made is a load error', () => {
    const definition = defineStrategy({ name: 'bad', params: z.object({}), create: boom as never });
    expect(() => rig(definition)).toThrow(
      /Strategy mine \(bad\) could not be made: TypeError: boom/,
    );
  });
});

describe('settings', () => {
  it('need a stop for a size in risk', () => {
    const { definition } = scripted();
    expect(() => rig(definition, { size: { kind: 'risk-pct', percent: 1 } })).toThrow(
      /needs protect\.stop_loss_pct/,
    );
  });

  it('take sizes in per cent of equity in USDT, at the given rate of the wallet', () => {
    const { definition, script } = scripted();
    const size = { kind: 'equity-pct', percent: 50 } as const;
    const { world, close } = rig(definition, { size, usdtPerUnit: () => 0.0125 });
    script.push(target(1));
    close(2);
    // 10,000 × 0.0125 is 125 USDT; half of it at 2.
    expect(world.intents.map(textOf)).toEqual(['buy 31.25 #0/0']);
  });

  it('refuse a target while the equity is not known, and take it later', () => {
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

describe('before it is started', () => {
  const candle = { openTime: START, open: 100, high: 100, low: 100, close: 100, volume: 1 };
  const columns = CandleColumns.from([candle, { ...candle, openTime: START + MINUTE }]);

  function unstarted(definition: StrategyDefinition) {
    const world = new TestWorld([testInstrument()]);
    const size = { kind: 'notional', notional: 100 } as const;
    const symbols = ['TESTUSDT'];
    const settings = { id: 'mine', params: {}, symbols, interval: '1m', size, world } as const;
    world.price('TESTUSDT', 100);
    return { world, host: createHost({ ...settings, definition }) };
  }

  it('sees candles as history, live or not', () => {
    const { definition, script } = scripted();
    const { world, host } = unstarted(definition);
    script.push(target(1), target(1));
    host.candle('TESTUSDT', '1m', columns, 0, true);
    expect(world.intents).toEqual([]);
    host.start();
    host.candle('TESTUSDT', '1m', columns, 1, true);
    expect(world.intents).toHaveLength(1);
  });

  it('is not told a second, so that what it asks for once is not lost', () => {
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
    host.candle('TESTUSDT', '1m', columns, 0, false);
    host.second('TESTUSDT', 'last', candle);
    host.start();
    host.second('TESTUSDT', 'last', { ...candle, openTime: START + 1_000 });
    expect(world.intents).toHaveLength(1);
  });

  it('is told of a funding rate and a moved position at its start, and may act on them', () => {
    const heard: string[] = [];
    const { world, host } = unstarted(
      defineStrategy({
        name: 'facts',
        params: z.object({}),
        streams: ['funding'],
        create: () => ({
          onCandle: () => undefined,
          onStart: () => heard.push('start'),
          onFunding: (_, { rate }) => heard.push(`funding ${rate}`),
          onPosition(context, { reason }) {
            heard.push(`${reason} ${context.position.quantity}`);
            context.exit();
          },
        }),
      }),
    );
    host.candle('TESTUSDT', '1m', columns, 0, false);
    host.funding('TESTUSDT', { rate: 0.0001, nextSettlementMs: START });
    world.setPosition('TESTUSDT', fixedFromText('1'));
    host.positionMoved('TESTUSDT', 'hand');
    expect(heard).toEqual([]);
    host.start();
    expect(heard).toEqual(['start', 'funding 0.0001', 'external 1']);
    expect(world.intents.map(textOf)).toEqual(['sell 1 reduce-only #0/0']);
  });
});
