import { assert } from '../../core/assert.js';
import type { Candle } from '../../core/candle.js';
import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { HostFed } from '../../market/indicators/feed.js';
import { createIndicators } from '../../market/indicators/indicators.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import { fillView, HookContext, orderEndView, type Outbox } from '../context.js';
import type { CallbackStrategy, StrategyHooks } from '../definition.js';
import { FedIndicators } from '../host/fed-indicators.js';
import type { StrategyForm } from './form.js';
import { checkHooks } from './stream-hooks.js';
import { cellsOf, type StateCell } from '../host/state-cell.js';
import type { FundingView, PositionChange, SecondView, TimerView } from '../views.js';
import { mergedNeeds, needsOf, otherIntervals } from '../host/warm-up-needs.js';
import type { FillEvent, OrderEnd, StrategyWorld } from '../world.js';

export interface FormOptions {
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** That the definition names. */
  readonly intervals: readonly Interval[];
  readonly world: StrategyWorld;
  readonly outbox: Outbox;
}

interface Seat {
  readonly hooks: StrategyHooks;
  readonly context: HookContext;
  readonly cells: readonly StateCell[];
  /** Indicators to feed before the hooks, by interval; undefined: none. */
  readonly fed: ReadonlyMap<Interval, readonly HostFed[]> | undefined;
}

/** A strategy written as hooks: an instance per symbol, or one for all. */
export class CallbackForm implements StrategyForm {
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  readonly hearsFills: boolean;
  readonly hearsOrders: boolean;
  readonly hearsRounds: boolean;
  readonly hearsMarket = false;
  readonly hearsPositions: boolean;
  readonly #interval: Interval;
  readonly #seats = new Map<string, Seat>();
  /** Of the last candle: most strategies have one symbol. */
  #seat: Seat;

  constructor(definition: CallbackStrategy, options: FormOptions) {
    const { symbols, interval } = options;
    const groups = definition.scope === 'all' ? [symbols] : symbols.map((symbol) => [symbol]);
    const needs = groups.flatMap((group) => this.#seatGroup(definition, options, group));
    const seats = [...this.#seats.values()];
    const [first] = seats;
    assert(first !== undefined, 'A strategy has a symbol');
    this.#seat = first;
    this.#interval = interval;
    this.intervals = otherIntervals(
      interval,
      needs.map((need) => need.interval),
    );
    this.needs = mergedNeeds([interval], needs);
    this.hearsFills = seats.some(({ hooks }) => hooks.onFill !== undefined);
    this.hearsOrders = seats.some(({ hooks }) => hooks.onOrder !== undefined);
    this.hearsPositions = seats.some(({ hooks }) => hooks.onPosition !== undefined);
    this.hearsRounds = seats.some(({ hooks }) => hooks.onCandles !== undefined);
  }

  /** @returns what its candles must be warmed up with, every interval that it sees among them */
  #seatGroup(
    definition: CallbackStrategy,
    options: FormOptions,
    symbols: readonly string[],
  ): readonly WarmUpNeed[] {
    const { params, interval, world, outbox } = options;
    const fed = new FedIndicators({ symbols, interval });
    const cells = cellsOf(definition, options, definition.scope === 'all' ? undefined : symbols[0]);
    const state = cells[0]?.value;
    const hooks = definition.create({
      params,
      indicators: createIndicators(fed.add),
      interval,
      symbols,
      state,
    });
    fed.close();
    checkHooks(hooks, definition);
    const own = needsOf(interval, hooks.warmup);
    const needs = mergedNeeds([interval, ...options.intervals], [...own, ...fed.needs]);
    const intervals = otherIntervals(
      interval,
      needs.map((need) => need.interval),
    );
    const of = (symbol: string): HookContext => this.#contextOf(symbol, symbols);
    for (const symbol of symbols) {
      const context = new HookContext({
        symbol,
        symbols,
        interval,
        intervals,
        world,
        outbox,
        state,
        of,
      });
      this.#seats.set(symbol, { hooks, context, cells, fed: fed.of(symbol) });
    }
    return needs;
  }

  /** Hooks are there once they are made. */
  open(): void {}

  start(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStart?.(context));
  }

  stop(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStop?.(context));
  }

  candle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    const seat = this.#seat.context.symbol === symbol ? this.#seat : this.#seatOf(symbol);
    if (seat === undefined) return;
    this.#seat = seat;
    const { hooks, context, fed } = seat;
    const candle = context.show(interval, candles, index);
    if (fed !== undefined) feed(fed.get(interval), candle);
    if (interval === this.#interval) hooks.onCandle?.(context);
    else hooks.onInterval?.(context, candle, interval);
  }

  round(closedAt: number): void {
    this.#eachInstance(({ hooks, context }) => {
      const { symbols, interval } = context;
      const closed = (symbol: string): Candle | undefined => this.#closedAt(symbol, closedAt);
      const missing = symbols.filter((symbol) => closed(symbol) === undefined);
      // The bucket of a long interval may end where no symbol has had a whole one yet.
      if (missing.length === symbols.length) return;
      hooks.onCandles?.(context, { interval, closedAt, missing, candle: closed });
    });
  }

  closeAt(symbol: string, closedAt: number): number | undefined {
    return this.#closedAt(symbol, closedAt)?.close;
  }

  revision(symbol: string, candle: Candle): void {
    const seat = this.#seatOf(symbol);
    seat?.hooks.onRevision?.(seat.context, candle);
  }

  second(symbol: string, second: SecondView): void {
    const seat = this.#seatOf(symbol);
    seat?.hooks.onSecond?.(seat.context, second);
  }

  markCandle(symbol: string, candle: Candle): void {
    const seat = this.#seatOf(symbol);
    seat?.hooks.onMarkCandle?.(seat.context, candle);
  }

  fill(fill: FillEvent): void {
    const seat = this.#seatOf(fill.symbol);
    seat?.hooks.onFill?.(seat.context, fillView(fill));
  }

  ended(end: OrderEnd): void {
    const seat = this.#seatOf(end.intent.terms.symbol);
    seat?.hooks.onOrder?.(seat.context, orderEndView(end));
  }

  moved(symbol: string, before: number, reason: PositionChange['reason']): void {
    const seat = this.#seatOf(symbol);
    if (seat === undefined) return;
    const { quantity, entryPrice } = seat.context.position;
    seat.hooks.onPosition?.(seat.context, { symbol, before, quantity, entryPrice, reason });
  }

  funding(funding: FundingView): void {
    const seat = this.#seatOf(funding.symbol);
    seat?.hooks.onFunding?.(seat.context, funding);
  }

  due(symbol: string, timer: TimerView): void {
    const seat = this.#seatOf(symbol);
    seat?.hooks.onTimer?.(seat.context, timer);
  }

  cells(symbol?: string): readonly StateCell[] {
    if (symbol !== undefined) return this.#seatOf(symbol)?.cells ?? NO_CELLS;
    return [...new Set([...this.#seats.values()].flatMap(({ cells }) => cells))];
  }

  /** Hooks ask for prices; they are not told. Schedulers belong to streams. */
  ticker(): void {}
  timer(): void {}
  close(): void {}

  #seatOf(symbol: string): Seat | undefined {
    return this.#seats.get(symbol);
  }

  #contextOf(symbol: string, known: readonly string[]): HookContext {
    const context = known.includes(symbol) ? this.#seatOf(symbol)?.context : undefined;
    if (context !== undefined) return context;
    throw new RangeError(`${symbol} is not a symbol of this instance (${known.join(', ')})`);
  }

  #closedAt(symbol: string, closedAt: number): Candle | undefined {
    const candle = this.#seatOf(symbol)?.context.candles().last;
    const closes =
      candle !== undefined && closeTimeOf(this.#interval, candle.openTime) === closedAt;
    return closes ? candle : undefined;
  }

  #eachInstance(visit: (seat: Seat) => void): void {
    const seen = new Set<StrategyHooks>();
    for (const seat of this.#seats.values()) {
      if (!seen.has(seat.hooks)) visit(seat);
      seen.add(seat.hooks);
    }
  }
}

const NO_CELLS: readonly StateCell[] = [];

function feed(fed: readonly HostFed[] = [], candle: Candle): void {
  for (const one of fed) one.update(candle);
}
