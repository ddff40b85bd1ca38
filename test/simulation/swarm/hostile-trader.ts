import { z } from 'zod';
import type { StrategyHooks } from '../../../src/strategy/contract/hooks.js';
import type { StrategyContext } from '../../../src/strategy/contract/strategy-context.js';
import {
  defineStrategy,
  type StrategyDefinition,
} from '../../../src/strategy/contract/definition.js';
import { Draws } from './draws.js';
import type { TraderOptions } from './trader.js';

/** Strategies that would ruin their owner without a gate. */
export const NATURES = ['random', 'contrary', 'flooding', 'doubling'] as const;
export type Nature = (typeof NATURES)[number];

/** A flood ends with its candle, so that a seed ends too. */
const MOST_PER_CANDLE = 10;

type HostileHooks = Pick<StrategyHooks, 'onFill' | 'onOrder' | 'onPosition'> & {
  readonly onCandle: (context: StrategyContext, draws: Draws) => void;
};

/** A strategy of this nature. It decides by a hash of seed, symbol and candle, and by its fills. */
export const hostileTraderOf = (
  nature: Nature,
  { seed, until, onCandleSeen }: TraderOptions,
): StrategyDefinition =>
  defineStrategy({
    name: 'swarm',
    params: z.object({}),
    create() {
      const isOver = (context: StrategyContext): boolean => context.time >= until();
      const { onCandle, onFill, onOrder, onPosition } = CREATE[nature](isOver);
      return {
        warmup: 1,
        onCandle(context) {
          const { openTime, open, high, low, close, volume } = context.candle;
          onCandleSeen(context.symbol, { openTime, open, high, low, close, volume });
          if (!isOver(context)) onCandle(context, new Draws(seed, `${context.symbol} ${openTime}`));
        },
        ...(onFill && { onFill }),
        ...(onOrder && { onOrder }),
        ...(onPosition && { onPosition }),
      };
    },
  });

type IsOver = (context: StrategyContext) => boolean;

const CREATE: Readonly<Record<Nature, (isOver: IsOver) => HostileHooks>> = {
  random: () => ({ onCandle: askForAnything }),
  contrary,
  flooding,
  doubling,
};

/** Base units for so many USDT. */
const unitsFor = ({ candle }: StrategyContext, usdt: number): number => usdt / candle.close;

/** Any side, size and price, sane or not. */
function askForAnything(context: StrategyContext, draws: Draws): void {
  const side = draws.pick(['buy', 'sell'] as const, 'side');
  const sign = side === 'buy' ? 1 : -1;
  const usdt = draws.pick([20, 60, 140, 300, 1_000, 50_000, 1e9], 'usdt');
  const quantity = unitsFor(context, usdt);
  const away = draws.pick([-0.3, -0.004, -0.0004, 0.0004, 0.004, 0.3], 'away');
  const price = context.candle.close * (1 + away);
  switch (draws.pick(['target', 'enter', 'limit', 'limits', 'nonsense', 'exit'] as const, 'what')) {
    case 'target':
      context.targetQuantity(sign * quantity);
      break;
    case 'enter':
      context.enter({ side, quantity });
      break;
    case 'limit':
      context.limit({ side, price, quantity });
      break;
    case 'limits':
      for (let order = 1; order <= 6; order += 1)
        context.limit({ side, price: price * (1 - sign * order * 0.0005), quantity });
      break;
    case 'nonsense':
      context.targetQuantity(draws.pick([Number.NaN, Infinity, -1e300], 'number'));
      break;
    case 'exit':
      context.exit();
      break;
  }
}

/** The opposite of the position, and of each fill at once. */
function contrary(isOver: IsOver): HostileHooks {
  const oppose = (context: StrategyContext, sign: number): void => {
    const { symbol } = context;
    context.explain(`the opposite on ${symbol}`);
    context.targetQuantity(-sign * unitsFor(context, 140));
  };
  let left = 0;
  return {
    onCandle(context, draws) {
      left = 3;
      const held = Math.sign(context.position.quantity);
      oppose(context, held === 0 ? draws.pick([1, -1], 'side') : held);
    },
    onFill(context, fill) {
      if (isOver(context) || left === 0) return;
      left -= 1;
      oppose(context, fill.side === 'buy' ? 1 : -1);
    },
  };
}

/** An order at every event: candles, fills, ends of orders, changes of positions. */
function flooding(isOver: IsOver): HostileHooks {
  let left = 0;
  let count = 0;
  const flood = (context: StrategyContext): void => {
    if (isOver(context) || left === 0) return;
    left -= 1;
    count += 1;
    const side = count % 3 === 0 ? 'sell' : 'buy';
    const { close } = context.candle;
    const quantity = unitsFor(context, 30 + (count % 7) * 15);
    const price = close * (1 + (side === 'buy' ? -1 : 1) * 0.0004 * (1 + (count % 5)));
    context.limit({ side, price, quantity });
  };
  return {
    onCandle(context) {
      left = MOST_PER_CANDLE;
      flood(context);
      flood(context);
    },
    onFill: flood,
    onOrder: flood,
    onPosition: flood,
  };
}

/** Twice the size after each loss, without an end. */
function doubling(): HostileHooks {
  let usdt = 60;
  let entry: { readonly price: number; readonly sign: number } | undefined;
  return {
    onCandle(context, draws) {
      const { close } = context.candle;
      if (entry !== undefined) {
        usdt = (close - entry.price) * entry.sign < 0 ? usdt * 2 : 60;
        entry = undefined;
        context.exit();
        return;
      }
      const sign = draws.pick([1, -1], 'side');
      entry = { price: close, sign };
      context.targetQuantity(sign * unitsFor(context, usdt));
    },
  };
}
