import { assert } from '../core/assert.js';
import type { Candle } from '../core/candle.js';
import { numberFromFixed } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { CandleColumns } from '../market/candle-columns.js';
import { SeenCandles } from './host/candle-history.js';
import type { StrategyContext } from './definition.js';
import type {
  CandleHistory,
  FillView,
  FundingView,
  InstrumentView,
  OrderEndView,
  OrderView,
  PositionView,
} from './views.js';
import type { EnterWish, Intent, LimitWish, ProtectWish } from './intent.js';
import type { SizeWish } from './size/size-wish.js';
import type { Known } from './trader.js';
import type { FillEvent, OrderEnd, StrategyWorld } from './world.js';

/** Where a form leaves what the strategy asks for. */
export interface Outbox {
  /** `place`: where it was asked for, when that is not on this stack. */
  put(intent: Intent, place?: string): void;
  explain(text: string): void;
  timer(symbol: string, at: number, key: string): void;
  /** @throws RangeError for a size that says nothing, or too much */
  quantityOf(symbol: string, size: SizeWish, known: Known): number | undefined;
}

export interface ContextOptions {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Beside `interval`. */
  readonly intervals: readonly Interval[];
  readonly world: StrategyWorld;
  readonly outbox: Outbox;
  /** Durable; undefined: the definition names none. */
  readonly state: object | undefined;
  /** Of the same instance. */
  readonly of: (symbol: string) => HookContext;
}

/** The one context of a symbol: getters read the world when asked, nothing is made for a candle. */
export class HookContext implements StrategyContext {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly position: PositionView;
  readonly state: unknown;
  readonly #own: SeenCandles;
  readonly #others: ReadonlyMap<Interval, SeenCandles>;
  readonly #of: ContextOptions['of'];
  readonly #world: StrategyWorld;
  readonly #outbox: Outbox;
  #rules: { readonly source: Instrument; readonly view: InstrumentView } | undefined;

  constructor(options: ContextOptions) {
    const { symbol, symbols, interval, world } = options;
    this.symbol = symbol;
    this.symbols = symbols;
    this.interval = interval;
    this.position = new PositionLens(world, symbol);
    this.#own = new SeenCandles(interval);
    this.#others = new Map(options.intervals.map((each) => [each, new SeenCandles(each)]));
    this.#world = world;
    this.#outbox = options.outbox;
    this.#of = options.of;
    this.state = options.state;
  }

  /** A candle has closed. @returns its view */
  show(interval: Interval, candles: CandleColumns, index: number): Candle {
    const history = interval === this.interval ? this.#own : this.#others.get(interval);
    assert(history !== undefined, 'Only candles of known intervals are shown');
    history.show(candles, index);
    return history.view;
  }

  get candle(): Candle {
    return this.#own.view;
  }
  candles(interval = this.interval): CandleHistory {
    const history = interval === this.interval ? this.#own : this.#others.get(interval);
    if (history !== undefined) return history;
    throw new RangeError(`There are no ${interval} candles: name ${interval} in intervals`);
  }
  of(symbol: string): HookContext {
    return this.#of(symbol);
  }
  get time(): number {
    return this.#world.venueTime;
  }
  get orders(): readonly OrderView[] {
    return this.#world.working(this.symbol).map((order) => ({
      key: order.key,
      side: order.side,
      type: order.type,
      reduceOnly: order.reduceOnly,
      remaining: numberFromFixed(order.remaining),
      price: order.price === undefined ? undefined : numberFromFixed(order.price),
    }));
  }
  get funding(): FundingView | undefined {
    const fact = this.#world.funding(this.symbol);
    return fact === undefined ? undefined : { symbol: this.symbol, ...fact };
  }
  get equity(): number | undefined {
    const equity = this.#world.equity();
    return equity === undefined ? undefined : numberFromFixed(equity);
  }
  /** @throws Error while the venue's metadata of the symbol is not known */
  get instrument(): InstrumentView {
    const source = this.#world.instrument(this.symbol);
    if (source === undefined) throw new Error(`There is no metadata of ${this.symbol} yet`);
    if (this.#rules?.source !== source) this.#rules = { source, view: instrumentView(source) };
    return this.#rules.view;
  }

  target(conviction: number, symbol = this.symbol): void {
    this.#outbox.put({ kind: 'target', symbol, conviction });
  }
  targetQuantity(quantity: number, symbol = this.symbol): void {
    this.#outbox.put({ kind: 'target-quantity', symbol, quantity });
  }
  enter(wish: EnterWish): void {
    this.#outbox.put({ kind: 'enter', symbol: wish.symbol ?? this.symbol, wish });
  }
  exit(symbol = this.symbol): void {
    this.#outbox.put({ kind: 'exit', symbol });
  }
  limit(wish: LimitWish): void {
    this.#outbox.put({ kind: 'limit', symbol: wish.symbol ?? this.symbol, wish });
  }
  cancel(orderKey: number): void {
    this.#outbox.put({ kind: 'cancel', orderKey });
  }
  protect(wish: ProtectWish): void {
    this.#outbox.put({ kind: 'protect', symbol: wish.symbol ?? this.symbol, wish });
  }
  quantityOf(size: SizeWish): number | undefined {
    const last = this.#own.last?.close ?? this.#world.lastPrice(this.symbol);
    const closes = (count: number): readonly number[] => this.#own.closes(count);
    return this.#outbox.quantityOf(this.symbol, size, { last, closes });
  }
  timer(at: number, key: string): void {
    this.#outbox.timer(this.symbol, at, key);
  }
  explain(text: string): void {
    this.#outbox.explain(text);
  }
}

class PositionLens implements PositionView {
  readonly #world: StrategyWorld;
  readonly #symbol: string;

  constructor(world: StrategyWorld, symbol: string) {
    this.#world = world;
    this.#symbol = symbol;
  }
  get quantity(): number {
    return numberFromFixed(this.#world.position(this.#symbol));
  }
  get entryPrice(): number | undefined {
    const price = this.#world.entryPrice(this.#symbol);
    return price === undefined ? undefined : numberFromFixed(price);
  }
}

export const positionView = (world: StrategyWorld, symbol: string): PositionView => {
  const { quantity, entryPrice } = new PositionLens(world, symbol);
  return { quantity, entryPrice };
};

export const fillView = ({ symbol, side, quantity, price, key, time }: FillEvent): FillView => ({
  symbol,
  side,
  quantity: numberFromFixed(quantity),
  price: numberFromFixed(price),
  orderKey: key,
  time,
});

export const orderEndView = ({
  key,
  intent,
  end,
  filledQuantity,
  reason,
}: OrderEnd): OrderEndView => ({
  symbol: intent.terms.symbol,
  orderKey: key,
  side: intent.terms.side,
  reduceOnly: intent.terms.reduceOnly,
  end,
  filledQuantity: numberFromFixed(filledQuantity),
  reason,
});

const instrumentView = (instrument: Instrument): InstrumentView => ({
  symbol: instrument.symbol,
  baseAsset: instrument.baseAsset,
  quantityStep: numberFromFixed(instrument.quantityStep),
  minQuantity: numberFromFixed(instrument.minQuantity),
  maxQuantity: numberFromFixed(instrument.maxQuantity),
  maxMarketQuantity: numberFromFixed(instrument.maxMarketQuantity),
  priceStep: numberFromFixed(instrument.priceStep),
  minPrice: numberFromFixed(instrument.minPrice),
  maxPrice: numberFromFixed(instrument.maxPrice),
  minNotional: numberFromFixed(instrument.minNotional),
});
