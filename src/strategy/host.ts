import { assert } from '../core/assert.js';
import type { Candle, CandlePrice } from '../core/candle.js';
import type { Cause } from '../core/intent.js';
import type { Interval } from '../core/interval.js';
import type { CandleColumns } from '../market/candle-columns.js';
import type { MarketStream } from './definition.js';
import { failureText } from './failure-place.js';
import type { StrategyForm } from './form.js';
import type { Intent } from './intent.js';
import type { Lane } from './lane.js';
import { makeForm } from './make-form.js';
import { OrderDesk, type HostCounts } from './order-desk.js';
import { checkSettings, equityUsdt } from './strategy-host.js';
import type { HostOptions, HostState, HostWatch, StrategyHost } from './strategy-host.js';
import { Step } from './step.js';
import { Trader } from './trader.js';
import type { FillEvent, OrderEnd, StrategyWorld } from './world.js';

export type { HostOptions, HostState, StrategyHost } from './strategy-host.js';

/** Hazard M1: so many throws within so many venue ms stop a strategy. */
const MAX_THROWS = 3;
const THROWS_WITHIN_MS = 10 * 60_000;

/** @throws StrategyLoadError when the strategy cannot be made with these settings */
export const createHost = (options: HostOptions): StrategyHost => new Host(options);

class Host implements StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly streams: readonly MarketStream[];
  readonly counts: HostCounts;
  readonly #world: StrategyWorld;
  readonly #desk: OrderDesk;
  readonly #trader: Trader;
  readonly #form: StrategyForm;
  readonly #step: Step;
  readonly #intents: Intent[] = [];
  readonly #watch: HostWatch | undefined;
  readonly #later: (() => void)[] = [];
  readonly #throws: number[] = [];
  /** Of the last candle: most strategies have one symbol. */
  #lane: Lane | undefined;
  #state: HostState = 'running';
  /** The strategy listens, to history first. */
  #opened = false;
  /** Orders may be given. */
  #started = false;
  /** The last candle or second was a live one, after the start: only then is anything ordered. */
  #live = false;
  /** A step is being handled: what arrives meanwhile waits. */
  #busy = false;
  /** The strategy is being called: what it asks for belongs to the step. */
  #listening = false;

  constructor(options: HostOptions) {
    const { id, symbols, interval, world } = options;
    checkSettings(options);
    this.id = id;
    this.symbols = symbols;
    this.interval = interval;
    this.streams = options.definition.streams ?? [];
    this.#world = world;
    this.#watch = options.watch;
    this.#step = new Step(world);
    const { protection = {}, entry = { kind: 'market' }, size } = options;
    const desk = new OrderDesk(world, { strategyId: id, interval, protection, entry });
    this.#desk = desk;
    this.counts = desk.counts;
    this.#trader = new Trader({ desk, size, symbols, equity: () => equityUsdt(options) });
    this.#form = this.#makeForm(options);
  }

  get state(): HostState {
    return this.#state;
  }

  get warmupCandles(): number {
    return this.#form.warmupCandles;
  }

  start(): void {
    if (this.#started || this.#state !== 'running') return;
    this.#started = true;
    this.#open();
    for (const symbol of this.symbols) this.#desk.adoptEntries(symbol);
    this.#hear('onStart', () => this.#form.start());
  }

  candle(
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
    live: boolean,
  ): void {
    if (interval !== this.interval) return;
    if (this.#watch !== undefined) this.#tellWatch(this.#watch, symbol, columns, index, live);
    if (this.#state !== 'running') return;
    if (!this.#opened) this.#open();
    assert(!this.#busy, 'A candle comes between steps');
    this.#live = live && this.#started;
    this.#step.candle(symbol, interval, columns, index);
    this.#busy = true;
    this.#listening = true;
    try {
      this.#form.candle(symbol, columns, index);
    } catch (error) {
      this.#threw('onCandle', error);
    }
    this.#listening = false;
    if (this.#intents.length > 0) this.#takeIntents();
    if (this.#live && this.#state === 'running') {
      if (this.#lane?.symbol !== symbol) this.#lane = this.#trader.lane(symbol);
      if (this.#lane?.pending === true) this.#lane.retry(this.#step);
    }
    this.#busy = false;
    if (this.#later.length > 0) this.#catchUp();
    this.#watch?.done(this);
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

  second(symbol: string, price: CandlePrice, candle: Candle): void {
    const cause: Cause = { kind: 'second', symbol, price, openTime: candle.openTime };
    this.#hearLive('onSecond', cause, () => this.#form.second(symbol, { ...candle, price }));
  }

  markCandle(symbol: string, candle: Candle): void {
    const cause: Cause = { kind: 'mark-candle', symbol, openTime: candle.openTime };
    this.#hearLive('onMarkCandle', cause, () => this.#form.markCandle(symbol, { ...candle }));
  }

  ticker(symbol: string, last: number, mark?: number): void {
    if (!this.#form.hearsMarket) return;
    this.#handle(() => {
      const { venueTime } = this.#world;
      this.#call('ticker$', { kind: 'timer', venueTime, key: `ticker:${symbol}` }, () =>
        this.#form.ticker(symbol, last, mark),
      );
    });
  }

  /** There is no history of it: it may be acted on whatever the last candle was. */
  #hearLive(hook: string, cause: Cause, run: () => void): void {
    this.#handle(() => {
      this.#live = this.#started;
      this.#call(hook, cause, run);
    });
  }

  fill(fill: FillEvent): void {
    this.#handle(() => {
      this.#trader.fill(fill, this.#desk.fill(fill));
      if (!this.#form.hearsFills) return;
      this.#call('onFill', this.#desk.causeOf(fill), () => this.#form.fill(fill));
    });
  }

  orderEnded(end: OrderEnd): void {
    this.#handle(() => {
      if (this.#state === 'running') this.#trader.ended(end);
      if (!this.#form.hearsOrders) return;
      this.#call('onOrder', this.#desk.causeOfEnd(end), () => this.#form.ended(end));
    });
  }

  positionMoved(symbol: string): void {
    this.#handle(() => {
      if (this.#state === 'running') this.#trader.lane(symbol)?.moved();
      if (!this.#form.hearsMarket) return;
      const { venueTime } = this.#world;
      this.#call('position$', { kind: 'timer', venueTime, key: `position:${symbol}` }, () =>
        this.#form.moved(symbol),
      );
    });
  }

  /** Also of a strategy that has ended: its entries still run out of time. */
  timer(key: string): void {
    this.#handle(() => {
      if (this.#desk.timer(key)) return;
      const { venueTime } = this.#world;
      this.#call('scheduler', { kind: 'timer', venueTime, key }, () => this.#form.timer(key));
    });
  }

  stop(): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopped';
    try {
      this.#form.stop();
    } catch (error) {
      this.#report('onStop', error);
    }
    this.#form.close();
  }

  #makeForm(options: HostOptions): StrategyForm {
    const outbox = {
      put: (intent: Intent) => this.#put(intent),
      explain: (text: string) => this.#explain(text),
    };
    return makeForm(options, outbox, {
      failed: (error) => this.#streamFailed(error),
      completed: () => this.#end('stopped', 'its stream of intents completed'),
    });
  }

  #open(): void {
    if (this.#opened) return;
    this.#opened = true;
    this.#hear('intents', () => this.#form.open());
  }

  /** A call in which the strategy may say nothing. */
  #hear(hook: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#threw(hook, error);
    }
  }

  /** One event after the other: what arrives while one is handled waits for its end. */
  #handle(event: () => void): void {
    if (this.#busy) {
      this.#later.push(event);
      return;
    }
    this.#busy = true;
    event();
    this.#busy = false;
    if (this.#later.length > 0) this.#catchUp();
  }

  #catchUp(): void {
    this.#busy = true;
    for (let event = this.#later.shift(); event !== undefined; event = this.#later.shift()) event();
    this.#busy = false;
  }

  /** Lets the strategy hear an event that is no candle, and takes what it asks for. */
  #call(hook: string, cause: Cause, run: () => void): void {
    if (this.#state !== 'running' || !this.#opened) return;
    this.#step.other(cause);
    this.#listening = true;
    try {
      run();
    } catch (error) {
      this.#threw(hook, error);
    }
    this.#listening = false;
    if (this.#intents.length > 0) this.#takeIntents();
  }

  #put(intent: Intent): void {
    if (this.#state !== 'running') return;
    if (this.#listening) this.#intents.push(intent);
    else {
      this.#desk.refuse(`${String(intent?.kind)}: it came outside of any step`);
      this.#end(
        'failed',
        'an intent came outside of any step: operators that need time take `scheduler`',
      );
    }
  }

  #explain(text: string): void {
    if (!this.#live) return;
    this.#desk.say('info', text);
    this.#step.explain(String(text));
  }

  #takeIntents(): void {
    for (const intent of this.#intents) {
      if (!this.#live || this.#state !== 'running') continue;
      this.#watch?.asked(intent);
      this.#trader.take(intent, this.#step);
    }
    this.#intents.length = 0;
  }

  /** What a hook asked for before it threw is not taken: it did not get to say all of it. */
  #threw(hook: string, error: unknown): void {
    this.#intents.length = 0;
    this.#report(hook, error);
    const now = this.#world.venueTime;
    this.#throws.push(now);
    if (this.#throws.length > MAX_THROWS) this.#throws.shift();
    const [first = now] = this.#throws;
    if (this.#throws.length === MAX_THROWS && now - first <= THROWS_WITHIN_MS)
      this.#end('failed', `it threw ${MAX_THROWS} times within 10 minutes`);
  }

  #streamFailed(error: unknown): void {
    this.#intents.length = 0;
    this.#report('its stream of intents', error);
    this.#end('failed', 'its stream of intents ended with an error');
  }

  #report(hook: string, error: unknown): void {
    this.counts.errors++;
    this.#desk.say('error', `${hook} threw ${failureText(error)}`);
  }

  /** The target freezes and stops stay at the venue; what could still increase is taken back. */
  #end(state: 'stopped' | 'failed', why: string): void {
    if (this.#state !== 'running') return;
    this.#state = state;
    this.#form.close();
    for (const symbol of this.symbols) this.#desk.cancelEntries(symbol);
    this.#desk.say('error', `${state}: ${why}. Its positions and their stops stay as they are`);
  }
}
