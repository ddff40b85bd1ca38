import type { PositionMove } from '../../core/account.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import { numberFromFixed, type Quantity } from '../../core/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import { canAggregate } from '../../market/candle-aggregator.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { MarketStream, StrategyDefinition } from '../definition.js';
import type { Outbox } from '../context.js';
import type { EntryStyle } from '../entry.js';
import type { ApplyPolicy } from '../entry-settings.js';
import type { ErrorPolicy } from './error-policy.js';
import type { StrategyForm } from '../form/form.js';
import type { Intent } from '../intent.js';
import { StrategyLoadError } from '../loader/load-error.js';
import type { HostCounts } from '../order-desk.js';
import type { Protection } from '../protection.js';
import type { TradeCosts } from '../size/room.js';
import type { Size } from '../size/sizing.js';
import type { StreamEnds } from '../form/stream-form.js';
import type { CodePlace } from './failure-place.js';
import type { StrategyError } from './strategy-error.js';
import type { FillEvent, FundingFact, MovedBy, OrderEnd, StrategyWorld } from '../world.js';

/** What a host knows of a strategy whose code is elsewhere. */
export type StrategyFace = Pick<StrategyDefinition, 'name' | 'streams'>;

/** A strategy whose code is here. */
export interface HostOptions extends HostSettings {
  readonly definition: StrategyDefinition;
  /** As `parseParams` gave them. */
  readonly params: unknown;
}

/** A strategy whose code is wherever its form says. */
export interface FarHostOptions extends HostSettings {
  readonly definition: StrategyFace;
  readonly openForm: FormOpener;
}

/** @throws StrategyLoadError when the strategy cannot be made with these settings */
export type FormOpener = (settings: HostSettings, outbox: Outbox, ends: StreamEnds) => StrategyForm;

export interface HostSettings {
  /** From the config; part of every client order id. */
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Of the candles that all others are made of. Default: 1m. */
  readonly base?: Interval;
  readonly size: Size;
  readonly protection?: Protection;
  /** Default: market. */
  readonly entry?: EntryStyle;
  /** Decimal text, for people and to be compared at the next start. */
  readonly leverage?: string;
  /** When a changed size or stop counts for an open position. Default: from its next entry on. */
  readonly apply?: ApplyPolicy;
  /** What becomes of its position when it has failed. Default: hold. */
  readonly onError?: ErrorPolicy;
  /** Where its code comes from, for messages. */
  readonly source?: string;
  readonly world: StrategyWorld;
  /**
   * USDT per unit of the wallet's currency, for sizes in per cent of equity; undefined when not known.
   * Default: 1 in USDT, not known in INR.
   */
  readonly usdtPerUnit?: () => number | undefined;
  /** For sizes that follow the equity. Absent: they are not bounded by what it can pay for. */
  readonly costs?: TradeCosts;
  /** For whoever explains a run afterwards. */
  readonly watch?: HostWatch;
}

/** Told what a host does with its candles; must not act on anything. */
export interface HostWatch {
  /** Before the strategy sees it, or does not because it has ended. */
  candle(host: StrategyHost, candle: WatchedCandle): void;
  /** Before the intent is taken. */
  asked(intent: Intent): void;
  /** The candle has been handled; not said of one that the strategy did not see. */
  done(host: StrategyHost): void;
}

export interface WatchedCandle {
  readonly symbol: string;
  readonly openTime: number;
  /** Candles of the symbol so far, this one among them. */
  readonly seen: number;
  /** Not history. */
  readonly live: boolean;
  /** Orders may be given. */
  readonly started: boolean;
}

/** Stopped: it is no longer called. Failed: so by its errors. */
export type HostState = 'running' | 'stopped' | 'failed';

/** One configured strategy, as the engine drives it. Events may come while a submit is on its way. */
export interface StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Closed candles that the strategy wants to see before it acts. */
  readonly warmupCandles: number;
  /** Candles of other intervals that it sees, longest first. */
  readonly intervals: readonly Interval[];
  /** The warm-up by interval, the own one and every other among them. */
  readonly needs: readonly WarmUpNeed[];
  /** Its symbols' candles are brought together by close time, and `round` after them. */
  readonly hearsRounds: boolean;
  /** What it asks for beside candles and tickers; nothing else of it is brought here. */
  readonly streams: readonly MarketStream[];
  readonly state: HostState;
  readonly counts: Readonly<HostCounts>;
  /** The errors of its code, the oldest first; of each kind one. */
  readonly errors: readonly StrategyError[];
  /** After reconciliation: from here on orders may be given. */
  start(): void;
  /**
   * Candles of other intervals than `interval` and `intervals` are passed over. Those that are not
   * `live`, or come before `start`, are history: the strategy sees them and orders nothing.
   */
  candle(
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
    live: boolean,
  ): void;
  /** What closed then has been told of every symbol, or is late. Of the own interval alone. */
  round(closedAt: number, live: boolean): void;
  /** A closed candle of the own base has come again with other values; what was seen stays. */
  revision(symbol: string, candle: Candle): void;
  /** Open times ascend. Always live: orders may be given on it once `start` was called. */
  second(symbol: string, price: CandlePrice, candle: Candle): void;
  /** A closed minute of mark prices. As above. */
  markCandle(symbol: string, candle: Candle): void;
  /** For those who ask for it. As above. */
  funding(symbol: string, fact: FundingFact): void;
  ticker(symbol: string, last: number, mark?: number): void;
  /** The world's position has the fill in it. */
  fill(fill: FillEvent): void;
  /** The world no longer lists the order. */
  orderEnded(end: OrderEnd): void;
  /** A change that no order of this strategy explains. @param cause absent: `external` */
  positionMoved(symbol: string, by: MovedBy, cause?: PositionMove): void;
  /**
   * The same, while no process of ours ran, also before `start`: durable at once.
   * @param before as the journal left it, signed
   */
  movedWhileDown(symbol: string, before: Quantity, why?: string): void;
  /** A person's word: what moved the position of a symbol is over. */
  resume(symbol: string): void;
  timer(key: string): void;
  /** Nothing of its code runs any more, for a reason that lies outside of it: it has failed. */
  lost(reason: string): void;
  /** Where it was when it was lost, found out afterwards. */
  located(place: CodePlace): void;
  stop(): void;
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

type EquityFacts = Pick<HostSettings, 'world' | 'usdtPerUnit'>;

/** Equity as sizes need it. */
export function equityUsdt({ world, usdtPerUnit }: EquityFacts): number | undefined {
  const equity = world.equity();
  const rate = usdtPerUnit === undefined ? defaultRate(world) : usdtPerUnit();
  return equity === undefined || rate === undefined ? undefined : numberFromFixed(equity) * rate;
}

const defaultRate = ({ currency }: StrategyWorld): number | undefined =>
  currency === 'USDT' ? 1 : undefined;
