import { z } from 'zod';
import {
  defineStrategy,
  type StrategyDefinition,
} from '../../../src/strategy/contract/definition.js';
import type { StrategyContext } from '../../../src/strategy/contract/strategy-context.js';
import { Draws } from '../swarm/draws.js';

export interface WalkTraderOptions {
  readonly seed: number;
  /** The share of seconds on which something is wanted. */
  readonly activity: number;
  /** Until when anything is wanted, venue ms. */
  readonly until: () => number;
}

/**
 * Wants at random what a strategy can want, by a hash of seed, symbol and second: seconds, since a walk
 * is short and keeps the venue's time, by which lists lag.
 */
export const walkTrader = ({ seed, activity, until }: WalkTraderOptions): StrategyDefinition =>
  defineStrategy({
    name: 'walker',
    params: z.object({}),
    streams: ['seconds'],
    create: () => ({
      warmup: 1,
      onCandle() {
        // Too seldom.
      },
      onSecond(context, { openTime, close }) {
        if (context.time >= until()) return;
        const draws = new Draws(seed, `${context.symbol} ${openTime}`);
        if (draws.chance(activity, 'acts')) draws.pick(ACTIONS, 'act')(context, draws, close);
      },
    }),
  });

type TraderAction = (context: StrategyContext, draws: Draws, price: number) => void;

const sideOf = (draws: Draws): 'buy' | 'sell' => draws.pick(['buy', 'sell'] as const, 'side');

const reverse: TraderAction = (context, draws) => {
  const { quantity } = context.position;
  const sign = quantity === 0 ? draws.pick([1, -1], 'sign') : -Math.sign(quantity);
  context.target(sign * draws.pick([1, 0.6], 'size'));
};

const leaveOrEnter: TraderAction = (context, draws) => {
  if (context.position.quantity !== 0) context.exit();
  else context.enter({ side: sideOf(draws), conviction: draws.pick([0.4, 1], 'conviction') });
};

const rest: TraderAction = (context, draws, price) => {
  const side = sideOf(draws);
  const away = draws.pick([0.0002, 0.0006, 0.002], 'away');
  context.limit({ side, price: price * (1 + (side === 'buy' ? -away : away)) });
};

const cancelOne: TraderAction = (context, draws) => {
  const { orders } = context;
  if (orders.length > 0) context.cancel(draws.pick(orders, 'order').key);
};

const ACTIONS: readonly TraderAction[] = [
  reverse,
  reverse,
  leaveOrEnter,
  leaveOrEnter,
  rest,
  cancelOne,
];
