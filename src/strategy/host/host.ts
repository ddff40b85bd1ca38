import type { PositionMove } from '../../core/account.js';
import { assert } from '../../core/assert.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import type { Quantity } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { MarketStream } from '../definition.js';
import { EntrySettings } from '../entry-settings.js';
import { Exits } from '../exits.js';
import type { StrategyForm } from '../form/form.js';
import { makeForm } from '../form/make-form.js';
import type { StreamEnds } from '../form/stream-form.js';
import { OrderDesk, type HostCounts } from '../order-desk.js';
import { SeenPrices } from '../size/volatility.js';
import { Trader } from '../trader.js';
import type { FillEvent, FundingFact, MovedBy, OrderEnd } from '../world.js';
import { AccountTeller } from './account-teller.js';
import { CandleTeller } from './candle-teller.js';
import { EventQueue } from './event-queue.js';
import type { CodePlace } from './failure-place.js';
import { Failures } from './failures.js';
import { HookCaller } from './hook-caller.js';
import { HookTimers } from './hook-timers.js';
import { HostOutbox } from './host-outbox.js';
import { Life } from './life.js';
import { MarketTeller } from './market-teller.js';
import { SeenCandles } from './seen-candles.js';
import { causeOfNow, Step } from './step.js';
import { checkIntervals, checkSettings, equityUsdt } from './strategy-host.js';
import type {
  FarHostOptions,
  HostOptions,
  HostState,
  HostWatch,
  StrategyHost,
} from './strategy-host.js';
import type { StrategyError } from './strategy-error.js';
import { mergedNeeds } from './warm-up-needs.js';

export type { HostOptions, HostState, StrategyHost } from './strategy-host.js';

/** @throws StrategyLoadError when the strategy cannot be made with these settings */
export const createHost = (options: HostOptions | FarHostOptions): StrategyHost =>
  new Host(options);

/** Composes the parts of one strategy's host and hands each event to the one that tells of it. */
class Host implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  readonly hearsRounds: boolean;
  readonly streams: readonly MarketStream[];
  readonly counts: HostCounts;
  readonly #watch: HostWatch | undefined;
  readonly #queue: EventQueue;
  readonly #desk: OrderDesk;
  readonly #timers: HookTimers;
  readonly #form: StrategyForm;
  readonly #failures: Failures;
  readonly #life: Life;
  readonly #calls: HookCaller;
  readonly #candles: CandleTeller;
  readonly #market: MarketTeller;
  readonly #account: AccountTeller;

  constructor(options: HostOptions | FarHostOptions) {
    const { id, symbols, interval, world, size, watch } = options;
    checkSettings(options);
    this.id = id;
    this.symbols = symbols;
    this.interval = interval;
    this.streams = options.definition.streams ?? [];
    this.#watch = watch;
    const queue = new EventQueue();
    const timers = new HookTimers(world);
    this.#queue = queue;
    this.#timers = timers;
    const { protection = {}, entry = { kind: 'market' }, onError = 'hold' } = options;
    const step = new Step(world);
    const desk = new OrderDesk(world, { strategyId: id, interval, protection, entry });
    this.#desk = desk;
    this.counts = desk.counts;
    const failures = new Failures(desk, step);
    this.#failures = failures;
    const exits = new Exits(desk);
    const prices = size.kind === 'volatility-pct' ? new SeenPrices(interval) : undefined;
    const trader = new Trader({
      desk,
      size,
      symbols,
      interval,
      equity: () => equityUsdt(options),
      costs: options.costs,
      volatility: (symbol, lookback) => prices?.volatility(symbol, lookback),
    });
    const life = new Life({
      symbols,
      onError,
      desk,
      step,
      lanes: () => trader.lanes,
      silence: () => this.#form.close(),
    });
    this.#life = life;
    const outbox = new HostOutbox({ desk, trader, symbols, life, step, timers, failures });
    const ends = endsOf(outbox, failures, life);
    const form =
      'openForm' in options
        ? options.openForm(options, outbox, ends)
        : makeForm(options, outbox, ends);
    this.#form = form;
    const own = size.kind === 'volatility-pct' ? [{ interval, count: size.lookback + 1 }] : [];
    this.intervals = form.intervals;
    this.needs = mergedNeeds([], [...form.needs, ...own]);
    this.hearsRounds = form.hearsRounds;
    const seen = form.cells().length > 0 ? new SeenCandles(world, symbols) : undefined;
    checkIntervals(options, [interval, ...form.intervals]);
    this.#checkState(options);
    const calls = new HookCaller({ form, outbox, step, life, desk, trader, failures, seen, watch });
    this.#calls = calls;
    this.#candles = new CandleTeller({ interval, life, step, calls, trader, exits, seen, prices });
    this.#market = new MarketTeller({ interval, world, queue, form, life, calls, seen });
    const { apply = 'next_entry', leverage } = options;
    const entrySettings = new EntrySettings({ desk, size, apply, leverage });
    const told = { symbols, queue, form, life, calls, desk, trader, exits, entrySettings };
    this.#account = new AccountTeller(told);
  }

  get state(): HostState {
    return this.#life.state;
  }
  get errors(): readonly StrategyError[] {
    return this.#failures.errors;
  }
  get warmupCandles(): number {
    return this.needs.find(({ interval }) => interval === this.interval)?.count ?? 0;
  }

  start(): void {
    if (!this.#life.start()) return;
    this.#calls.open();
    this.#account.adopt();
    this.#calls.hear('onStart', () => this.#form.start());
    this.#queue.handle(() => this.#calls.tellFacts());
  }

  candle(
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
    live: boolean,
  ): void {
    const own = interval === this.interval;
    if (!own && !this.intervals.includes(interval)) return;
    if (own && this.#watch !== undefined)
      this.#tellWatch(this.#watch, symbol, columns, index, live);
    const { runs } = this.#life;
    this.#queue.begin();
    this.#candles.candle(symbol, interval, columns, index, live);
    this.#queue.end();
    if (own && runs) this.#watch?.done(this);
  }

  #tellWatch(
    watch: HostWatch,
    symbol: string,
    columns: CandleColumns,
    index: number,
    live: boolean,
  ): void {
    const openTime = columns.openTime[index];
    assert(openTime !== undefined, 'A candle has its row');
    const { started } = this.#life;
    watch.candle(this, { symbol, openTime, seen: index + 1, live, started });
  }

  round(closedAt: number, live: boolean): void {
    if (this.hearsRounds) this.#market.round(closedAt, live);
  }
  revision(symbol: string, candle: Candle): void {
    this.#market.revision(symbol, candle);
  }
  second(symbol: string, price: CandlePrice, candle: Candle): void {
    this.#market.second(symbol, price, candle);
  }
  markCandle(symbol: string, candle: Candle): void {
    this.#market.markCandle(symbol, candle);
  }
  funding(symbol: string, fact: FundingFact): void {
    if (this.streams.includes('funding')) this.#market.funding(symbol, fact);
  }
  ticker(symbol: string, last: number, mark?: number): void {
    if (this.#form.hearsMarket) this.#market.ticker(symbol, last, mark);
  }

  fill(fill: FillEvent): void {
    this.#account.fill(fill);
  }
  orderEnded(end: OrderEnd): void {
    this.#account.orderEnded(end);
  }
  positionMoved(symbol: string, by: MovedBy, cause?: PositionMove): void {
    this.#account.positionMoved(symbol, by, cause);
  }
  movedWhileDown(symbol: string, before: Quantity, why?: string): void {
    this.#account.movedWhileDown(symbol, before, why);
  }
  resume(symbol: string): void {
    this.#account.resume(symbol);
  }

  /** Also of a strategy that has ended: its entries still run out of time. */
  timer(key: string): void {
    this.#queue.handle(() => {
      if (this.#desk.timer(key) || this.#account.timer(key)) return;
      if (this.#timers.owns(key)) this.#due(key);
      else {
        const cause = causeOfNow(this.#desk.world, key);
        const call = { hook: 'scheduler', cause, history: !this.#life.started };
        this.#calls.call(call, () => this.#form.timer(key));
      }
    });
  }

  #due(timer: string): void {
    const due = this.#timers.take(timer);
    if (due === undefined) return;
    const { symbol, key, at } = due;
    const cause: Cause = { kind: 'timer', venueTime: at, key: `${symbol}:${key}` };
    this.#calls.fact({ hook: 'onTimer', cause, symbol }, () => this.#form.due(symbol, { key, at }));
  }

  lost(reason: string): void {
    this.#queue.handle(() => {
      if (!this.#life.runs) return;
      this.#failures.note(reason);
      this.#life.end('failed', reason);
    });
  }

  located(place: CodePlace): void {
    this.#failures.located(place);
  }

  stop(): void {
    if (!this.#life.runs) return;
    this.#life.stop();
    this.#calls.stop();
  }

  /** What an earlier life kept and this file cannot use ends the strategy, and it alone. */
  #checkState({ id, source, definition }: HostOptions | FarHostOptions): void {
    const fault = this.#form.cells().find((cell) => cell.fault !== undefined)?.fault;
    if (fault === undefined) return;
    const file = source ?? definition.name;
    const why = `the state of ${id} (${file}) cannot be used: ${fault}`;
    this.#failures.note(why);
    this.#life.failAtOnce(why);
  }
}

const endsOf = (outbox: HostOutbox, failures: Failures, life: Life): StreamEnds => ({
  failed: (error) => {
    outbox.clear();
    failures.report('its stream of intents', error);
    life.end('failed', 'its stream of intents ended with an error');
  },
  completed: () => life.end('stopped', 'its stream of intents completed'),
});
