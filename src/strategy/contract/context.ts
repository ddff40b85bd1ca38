import { assert } from '../../core/assert.js';
import type { Candle } from '../../core/candle.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { ClosedCandleHistory } from '../host/closed-candle-history.js';
import type { StrategyContext } from './strategy-context.js';
import type {
  CandleHistory,
  FillView,
  FundingView,
  InstrumentView,
  OrderEndView,
  OrderView,
  PositionView,
} from './views.js';
import type { EnterRequest, Intent, LimitRequest, ProtectRequest } from './intent.js';
import type { SizeSpec } from '../target/size/size-spec.js';
import type { MarketInputs } from '../target/intent-sizer.js';
import type { FillEvent, OrderEnd, StrategyPort } from './strategy-port.js';

/** Receives the strategy's requests during a call. */
export interface IntentSink {
  /** @param place source location of the request, when it is not on this stack */
  put(intent: Intent, place?: string): void;
  explain(text: string): void;
  setTimer(symbol: string, at: number, key: string): void;
  /** @throws RangeError unless the size has exactly one measure */
  quantityOf(symbol: string, size: SizeSpec, inputs: MarketInputs): number | undefined;
}

export interface ContextOptions {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Beside `interval`. */
  readonly intervals: readonly Interval[];
  readonly port: StrategyPort;
  readonly intentSink: IntentSink;
  /** Durable state; undefined: the definition has none. */
  readonly state: object | undefined;
  /** Context of another symbol of the same instance. */
  readonly of: (symbol: string) => HookContext;
}

/** One context per symbol, reused: getters read on demand, so that a candle allocates nothing. */
export class HookContext implements StrategyContext {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  readonly position: PositionView;
  readonly state: unknown;
  readonly #ownHistory: ClosedCandleHistory;
  readonly #otherHistories: ReadonlyMap<Interval, ClosedCandleHistory>;
  readonly #of: ContextOptions['of'];
  readonly #port: StrategyPort;
  readonly #intentSink: IntentSink;
  #rules: { readonly source: Instrument; readonly view: InstrumentView } | undefined;

  constructor(options: ContextOptions) {
    const { symbol, symbols, interval, port } = options;
    this.symbol = symbol;
    this.symbols = symbols;
    this.interval = interval;
    this.position = new LivePositionView(port, symbol);
    this.#ownHistory = new ClosedCandleHistory(interval);
    this.#otherHistories = new Map(
      options.intervals.map((each) => [each, new ClosedCandleHistory(each)]),
    );
    this.#port = port;
    this.#intentSink = options.intentSink;
    this.#of = options.of;
    this.state = options.state;
  }

  /** @returns the view of the closed candle */
  onCandleClosed(interval: Interval, candles: CandleColumns, index: number): Candle {
    const history =
      interval === this.interval ? this.#ownHistory : this.#otherHistories.get(interval);
    assert(history !== undefined, 'Only candles of known intervals are handled');
    history.advanceTo(candles, index);
    return history.view;
  }

  get candle(): Candle {
    return this.#ownHistory.view;
  }
  candles(interval = this.interval): CandleHistory {
    const history =
      interval === this.interval ? this.#ownHistory : this.#otherHistories.get(interval);
    if (history !== undefined) return history;
    throw new RangeError(`There are no ${interval} candles: name ${interval} in intervals`);
  }
  of(symbol: string): HookContext {
    return this.#of(symbol);
  }
  get time(): number {
    return this.#port.venueTime;
  }
  get orders(): readonly OrderView[] {
    return this.#port.workingOrders(this.symbol).map((order) => ({
      key: order.key,
      side: order.side,
      type: order.type,
      reduceOnly: order.reduceOnly,
      remaining: numberFromFixed(order.remaining),
      price: order.price === undefined ? undefined : numberFromFixed(order.price),
    }));
  }
  get funding(): FundingView | undefined {
    const fact = this.#port.funding(this.symbol);
    return fact === undefined ? undefined : { symbol: this.symbol, ...fact };
  }
  get equity(): number | undefined {
    const equity = this.#port.equity();
    return equity === undefined ? undefined : numberFromFixed(equity);
  }
  /** @throws Error while the venue's metadata of the symbol is not known */
  get instrument(): InstrumentView {
    const source = this.#port.instrument(this.symbol);
    if (source === undefined) throw new Error(`There is no metadata of ${this.symbol} yet`);
    if (this.#rules?.source !== source) this.#rules = { source, view: instrumentView(source) };
    return this.#rules.view;
  }

  target(conviction: number, symbol = this.symbol): void {
    this.#intentSink.put({ kind: 'target', symbol, conviction });
  }
  targetQuantity(quantity: number, symbol = this.symbol): void {
    this.#intentSink.put({ kind: 'target-quantity', symbol, quantity });
  }
  enter(request: EnterRequest): void {
    this.#intentSink.put({ kind: 'enter', symbol: request.symbol ?? this.symbol, request });
  }
  exit(symbol = this.symbol): void {
    this.#intentSink.put({ kind: 'exit', symbol });
  }
  limit(request: LimitRequest): void {
    this.#intentSink.put({ kind: 'limit', symbol: request.symbol ?? this.symbol, request });
  }
  cancel(orderKey: number): void {
    this.#intentSink.put({ kind: 'cancel', orderKey });
  }
  protect(request: ProtectRequest): void {
    this.#intentSink.put({ kind: 'protect', symbol: request.symbol ?? this.symbol, request });
  }
  quantityOf(size: SizeSpec): number | undefined {
    const last = this.#ownHistory.last?.close ?? this.#port.lastPrice(this.symbol);
    const closes = (count: number): readonly number[] => this.#ownHistory.closes(count);
    return this.#intentSink.quantityOf(this.symbol, size, { last, closes });
  }
  timer(at: number, key: string): void {
    this.#intentSink.setTimer(this.symbol, at, key);
  }
  explain(text: string): void {
    this.#intentSink.explain(text);
  }
}

class LivePositionView implements PositionView {
  readonly #port: StrategyPort;
  readonly #symbol: string;

  constructor(port: StrategyPort, symbol: string) {
    this.#port = port;
    this.#symbol = symbol;
  }
  get quantity(): number {
    return numberFromFixed(this.#port.position(this.#symbol));
  }
  get entryPrice(): number | undefined {
    const price = this.#port.entryPrice(this.#symbol);
    return price === undefined ? undefined : numberFromFixed(price);
  }
}

export const positionView = (port: StrategyPort, symbol: string): PositionView => {
  const { quantity, entryPrice } = new LivePositionView(port, symbol);
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
