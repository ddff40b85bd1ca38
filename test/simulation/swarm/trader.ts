import type { Candle } from '../../../src/core/candle.js';
import {
  defineStrategy,
  type StrategyDefinition,
} from '../../../src/strategy/contract/definition.js';
import type { StrategyContext } from '../../../src/strategy/contract/strategy-context.js';
import { z } from 'zod';
import { Draws } from './draws.js';

/** Durable state of a strategy that counts its decisions. */
export interface Counted {
  decisions: number;
  /** Open time of the candle of the last one, ms UTC. */
  at: number;
}

export interface TraderOptions {
  readonly seed: number;
  /** The share of candles on which it acts. */
  readonly activity: number;
  /** Until when it acts, venue ms: it may be moved. */
  readonly until: () => number;
  readonly onCandleSeen: (symbol: string, candle: Candle) => void;
  /** It counts its decisions, and tells of each new process what it goes on from. */
  readonly counts?: (symbol: string, state: Readonly<Counted>) => void;
}

/**
 * Wants at random what a strategy can want, by a hash of seed, symbol and candle alone: a restarted
 * process meets the same wishes on the same candles.
 */
export const traderOf = ({
  seed,
  activity,
  until,
  onCandleSeen,
  counts,
}: TraderOptions): StrategyDefinition =>
  defineStrategy({
    name: 'swarm',
    params: z.object({}),
    ...(counts !== undefined && { state: COUNTED }),
    create({ symbols: [symbol = ''], state }) {
      counts?.(symbol, state as Counted);
      return {
        warmup: 1,
        onCandle(context) {
          const { openTime, open, high, low, close, volume } = context.candle;
          onCandleSeen(context.symbol, { openTime, open, high, low, close, volume });
          if (context.time >= until()) return;
          const draws = new Draws(seed, `${context.symbol} ${openTime}`);
          if (!draws.chance(activity, 'acts')) return;
          if (counts !== undefined) count(state as Counted, openTime);
          chooseAction(context, draws);
        },
      };
    },
  });

const COUNTED = { version: 1, initial: (): unknown => ({ decisions: 0, at: 0 }) };

function count(state: Counted, openTime: number): void {
  state.decisions += 1;
  state.at = openTime;
}

type TraderAction = (context: StrategyContext, draws: Draws) => void;

/** Asks for what the position is not, so that most of it becomes an order. */
const ACTIONS: readonly TraderAction[] = [
  (context, draws) => context.target(awayFrom(context) * draws.pick([1, 0.6], 'size')),
  (context, draws) => context.target(awayFrom(context) * draws.pick([1, 0.6], 'size')),
  (context, draws) => {
    const { minQuantity, minNotional, quantityStep } = context.instrument;
    const least = Math.max(minQuantity, (1.2 * minNotional) / context.candle.close, quantityStep);
    context.targetQuantity(least * awayFrom(context) * draws.between(1, 6, 'times'));
  },
  leaveOrEnter,
  leaveOrEnter,
  rest,
  rest,
  (context, draws) => {
    const { orders } = context;
    if (orders.length > 0) context.cancel(draws.pick(orders, 'order').key);
    rest(context, draws);
  },
  (context, draws) => {
    rest(context, draws);
    context.explain('a resting order and a wish on one candle');
    context.target(draws.pick([1, -1, 0], 'and'));
  },
];

const awayFrom = ({ position, time }: StrategyContext): number =>
  position.quantity === 0 ? (time % 120_000 < 60_000 ? 1 : -1) : -Math.sign(position.quantity);

function leaveOrEnter(context: StrategyContext, draws: Draws): void {
  if (context.position.quantity !== 0) {
    context.exit();
    return;
  }
  const side = draws.pick(['buy', 'sell'] as const, 'side');
  const { close } = context.candle;
  const away = (side === 'buy' ? -1 : 1) * draws.pick([0.002, 0.01], 'stop');
  context.enter({
    side,
    conviction: draws.pick([0.4, 1], 'conviction'),
    ...(draws.chance(0.5, 'stops') && { stopLoss: close * (1 + away) }),
    ...(draws.chance(0.5, 'targets') && { takeProfit: close * (1 - away) }),
  });
}

function rest(context: StrategyContext, draws: Draws): void {
  const side = draws.pick(['buy', 'sell'] as const, 'rest side');
  const sign = side === 'buy' ? -1 : 1;
  const away = draws.pick([-0.0005, 0.0002, 0.0006, 0.002, 0.02], 'rest away');
  context.limit({ side, price: context.candle.close * (1 + sign * away) });
}

function chooseAction(context: StrategyContext, draws: Draws): void {
  draws.pick(ACTIONS, 'act')(context, draws);
}
