import type { PositionChangeReason } from '../../core/account.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import { numberFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { canAggregate } from '../../market/candles/candle-aggregator.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { MarketStream, StrategyDefinition } from '../contract/definition.js';
import type { IntentSink } from '../contract/context.js';
import type { EntryStyle } from '../contract/entry-style.js';
import type { ApplyPolicy } from '../contract/entry-settings.js';
import type { ErrorPolicy } from './error-policy.js';
import type { StrategyAdapter } from '../adapter/strategy-adapter.js';
import type { Intent } from '../contract/intent.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { HostCounts } from '../target/order-factory.js';
import type { Protection } from '../contract/protection.js';
import type { TradeCosts } from '../target/size/affordable-notional.js';
import type { Size } from '../target/size/sizing.js';
import type { StreamEndHandlers } from '../adapter/observable-adapter.js';
import type { SourceLocation } from './failure-location.js';
import type { StrategyError } from './strategy-error.js';
import type {
  FillEvent,
  NextFunding,
  ExternalChangeSource,
  OrderEnd,
  StrategyPort,
} from '../contract/strategy-port.js';

/** Metadata of a strategy whose code runs on a worker. */
export type StrategyMetadata = Pick<StrategyDefinition, 'name' | 'streams'>;

/** Options of a strategy whose code runs on the engine's thread. */
export interface HostOptions extends HostSettings {
  readonly definition: StrategyDefinition;
  /** Result of `parseParams`. */
  readonly params: unknown;
}

/** Options of a strategy whose code runs where its adapter puts it. */
export interface WorkerHostOptions extends HostSettings {
  readonly definition: StrategyMetadata;
  readonly openAdapter: AdapterOpener;
}

/** @throws StrategyLoadError when the strategy cannot be created with these settings */
export type AdapterOpener = (
  settings: HostSettings,
  intentSink: IntentSink,
  streamEnd: StreamEndHandlers,
) => StrategyAdapter;

export interface HostSettings {
  /** Id in the config; part of every client order id. */
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Interval of the candles that all others are aggregated from. Default: 1m. */
  readonly base?: Interval;
  readonly size: Size;
  readonly protection?: Protection;
  /** Default: market. */
  readonly entry?: EntryStyle;
  /** Decimal text, for people and for comparison at the next start. */
  readonly leverage?: string;
  /** When a changed size or stop applies to an open position. Default: from its next entry on. */
  readonly apply?: ApplyPolicy;
  /** Treatment of its position after it has failed. Default: hold. */
  readonly onError?: ErrorPolicy;
  /** Source of its code, for messages. */
  readonly source?: string;
  readonly port: StrategyPort;
  /**
   * USDT per unit of the wallet's currency, for sizes in per cent of equity; undefined when not known.
   * Default: 1 in USDT, not known in INR.
   */
  readonly usdtPerUnit?: () => number | undefined;
  /** Costs for sizes that follow the equity. Absent: such a size is not bounded. */
  readonly costs?: TradeCosts;
  readonly observer?: HostObserver;
}

/** Observes a host's candles and intents, to explain a run; must not act. */
export interface HostObserver {
  /** Before the strategy handles the candle; also when it has ended and does not handle it. */
  onCandle(host: StrategyHost, candle: ObservedCandle): void;
  /** Before the intent is resolved. */
  onIntent(intent: Intent): void;
  /** The strategy has handled the candle. */
  onCandleHandled(host: StrategyHost): void;
}

export interface ObservedCandle {
  readonly symbol: string;
  readonly openTime: number;
  /** Candles of the symbol so far, this one included. */
  readonly candleCount: number;
  /** Not history. */
  readonly isLive: boolean;
  /** Orders may be placed. */
  readonly isStarted: boolean;
}

/** `stopped`: the strategy is no longer called. `failed`: the same, because of its errors. */
export type HostState = 'running' | 'stopped' | 'failed';

/** The closed candles of one symbol, on their way to a strategy. */
export interface CandleReceiver {
  /**
   * Ignores candles of other intervals than `interval` and `intervals` of the host. Candles that are not `live`, or
   * come before `start`, are history: the strategy handles them and orders nothing.
   */
  onCandle(interval: Interval, columns: CandleColumns, index: number, live: boolean): void;
}

/** A target whose position moved without an order of the strategy. */
export interface HeldTarget {
  readonly symbol: string;
  readonly reason: string;
}

/** One configured strategy, as the engine drives it. Events may arrive during a submit. */
export interface StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Closed candles that the strategy needs before it acts. */
  readonly warmupCandles: number;
  /** Other intervals that it handles, longest first. */
  readonly intervals: readonly Interval[];
  /** Warm-up of each interval, the own one included. */
  readonly needs: readonly WarmUpRequirement[];
  /** `onSyncedCandles` is called after the candles of all symbols of one close time. */
  readonly wantsSyncedCandles: boolean;
  /** Market data beside candles and tickers; no other is delivered. */
  readonly streams: readonly MarketStream[];
  readonly state: HostState;
  readonly counts: Readonly<HostCounts>;
  /** Targets that it may repeat without effect, until it requests another one or an operator resumes. */
  readonly heldTargets: readonly HeldTarget[];
  /** The errors of its code, one of each kind, the oldest first. */
  readonly errors: readonly StrategyError[];
  /** Called after reconciliation: orders may be placed from here on. */
  start(): void;
  /** Where the closed candles of one of its symbols go. */
  candlesOf(symbol: string): CandleReceiver;
  /** Every symbol's candle of the own interval and this close time has arrived or is late. */
  onSyncedCandles(closedAt: number, live: boolean): void;
  /** A closed base candle has arrived again with other values; history keeps the first. */
  onRevision(symbol: string, candle: Candle): void;
  /** Open times ascend. Always live: orders may be placed on it after `start`. */
  onSecond(symbol: string, price: CandlePrice, candle: Candle): void;
  /** A closed minute of mark prices, as `onSecond`. */
  onMarkCandle(symbol: string, candle: Candle): void;
  /** Ignored unless `streams` has `funding`. */
  onFunding(symbol: string, nextFunding: NextFunding): void;
  onTicker(symbol: string, last: number, mark?: number): void;
  /** The port's position includes the fill. */
  onFill(fill: FillEvent): void;
  /** The port no longer lists the order. */
  onOrderEnded(end: OrderEnd): void;
  /** A change that no order of this strategy made. @param cause default: `external` */
  onPositionChanged(symbol: string, by: ExternalChangeSource, cause?: PositionChangeReason): void;
  /**
   * A change while the bot was down, also before `start`: durable at once.
   * @param before signed position in the journal
   */
  onPositionChangedWhileDown(symbol: string, before: Quantity, why?: string): void;
  /** An operator ends the hold of a symbol's target. */
  resume(symbol: string): void;
  onTimer(key: string): void;
  /** The worker of its code is gone: the strategy has failed. */
  onWorkerFailed(reason: string): void;
  /** Location of its code when the worker failed, found afterwards. */
  setFailureLocation(place: SourceLocation): void;
  /** @param exits reductions that it has decided; absent: `freeze` */
  stop(exits?: 'freeze' | 'finish'): void;
}

/** @throws StrategyLoadError */
export function checkSettings({ id, symbols, size, protection }: HostSettings): void {
  if (symbols.length === 0) throw new StrategyLoadError(`Strategy ${id} has no symbols`);
  const stop = protection?.stopLossPct ?? protection?.trailingPct;
  if (size.kind === 'risk-pct' && stop === undefined)
    throw new StrategyLoadError(
      `Strategy ${id}: size.risk_pct is the loss at the stop, so it needs protect.stop_loss_pct`,
    );
}

/** @throws StrategyLoadError */
export function checkIntervals(
  { id, base = '1m' }: HostSettings,
  intervals: readonly Interval[],
): void {
  const wrong = intervals.find((interval) => !canAggregate(base, interval));
  if (wrong === undefined) return;
  const advice = wrong === '1s' ? "; seconds come with streams: ['seconds'] and onSecond" : '';
  throw new StrategyLoadError(
    `Strategy ${id}: ${wrong} candles cannot be made of the ${base} candles that there are${advice}`,
  );
}

type EquityFacts = Pick<HostSettings, 'port' | 'usdtPerUnit'>;

/** Equity in USDT, for sizes. */
export function usdtEquityOf({ port, usdtPerUnit }: EquityFacts): number | undefined {
  const equity = port.equity();
  const rate = usdtPerUnit === undefined ? defaultRate(port) : usdtPerUnit();
  return equity === undefined || rate === undefined ? undefined : numberFromFixed(equity) * rate;
}

const defaultRate = ({ currency }: StrategyPort): number | undefined =>
  currency === 'USDT' ? 1 : undefined;
