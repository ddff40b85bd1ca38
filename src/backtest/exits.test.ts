import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../strategy/definition.js';
import { candlesFromCloses, simulate } from './testing.js';

const holding = defineStrategy({
  name: 'holding',
  params: z.object({}),
  create: () => ({ onCandle: (context) => context.target(1) }),
});

describe('exits in a backtest', () => {
  it('trail at the venue, and fill there', () => {
    const { fills } = simulate({
      strategy: holding,
      candles: candlesFromCloses([100, 100, 110, 120, 119, 115, 112, 111, 110]),
      size: { quantity: '1' },
      protect: { trailing_pct: 5 },
    });
    expect(fills.map(({ side, price }) => [side, price])).toEqual([
      ['buy', 100],
      ['sell', 114],
    ]);
  });

  it('of code move the stop that the entry brought', () => {
    const strategy = defineStrategy({
      name: 'code',
      params: z.object({}),
      create: () => ({
        onCandle(context) {
          context.target(1);
          if (context.position.quantity > 0 && context.candle.close >= 110)
            context.protect({ stopLoss: 104, takeProfit: 150 });
        },
      }),
    });
    const { fills, errors } = simulate({
      strategy,
      candles: candlesFromCloses([100, 100, 110, 108, 101, 100]),
      size: { quantity: '1' },
      protect: { stop_loss_pct: 10 },
    });
    expect(errors).toEqual([]);
    expect(fills.map(({ side, price }) => [side, price])).toEqual([
      ['buy', 100],
      ['sell', 104],
    ]);
  });

  it('close a position that is too old', () => {
    const { fills } = simulate({
      strategy: holding,
      candles: candlesFromCloses([100, 101, 102, 103, 104, 105, 106]),
      size: { quantity: '1' },
      protect: { max_hold: '3m' },
    });
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
  });

  it.each([
    ['stop_loss', [100, 100, 90, 80], { protect: { stop_loss_pct: 5 } }],
    ['take_profit', [100, 100, 110, 120], { protect: { take_profit_pct: 5 } }],
    ['liquidation', [100, 100, 60, 40], { leverage: 2, cash: 60 }],
  ] as const)('tell the strategy of a %s as what it is', (reason, closes, settings) => {
    const heard: string[] = [];
    const strategy = defineStrategy({
      name: 'hears',
      params: z.object({}),
      create: () => ({
        onCandle: (context) => {
          context.target(1);
        },
        onPosition: (_context, change) => {
          heard.push(`${change.before} to ${change.quantity}: ${change.reason}`);
        },
      }),
    });
    const size = { quantity: '1' };
    simulate({ strategy, candles: candlesFromCloses(closes), size, ...settings });
    expect(heard).toEqual(['0 to 1: fill', `1 to 0: ${reason}`]);
  });
});
