import type { Observable, Subject, Subscription } from 'rxjs';
import type { Candle, CandlePrice } from '../core/candle.js';
import { numberFromFixed } from '../core/fixed.js';
import type { Interval } from '../core/interval.js';
import type { CandleColumns } from '../market/candle-columns.js';
import { indicators } from '../market/indicators/indicators.js';
import type { FormOptions } from './callback-form.js';
import { fillView, orderEndView, positionView } from './context.js';
import type {
  FillView,
  MarketStream,
  OrderEndView,
  PositionView,
  SecondView,
  StreamSetup,
  StreamStrategy,
  TickerView,
  WalletView,
} from './definition.js';
import type { StrategyForm } from './form.js';
import type { EnterWish, Intent, LimitWish } from './intent.js';
import { rxjs } from './rxjs-lazy.js';
import { VenueScheduler } from './venue-scheduler.js';
import type { FillEvent, OrderEnd } from './world.js';

/** What becomes of the stream of intents when it is not a value. */
export interface StreamEnds {
  readonly failed: (error: unknown) => void;
  readonly completed: () => void;
}

/** Of what the definition asks for beside candles and tickers. */
interface ExtraSubjects {
  readonly seconds?: Subject<SecondView>;
  readonly 'mark-seconds'?: Subject<SecondView>;
  readonly mark?: Subject<Candle>;
}

/** What is known of one symbol, as streams. */
interface Channel {
  readonly candles: Subject<Candle>;
  readonly tickers: Subject<TickerView>;
  readonly positions: Subject<PositionView>;
  readonly extra: ExtraSubjects;
}

/** A strategy written as an Observable of intents. */
export class StreamForm implements StrategyForm {
  readonly warmupCandles: number;
  readonly hearsFills = true;
  readonly hearsOrders = true;
  readonly hearsMarket = true;
  readonly #definition: StreamStrategy;
  readonly #options: FormOptions;
  readonly #ends: StreamEnds;
  readonly #scheduler: VenueScheduler;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #fills = subject<FillView>();
  readonly #orders = subject<OrderEndView>();
  readonly #wallet = subject<WalletView>();
  #equity: number | undefined;
  #subscription: Subscription | undefined;

  constructor(definition: StreamStrategy, options: FormOptions, ends: StreamEnds) {
    this.#definition = definition;
    this.#options = options;
    this.#ends = ends;
    this.#scheduler = new VenueScheduler(options.world);
    const { streams = [] } = definition;
    this.#channels = new Map(options.symbols.map((symbol) => [symbol, openChannel(streams)]));
    this.warmupCandles = definition.warmup?.(options.params) ?? 0;
  }

  open(): void {
    const { outbox } = this.#options;
    this.#subscription = this.#definition.intents(this.#setup()).subscribe({
      next: (intent) => outbox.put(intent),
      error: this.#ends.failed,
      complete: this.#ends.completed,
    });
  }

  /** The streams speak for themselves. */
  start(): void {}

  candle(symbol: string, candles: CandleColumns, index: number): void {
    const channel = this.#channels.get(symbol);
    if (channel === undefined) return;
    this.#tellWallet();
    if (channel.candles.observed) channel.candles.next(candles.at(index));
  }

  second(symbol: string, second: SecondView): void {
    this.#channels.get(symbol)?.extra[secondsOf(second.price)]?.next(second);
  }

  markCandle(symbol: string, candle: Candle): void {
    this.#channels.get(symbol)?.extra.mark?.next(candle);
  }

  ticker(symbol: string, last: number, mark: number | undefined): void {
    this.#channels.get(symbol)?.tickers.next({ symbol, last, mark });
  }

  fill(fill: FillEvent): void {
    this.#tellPosition(fill.symbol);
    if (this.#fills.observed) this.#fills.next(fillView(fill));
  }

  ended(end: OrderEnd): void {
    if (this.#orders.observed) this.#orders.next(orderEndView(end));
  }

  moved(symbol: string): void {
    this.#tellPosition(symbol);
  }

  timer(key: string): void {
    this.#scheduler.run(key);
  }

  stop(): void {
    this.close();
  }

  close(): void {
    this.#subscription?.unsubscribe();
    this.#scheduler.clear();
  }

  #tellWallet(): void {
    if (!this.#wallet.observed) return;
    const { world } = this.#options;
    const equity = world.equity();
    if (equity === undefined || equity === this.#equity) return;
    this.#equity = equity;
    this.#wallet.next({ currency: world.currency, equity: numberFromFixed(equity) });
  }

  #tellPosition(symbol: string): void {
    const positions = this.#channels.get(symbol)?.positions;
    if (positions?.observed === true) positions.next(positionView(this.#options.world, symbol));
  }

  #setup(): StreamSetup<unknown> {
    const { params, symbols, interval } = this.#options;
    const [first = ''] = symbols;
    const symbolOr = (symbol = first) => this.#channel(symbol);
    return {
      params,
      indicators,
      symbols,
      interval,
      scheduler: this.#scheduler,
      candles$: (symbol, wanted = interval) => this.#candles(symbolOr(symbol), wanted),
      ticker$: (symbol) => symbolOr(symbol).tickers.asObservable(),
      mark$: (symbol) => marksOf(symbolOr(symbol)),
      seconds$: (symbol, price = 'last') => asked(symbolOr(symbol).extra, secondsOf(price)),
      markCandles$: (symbol) => asked(symbolOr(symbol).extra, 'mark'),
      position: (symbol = first) => positionView(this.#options.world, symbol),
      position$: (symbol) => symbolOr(symbol).positions.asObservable(),
      fills$: this.#fills.asObservable(),
      orders$: this.#orders.asObservable(),
      wallet$: this.#wallet.asObservable(),
      ...INTENTS,
    };
  }

  #channel(symbol: string): Channel {
    const channel = this.#channels.get(symbol);
    if (channel !== undefined) return channel;
    const known = this.#options.symbols.join(', ');
    throw new RangeError(`${symbol} is not a symbol of this strategy (${known})`);
  }

  #candles(channel: Channel, wanted: Interval): Observable<Candle> {
    const { interval } = this.#options;
    if (wanted === interval) return channel.candles.asObservable();
    throw new RangeError(`This strategy is configured for ${interval} candles, not ${wanted}`);
  }
}

const openChannel = (streams: readonly MarketStream[]): Channel => ({
  candles: subject(),
  tickers: subject(),
  positions: subject(),
  extra: Object.fromEntries(streams.map((stream) => [stream, subject()])),
});

const subject = <T>(): Subject<T> => new (rxjs().Subject)<T>();

const secondsOf = (price: CandlePrice) => (price === 'last' ? 'seconds' : 'mark-seconds');

function asked<Stream extends MarketStream>(
  extra: ExtraSubjects,
  stream: Stream,
): NonNullable<ExtraSubjects[Stream]> {
  const found = extra[stream];
  if (found !== undefined) return found;
  throw new RangeError(`This strategy does not ask for it: its streams must name '${stream}'`);
}

function marksOf({ tickers, extra }: Channel): Observable<number> {
  const { filter, map, merge } = rxjs();
  const fromTickers = tickers.pipe(
    map(({ mark }) => mark),
    filter((mark) => mark !== undefined),
  );
  const seconds = extra['mark-seconds'];
  if (seconds === undefined) return fromTickers;
  return merge(fromTickers, seconds.pipe(map(({ close }) => close)));
}

const INTENTS = {
  target: (symbol: string, conviction: number): Intent => ({ kind: 'target', symbol, conviction }),
  targetQuantity: (symbol: string, quantity: number): Intent => ({
    kind: 'target-quantity',
    symbol,
    quantity,
  }),
  enter: (symbol: string, wish: EnterWish): Intent => ({ kind: 'enter', symbol, wish }),
  exit: (symbol: string): Intent => ({ kind: 'exit', symbol }),
  limit: (symbol: string, wish: LimitWish): Intent => ({ kind: 'limit', symbol, wish }),
  cancel: (orderKey: number): Intent => ({ kind: 'cancel', orderKey }),
};
