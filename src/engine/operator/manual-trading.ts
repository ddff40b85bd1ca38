import type { Ratio } from '../../core/fixed/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { HostCounts } from '../../strategy/target/order-factory.js';
import type { CandleReceiver, StrategyHost } from '../../strategy/host/strategy-host.js';
import type { StrategyInstance } from '../engine-strategy-port.js';

/** Owner of an operator's orders; part of their client order ids. */
export const OPERATOR_ID = 'operator';

/** The symbol that an operator trades. */
export interface ManualSymbol {
  readonly symbol: string;
  /** Absent: it is only reduced, which needs neither a leverage nor a price. */
  readonly leverage?: Ratio;
}

/**
 * A strategy instance without a strategy: the engine tracks the symbol's price, sets its leverage and has an
 * owner for the orders.
 */
export const manualTrading = ({ symbol, leverage }: ManualSymbol): StrategyInstance => ({
  id: OPERATOR_ID,
  symbols: [symbol],
  interval: INTERVAL,
  ...(leverage !== undefined && { leverage }),
  create: () => new ManualTradingHost([symbol]),
});

const INTERVAL: Interval = '1m';

/** Never decides: the operator does, and the engine itself tracks prices, fills and positions. */
class ManualTradingHost implements StrategyHost {
  readonly id = OPERATOR_ID;
  readonly interval = INTERVAL;
  readonly warmupCandles = 0;
  readonly intervals = [];
  readonly needs = [{ interval: INTERVAL, count: 0 }];
  readonly wantsSyncedCandles = false;
  readonly streams = [];
  readonly state = 'running';
  readonly heldTargets = [];
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

  start(): void {}
  candlesOf(): CandleReceiver {
    return { onCandle: () => {} };
  }
  onWorkerFailed(): void {}
  setFailureLocation(): void {}
  onSyncedCandles(): void {}
  onRevision(): void {}
  onFunding(): void {}
  onTicker(): void {}
  onSecond(): void {}
  onMarkCandle(): void {}
  onFill(): void {}
  onOrderEnded(): void {}
  onPositionChanged(): void {}
  onPositionChangedWhileDown(): void {}
  resume(): void {}
  onTimer(): void {}
  stop(): void {}
}
