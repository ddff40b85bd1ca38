import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../strategy/contract/definition.js';
import { candlesFromCloses, simulate } from '../../testing/index.js';

const holding = defineStrategy({
  name: 'holding',
  params: z.object({}),
  create: () => ({ onCandle: (context) => context.target(1) }),
});

describe('exits in a backtest', () => {
  it('a trailing stop moves and fills at the venue', () => {
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

  it('an exit of strategy code moves the stop of the entry', () => {
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

  it('max_hold closes a position that is too old', () => {
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
  ] as const)('the strategy receives the exit reason %s', (reason, closes, settings) => {
    const reasons: string[] = [];
    const strategy = defineStrategy({
      name: 'recording',
      params: z.object({}),
      create: () => ({
        onCandle: (context) => {
          context.target(1);
        },
        onPosition: (_context, change) => {
          reasons.push(`${change.before} to ${change.quantity}: ${change.reason}`);
        },
      }),
    });
    const size = { quantity: '1' };
    simulate({ strategy, candles: candlesFromCloses(closes), size, ...settings });
    expect(reasons).toEqual(['0 to 1: fill', `1 to 0: ${reason}`]);
  });
});
