import type { Ratio } from '../../core/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { HostCounts } from '../../strategy/order-desk.js';
import type { StrategyHost } from '../../strategy/host/strategy-host.js';
import type { StrategySeat } from '../seat-world.js';

/** Owner of the orders that a person gives by hand; part of their client order ids. */
export const OPERATOR_ID = 'operator';

/** The symbol that a person is about to trade, at the leverage it shall have. */
export interface OperatorDesk {
  readonly symbol: string;
  readonly leverage: Ratio;
}

/**
 * A seat without a strategy: the engine watches the symbol's price, sees to its leverage, and has an
 * owner for its orders.
 */
export const operatorSeat = ({ symbol, leverage }: OperatorDesk): StrategySeat => ({
  id: OPERATOR_ID,
  symbols: [symbol],
  interval: INTERVAL,
  leverage,
  create: () => new OperatorHost([symbol]),
});

const INTERVAL: Interval = '1m';

/** Wants nothing of its own accord. */
class OperatorHost implements StrategyHost {
  readonly id = OPERATOR_ID;
  readonly interval = INTERVAL;
  readonly warmupCandles = 0;
  readonly intervals = [];
  readonly needs = [{ interval: INTERVAL, count: 0 }];
  readonly hearsRounds = false;
  readonly streams = [];
  readonly state = 'running';
  readonly errors = [];
  readonly counts: Readonly<HostCounts> = {
    decisions: 0,
    intents: 0,
    refused: 0,
    waited: 0,
    errors: 0,
  };
  readonly symbols: readonly string[];

  constructor(symbols: readonly string[]) {
    this.symbols = symbols;
  }

  start(): void {
    // The person starts.
  }
  candle(): void {
    // The engine keeps its price.
  }
  lost(): void {
    // It has no code.
  }
  located(): void {
    // As above.
  }
  round(): void {
    // As above.
  }
  revision(): void {
    // As above.
  }
  funding(): void {
    // It asks for none.
  }
  ticker(): void {
    // As above.
  }
  second(): void {
    // It asks for none.
  }
  markCandle(): void {
    // As above.
  }
  fill(): void {
    // The engine books it and tells it.
  }
  orderEnded(): void {
    // As above.
  }
  positionMoved(): void {
    // As above.
  }
  movedWhileDown(): void {
    // As above.
  }
  resume(): void {
    // It has no target.
  }
  timer(): void {
    // It sets none.
  }
  stop(): void {
    // There is nothing to stop.
  }
}
