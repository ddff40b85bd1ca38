import { assert } from '../../core/assert.js';
import type { Candle, CandlePrice } from '../../core/candle.js';
import { numberFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { MarketStream } from '../definition.js';
import { carryOut, POLICY_TEXTS, type ErrorPolicy } from './error-policy.js';
import { EventQueue } from './event-queue.js';
import { Exits } from '../exits.js';
import { Failures } from './failures.js';
import type { StrategyForm } from '../form/form.js';
import { HookTimers } from './hook-timers.js';
import { HostOutbox } from './host-outbox.js';
import type { Lane } from '../lane.js';
import { makeForm } from '../form/make-form.js';
import { OrderDesk, type HostCounts } from '../order-desk.js';
import { ROUNDS, SeenCandles, seriesOf } from './seen-candles.js';
import type { StateWrite } from './state-cell.js';
import { Step, type CloseOf } from './step.js';
import { checkIntervals, checkSettings, equityUsdt } from './strategy-host.js';
import type {
  FarHostOptions,
  HostOptions,
  HostState,
  HostWatch,
  StrategyHost,
} from './strategy-host.js';
import type { StreamEnds } from '../form/stream-form.js';
import { Trader } from '../trader.js';
import { SeenPrices } from '../size/volatility.js';
import { mergedNeeds } from './warm-up-needs.js';
import type { FillEvent, FundingFact, OrderEnd, StrategyWorld } from '../world.js';

export type { HostOptions, HostState, StrategyHost } from './strategy-host.js';

/** @throws StrategyLoadError when the strategy cannot be made with these settings */
export const createHost = (options: HostOptions | FarHostOptions): StrategyHost =>
  new Host(options);

/** A call of the strategy that is no candle. */
interface Call {
  readonly hook: string;
  readonly cause: Cause;
  /** Whose state the hook may change; absent: any. */
  readonly symbol?: string;
  /** What the strategy is shown is over: its state stays as it was. */
  readonly history?: boolean;
  readonly closeOf?: CloseOf;
}

class Host implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  readonly hearsRounds: boolean;
  readonly streams: readonly MarketStream[];
  readonly counts: HostCounts;
  readonly #world: StrategyWorld;
  readonly #desk: OrderDesk;
  readonly #trader: Trader;
  readonly #form: StrategyForm;
  readonly #step: Step;
  readonly #outbox: HostOutbox;
  readonly #failures: Failures;
  readonly #exits: Exits;
  readonly #prices: SeenPrices | undefined;
  readonly #onError: ErrorPolicy;
  readonly #watch: HostWatch | undefined;
  readonly #queue = new EventQueue();
  readonly #timers: HookTimers;
  /** As believed before the last change. */
  readonly #positions = new Map<string, Quantity>();
  /** Of the last candle: most strategies have one symbol. */
  #lane: Lane | undefined;
  readonly #isStateful: boolean;
  /** Only of a strategy with durable state. */
  readonly #seen: SeenCandles | undefined;
  #state: HostState = 'running';
  /** The strategy listens, to history first. */
  #opened = false;
  /** Orders may be given. */
  #started = false;
  /** The last candle or second was a live one, after the start: only then is anything ordered. */
  #live = false;

  constructor(options: HostOptions | FarHostOptions) {
    const { id, symbols, interval, world } = options;
    checkSettings(options);
    this.id = id;
    this.symbols = symbols;
    this.interval = interval;
    this.streams = options.definition.streams ?? [];
    this.#world = world;
    this.#watch = options.watch;
    this.#onError = options.onError ?? 'hold';
    this.#step = new Step(world);
    this.#timers = new HookTimers(world);
    const { protection = {}, entry = { kind: 'market' }, size } = options;
    const desk = new OrderDesk(world, { strategyId: id, interval, protection, entry });
    this.#desk = desk;
    this.counts = desk.counts;
    this.#failures = new Failures(desk);
    this.#exits = new Exits(desk);
    this.#prices = size.kind === 'volatility-pct' ? new SeenPrices(interval) : undefined;
    const volatility = (symbol: string, lookback: number): number | undefined =>
      this.#prices?.volatility(symbol, lookback);
    const equity = (): number | undefined => equityUsdt(options);
    this.#trader = new Trader({ desk, size, symbols, interval, equity, volatility });
    this.#outbox = this.#makeOutbox();
    const ends: StreamEnds = {
      failed: (error) => this.#streamFailed(error),
      completed: () => this.#end('stopped', 'its stream of intents completed'),
    };
    this.#form =
      'openForm' in options
        ? options.openForm(options, this.#outbox, ends)
        : makeForm(options, this.#outbox, ends);
    const { intervals, needs, hearsRounds } = this.#form;
    const own = size.kind === 'volatility-pct' ? [{ interval, count: size.lookback + 1 }] : [];
    this.intervals = intervals;
    this.needs = mergedNeeds([], [...needs, ...own]);
    this.hearsRounds = hearsRounds;
    this.#isStateful = this.#form.cells().length > 0;
    this.#seen = this.#isStateful ? new SeenCandles(world, symbols) : undefined;
    checkIntervals(options, [interval, ...intervals]);
    this.#checkState(options);
  }

  get state(): HostState {
    return this.#state;
  }
  get warmupCandles(): number {
    return this.needs.find(({ interval }) => interval === this.interval)?.count ?? 0;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    if (this.#state === 'failed') this.#carryOut();
    if (this.#state !== 'running') return;
    this.#open();
    for (const symbol of this.symbols) {
      this.#desk.adoptEntries(symbol);
      this.#positions.set(symbol, this.#world.position(symbol));
    }
    this.#hear('onStart', () => this.#form.start());
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
    const seen = this.#state === 'running';
    this.#queue.begin();
    const isLive = live && this.#started;
    const series = this.#seen === undefined ? '' : seriesOf(symbol, interval);
    this.#live = isLive && !this.#wasDecided(series, columns.openTime[index] as number);
    this.#step.candle(symbol, interval, columns, index);
    if (seen) this.#tellCandle(symbol, interval, columns, index);
    if (own && isLive) this.#afterCandle(symbol, columns, index);
    this.#queue.end();
    if (own && seen) this.#watch?.done(this);
  }

  /** By a life before this one; else it is decided on now, and what is kept says so. */
  #wasDecided(series: string, time: number): boolean {
    if (this.#seen === undefined) return false;
    if (this.#seen.wasDecided(series, time)) return true;
    this.#seen.see(series, time);
    return false;
  }

  #tellCandle(symbol: string, interval: Interval, columns: CandleColumns, index: number): void {
    const own = interval === this.interval;
    if (own) this.#prices?.see(symbol, columns, index);
    if (!this.#opened) this.#open();
    this.#outbox.listening = true;
    try {
      this.#form.candle(symbol, interval, columns, index);
      if (this.#mustSettle) this.#settle(symbol, !this.#live);
    } catch (error) {
      this.#threw(own ? 'onCandle' : 'onInterval', error, symbol);
    }
    this.#outbox.listening = false;
    if (this.#outbox.intents.length > 0) this.#takeIntents();
    if (this.#isStateful) this.#desk.keepState();
  }

  /** Nothing to do at most candles of most strategies: this is the hot path of a backtest. */
  get #mustSettle(): boolean {
    return this.#isStateful || this.#outbox.intents.length > 0;
  }

  /** What waits is tried again, and exits that the venue does not know are seen to. */
  #afterCandle(symbol: string, columns: CandleColumns, index: number): void {
    if (!this.#trades) return;
    if (this.#lane?.symbol !== symbol) this.#lane = this.#trader.lane(symbol);
    if (this.#lane?.pending === true) this.#lane.retry(this.#step);
    if (this.#exits.isIdle || this.#lane === undefined) return;
    const [high, low, close] = [columns.high[index], columns.low[index], columns.close[index]];
    if (high === undefined || low === undefined || close === undefined) return;
    this.#exits.candle(this.#lane, { high, low, close }, this.#step);
  }

  /** Orders of it are still seen to. */
  get #trades(): boolean {
    return this.#state === 'running' || (this.#state === 'failed' && this.#onError === 'flatten');
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
    watch.candle(this, { symbol, openTime, seen: index + 1, live, started: this.#started });
  }

  round(closedAt: number, live: boolean): void {
    if (!this.hearsRounds) return;
    const { interval } = this;
    const cause: Cause = { kind: 'round', interval, closeTime: closedAt };
    const closeOf: CloseOf = (symbol) => this.#form.closeAt(symbol, closedAt);
    this.#queue.handle(() => {
      this.#live = live && this.#started && !this.#wasDecided(ROUNDS, closedAt);
      const call = { hook: 'onCandles', cause, closeOf, history: !this.#live };
      this.#call(call, () => this.#form.round(closedAt));
    });
  }

  revision(symbol: string, candle: Candle): void {
    const key = `revision:${symbol}:${candle.openTime}`;
    this.#queue.handle(() => {
      const call = { hook: 'onRevision', cause: this.#timerCause(key), symbol };
      this.#call(call, () => this.#form.revision(symbol, { ...candle }));
    });
  }

  second(symbol: string, price: CandlePrice, candle: Candle): void {
    const cause: Cause = { kind: 'second', symbol, price, openTime: candle.openTime };
    const call = { hook: 'onSecond', cause, symbol };
    this.#hearLive(call, () => this.#form.second(symbol, { ...candle, price }));
  }

  markCandle(symbol: string, candle: Candle): void {
    const cause: Cause = { kind: 'mark-candle', symbol, openTime: candle.openTime };
    const call = { hook: 'onMarkCandle', cause, symbol };
    this.#hearLive(call, () => this.#form.markCandle(symbol, { ...candle }));
  }

  funding(symbol: string, fact: FundingFact): void {
    if (!this.streams.includes('funding')) return;
    const key = `funding:${symbol}:${fact.nextSettlementMs}`;
    const call = { hook: 'onFunding', cause: this.#timerCause(key), symbol };
    this.#hearLive(call, () => this.#form.funding({ symbol, ...fact }));
  }

  ticker(symbol: string, last: number, mark?: number): void {
    if (!this.#form.hearsMarket) return;
    this.#queue.handle(() => {
      const call = { hook: 'ticker$', cause: this.#timerCause(`ticker:${symbol}`), symbol };
      this.#call(call, () => this.#form.ticker(symbol, last, mark));
    });
  }

  /** There is no history of it: it may be acted on whatever the last candle was. */
  #hearLive(call: Call, run: () => void): void {
    this.#queue.handle(() => {
      this.#live = this.#started;
      this.#call(call, run);
    });
  }

  fill(fill: FillEvent): void {
    const { symbol } = fill;
    this.#queue.handle(() => {
      this.#trader.fill(fill, this.#desk.fill(fill));
      this.#exits.moved(symbol);
      const { hearsFills, hearsPositions } = this.#form;
      if (!hearsFills && !hearsPositions) return;
      const cause = this.#desk.causeOf(fill);
      if (hearsFills) this.#call({ hook: 'onFill', cause, symbol }, () => this.#form.fill(fill));
      if (hearsPositions) this.#tellPosition({ hook: 'onPosition', cause, symbol }, symbol);
    });
  }

  orderEnded(end: OrderEnd): void {
    this.#queue.handle(() => {
      if (this.#trades) this.#trader.ended(end);
      if (!this.#form.hearsOrders) return;
      const { symbol } = end.intent.terms;
      const call = { hook: 'onOrder', cause: this.#desk.causeOfEnd(end), symbol };
      this.#call(call, () => this.#form.ended(end));
    });
  }

  positionMoved(symbol: string): void {
    this.#queue.handle(() => {
      if (this.#trades) this.#trader.lane(symbol)?.moved();
      this.#exits.moved(symbol);
      const { hearsMarket, hearsPositions } = this.#form;
      if (!hearsMarket && !hearsPositions) return;
      const cause = this.#timerCause(`position:${symbol}`);
      const hook = hearsPositions ? 'onPosition' : 'position$';
      this.#tellPosition({ hook, cause, symbol }, symbol);
    });
  }

  #tellPosition(call: Call, symbol: string): void {
    const before = this.#positions.get(symbol) ?? (ZERO as Quantity);
    this.#positions.set(symbol, this.#world.position(symbol));
    this.#call(call, () => this.#form.moved(symbol, numberFromFixed(before)));
  }

  /** Also of a strategy that has ended: its entries still run out of time. */
  timer(key: string): void {
    this.#queue.handle(() => {
      if (this.#desk.timer(key)) return;
      if (this.#timers.owns(key)) this.#due(key);
      else
        this.#call({ hook: 'scheduler', cause: this.#timerCause(key) }, () =>
          this.#form.timer(key),
        );
    });
  }

  #due(timer: string): void {
    const due = this.#timers.take(timer);
    if (due === undefined) return;
    const { symbol, key, at } = due;
    this.#live = this.#started;
    const cause: Cause = { kind: 'timer', venueTime: at, key: `${symbol}:${key}` };
    this.#call({ hook: 'onTimer', cause, symbol }, () => this.#form.due(symbol, { key, at }));
  }

  lost(reason: string): void {
    this.#queue.handle(() => {
      if (this.#state !== 'running') return;
      this.counts.errors++;
      this.#end('failed', reason);
    });
  }

  stop(): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopped';
    try {
      this.#form.stop();
      this.#settle(undefined, false);
    } catch (error) {
      this.#failures.report('onStop', error);
    }
    this.#desk.keepState();
    this.#form.close();
  }

  #makeOutbox(): HostOutbox {
    return new HostOutbox({
      desk: this.#desk,
      trader: () => this.#trader,
      symbols: this.symbols,
      runs: () => this.#state === 'running',
      explain: (text) => this.#explain(text),
      timer: (symbol, at, key) => this.#timers.set(symbol, at, key),
      strayed: () => {
        const why = 'an intent came outside of any step: operators that need time take `scheduler`';
        this.#end('failed', why);
      },
    });
  }

  /** What an earlier life kept and this file cannot use ends the strategy, and it alone. */
  #checkState({ id, source, definition }: HostOptions | FarHostOptions): void {
    const fault = this.#form.cells().find((cell) => cell.fault !== undefined)?.fault;
    if (fault === undefined) return;
    const file = source ?? definition.name;
    this.#desk.say('error', `failed: the state of ${id} (${file}) cannot be used: ${fault}`);
    this.#state = 'failed';
    this.counts.errors++;
  }

  #timerCause(key: string): Cause {
    return { kind: 'timer', venueTime: this.#world.venueTime, key };
  }

  #open(): void {
    if (this.#opened) return;
    this.#opened = true;
    this.#hear('intents', () => this.#form.open());
  }

  /** A call in which the strategy may ask for nothing. */
  #hear(hook: string, call: () => void): void {
    try {
      call();
      this.#settle(undefined, false);
    } catch (error) {
      this.#threw(hook, error);
    }
    this.#desk.keepState();
  }

  /** Lets the strategy hear an event that is no candle, and takes what it asks for. */
  #call({ hook, cause, symbol, history = false, closeOf }: Call, run: () => void): void {
    if (this.#state !== 'running' || !this.#opened) return;
    this.#step.other(cause, closeOf);
    this.#outbox.listening = true;
    try {
      run();
      this.#settle(symbol, history);
    } catch (error) {
      this.#threw(hook, error, symbol);
    }
    this.#outbox.listening = false;
    if (this.#outbox.intents.length > 0) this.#takeIntents();
    this.#desk.keepState();
  }

  /** The hook has returned: takes what it did to its state. @throws RangeError */
  #settle(symbol: string | undefined, history: boolean): void {
    this.#outbox.check();
    for (const cell of this.#form.cells(symbol)) {
      if (history) cell.undo();
      else this.#carry(cell.take());
    }
  }

  #carry(write: StateWrite | undefined): void {
    if (write === undefined) return;
    const seen = this.#seen?.of(write.key);
    this.#desk.carry(seen === undefined ? write : { ...write, seen });
  }

  #explain(text: string): void {
    if (!this.#live) return;
    this.#desk.say('info', text);
    this.#step.explain(String(text));
  }

  #takeIntents(): void {
    const { intents } = this.#outbox;
    for (const intent of intents) {
      if (!this.#live || this.#state !== 'running') continue;
      this.#watch?.asked(intent);
      this.#trader.take(intent, this.#step);
    }
    intents.length = 0;
  }

  /** What a hook asked for and kept before it threw is not taken: it did not get to say all of it. */
  #threw(hook: string, error: unknown, symbol?: string): void {
    this.#outbox.clear();
    this.#desk.dropState();
    for (const cell of this.#form.cells(symbol)) cell.undo();
    const why = this.#failures.threw(hook, error);
    if (why !== undefined) this.#end('failed', why);
  }

  #streamFailed(error: unknown): void {
    this.#outbox.clear();
    this.#failures.report('its stream of intents', error);
    this.#end('failed', 'its stream of intents ended with an error');
  }

  /** The target freezes and stops stay at the venue; what could still increase is taken back. */
  #end(state: 'stopped' | 'failed', why: string): void {
    if (this.#state !== 'running') return;
    this.#state = state;
    this.#form.close();
    for (const symbol of this.symbols) this.#desk.cancelEntries(symbol);
    const policy = state === 'failed' ? this.#onError : 'hold';
    this.#desk.say('error', `${state}: ${why}. ${POLICY_TEXTS[policy]}`);
    if (state === 'failed' && this.#started) this.#carryOut();
  }

  #carryOut(): void {
    if (this.#onError === 'hold') return;
    this.#step.other(this.#timerCause('on-error'));
    carryOut(this.#onError, this.#trader.lanes, { desk: this.#desk, step: this.#step });
  }
}
