import { assert } from '../core/assert.js';
import type { Candle } from '../core/candle.js';
import type { Interval } from '../core/interval.js';
import type { CandleColumns } from '../market/candle-columns.js';
import { indicators } from '../market/indicators/indicators.js';
import { fillView, HookContext, orderEndView, type Outbox } from './context.js';
import type { CallbackStrategy, SecondView, StrategyHooks } from './definition.js';
import type { StrategyForm } from './form.js';
import { checkHooks } from './stream-hooks.js';
import type { FillEvent, OrderEnd, StrategyWorld } from './world.js';

export interface FormOptions {
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly world: StrategyWorld;
  readonly outbox: Outbox;
}

interface Seat {
  readonly hooks: StrategyHooks;
  readonly context: HookContext;
}

/** A strategy written as hooks: an instance per symbol, or one for all. */
export class CallbackForm implements StrategyForm {
  readonly warmupCandles: number;
  readonly hearsFills: boolean;
  readonly hearsOrders: boolean;
  readonly hearsMarket = false;
  readonly #seats = new Map<string, Seat>();
  /** Of the last candle: most strategies have one symbol. */
  #seat: Seat;

  constructor(definition: CallbackStrategy, options: FormOptions) {
    const { symbols } = options;
    const groups = definition.scope === 'all' ? [symbols] : symbols.map((symbol) => [symbol]);
    for (const group of groups) this.#seatGroup(definition, options, group);
    const seats = [...this.#seats.values()];
    const [first] = seats;
    assert(first !== undefined, 'A strategy has a symbol');
    this.#seat = first;
    this.warmupCandles = Math.max(...seats.map(({ hooks }) => hooks.warmup ?? 0));
    this.hearsFills = seats.some(({ hooks }) => hooks.onFill !== undefined);
    this.hearsOrders = seats.some(({ hooks }) => hooks.onOrder !== undefined);
  }

  #seatGroup(definition: CallbackStrategy, options: FormOptions, symbols: readonly string[]): void {
    const { params, interval, world, outbox } = options;
    const hooks = definition.create({ params, indicators, interval, symbols });
    checkHooks(hooks, definition.streams ?? []);
    for (const symbol of symbols) {
      const context = new HookContext({ symbol, symbols, interval, world, outbox });
      this.#seats.set(symbol, { hooks, context });
    }
  }

  /** Hooks are there once they are made. */
  open(): void {}

  start(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStart?.(context));
  }

  stop(): void {
    this.#eachInstance(({ hooks, context }) => hooks.onStop?.(context));
  }

  candle(symbol: string, candles: CandleColumns, index: number): void {
    const seat = this.#seat.context.symbol === symbol ? this.#seat : this.#seatOf(symbol);
    if (seat === undefined) return;
    this.#seat = seat;
    seat.context.show(candles, index);
    seat.hooks.onCandle(seat.context);
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

  /** Hooks ask for positions and prices; they are not told. */
  ticker(): void {}
  moved(): void {}
  timer(): void {}
  close(): void {}

  #seatOf(symbol: string): Seat | undefined {
    return this.#seats.get(symbol);
  }

  #eachInstance(visit: (seat: Seat) => void): void {
    const seen = new Set<StrategyHooks>();
    for (const seat of this.#seats.values()) {
      if (!seen.has(seat.hooks)) visit(seat);
      seen.add(seat.hooks);
    }
  }
}
