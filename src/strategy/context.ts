import type { Candle } from '../core/candle.js';
import { numberFromFixed } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import { CandleColumns, CandleView } from '../market/candle-columns.js';
import type {
  FillView,
  InstrumentView,
  OrderEndView,
  OrderView,
  PositionView,
  StrategyContext,
} from './definition.js';
import type { EnterWish, Intent, LimitWish } from './intent.js';
import type { FillEvent, OrderEnd, StrategyWorld } from './world.js';

/** Where a form leaves what the strategy asks for. */
export interface Outbox {
  put(intent: Intent): void;
  explain(text: string): void;
}

export interface ContextOptions {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly world: StrategyWorld;
  readonly outbox: Outbox;
}

/** The one context of a symbol: getters read the world when asked, nothing is made for a candle. */
export class HookContext implements StrategyContext {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly position: PositionView;
  readonly #view = new CandleView(NO_CANDLES);
  readonly #world: StrategyWorld;
  readonly #outbox: Outbox;
  #rules: { readonly source: Instrument; readonly view: InstrumentView } | undefined;

  constructor({ symbol, symbols, interval, world, outbox }: ContextOptions) {
    this.symbol = symbol;
    this.symbols = symbols;
    this.interval = interval;
    this.position = new PositionLens(world, symbol);
    this.#world = world;
    this.#outbox = outbox;
  }

  /** Moves the candle view. */
  show(candles: CandleColumns, index: number): void {
    if (this.#view.columns !== candles) this.#view.columns = candles;
    this.#view.index = index;
  }

  get candle(): Candle {
    return this.#view;
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
  explain(text: string): void {
    this.#outbox.explain(text);
  }
}

const NO_CANDLES = new CandleColumns(0);

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
