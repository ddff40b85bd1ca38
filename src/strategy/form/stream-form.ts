import type { Observable, Subject, Subscription } from 'rxjs';
import type { Candle, CandlePrice } from '../../core/candle.js';
import { numberFromFixed, type Amount } from '../../core/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import { createIndicators } from '../../market/indicators/indicators.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { FormOptions } from './callback-form.js';
import { fillView, orderEndView, positionView } from '../context.js';
import type { MarketStream, StreamSetup, StreamStrategy } from '../definition.js';
import type {
  FillView,
  FundingView,
  OrderEndView,
  PositionView,
  SecondView,
  TickerView,
  WalletView,
} from '../views.js';
import { FedIndicators } from '../host/fed-indicators.js';
import type { StrategyForm } from './form.js';
import type { EnterWish, Intent, LimitWish, ProtectWish } from '../intent.js';
import { rxjs } from './rxjs-lazy.js';
import { cellsOf, type StateCell } from '../host/state-cell.js';
import { VenueScheduler } from '../venue-scheduler.js';
import { mergedNeeds, needsOf, otherIntervals } from '../host/warm-up-needs.js';
import type { FillEvent, OrderEnd } from '../world.js';

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
  readonly funding?: Subject<FundingView>;
}

/** What is known of one symbol, as streams. */
interface Channel {
  readonly candles: ReadonlyMap<Interval, Subject<Candle>>;
  readonly tickers: Subject<TickerView>;
  readonly positions: Subject<PositionView>;
  readonly extra: ExtraSubjects;
}

/** A strategy written as an Observable of intents. */
export class StreamForm implements StrategyForm {
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpNeed[];
  readonly hearsFills = true;
  readonly hearsOrders = true;
  readonly hearsRounds = false;
  readonly hearsMarket = true;
  /** Fills tell them, and `moved` whatever else does. */
  readonly hearsPositions = false;
  readonly #definition: StreamStrategy;
  readonly #options: FormOptions;
  readonly #ends: StreamEnds;
  readonly #scheduler: VenueScheduler;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #fed: FedIndicators;
  readonly #cells: readonly StateCell[];
  readonly #fills = subject<FillView>();
  readonly #orders = subject<OrderEndView>();
  readonly #wallet = subject<WalletView>();
  #equity: Amount | undefined;
  #subscription: Subscription | undefined;

  constructor(definition: StreamStrategy, options: FormOptions, ends: StreamEnds) {
    this.#definition = definition;
    this.#options = options;
    this.#ends = ends;
    this.#scheduler = new VenueScheduler(options.world);
    const { streams = [] } = definition;
    const { interval, params, symbols } = options;
    const own = needsOf(interval, definition.warmup?.(params));
    this.needs = mergedNeeds([interval, ...options.intervals], own);
    this.intervals = otherIntervals(
      interval,
      this.needs.map((need) => need.interval),
    );
    const seen = [interval, ...this.intervals];
    this.#channels = new Map(symbols.map((symbol) => [symbol, openChannel(streams, seen)]));
    this.#cells = cellsOf(definition, options);
    this.#fed = new FedIndicators({ symbols, interval, only: this.intervals });
  }

  open(): void {
    const { outbox } = this.#options;
    const intents$ = this.#definition.intents(this.#setup());
    this.#fed.close();
    this.#subscription = intents$.subscribe({
      next: (intent) => outbox.put(intent),
      error: this.#ends.failed,
      complete: this.#ends.completed,
    });
  }

  /** The streams speak for themselves. */
  start(): void {}

  candle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    const channel = this.#channels.get(symbol);
    if (channel === undefined) return;
    const fed = this.#fed.of(symbol)?.get(interval);
    if (fed !== undefined) for (const one of fed) one.update(candles.at(index));
    if (interval === this.#options.interval) this.#tellWallet();
    const told = channel.candles.get(interval);
    if (told?.observed === true) told.next(candles.at(index));
  }

  /** Streams of several symbols are combined by the strategy itself. */
  round(): void {}
  closeAt(): undefined {}
  revision(): void {}

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

  funding(funding: FundingView): void {
    this.#channels.get(funding.symbol)?.extra.funding?.next(funding);
  }

  /** Streams have a scheduler. */
  due(): void {}

  cells(): readonly StateCell[] {
    return this.#cells;
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
      state: this.#cells[0]?.value,
      indicators: createIndicators(this.#fed.add),
      symbols,
      interval,
      scheduler: this.#scheduler,
      candles$: (symbol, wanted = interval) => this.#candles(symbolOr(symbol), wanted),
      ticker$: (symbol) => symbolOr(symbol).tickers.asObservable(),
      mark$: (symbol) => marksOf(symbolOr(symbol)),
      seconds$: (symbol, price = 'last') => asked(symbolOr(symbol).extra, secondsOf(price)),
      markCandles$: (symbol) => asked(symbolOr(symbol).extra, 'mark'),
      position: (symbol = first) => {
        this.#channel(symbol);
        return positionView(this.#options.world, symbol);
      },
      position$: (symbol) => symbolOr(symbol).positions.asObservable(),
      fills$: this.#fills.asObservable(),
      orders$: this.#orders.asObservable(),
      funding$: (symbol) => asked(symbolOr(symbol).extra, 'funding'),
      wallet$: this.#wallet.asObservable(),
      explain: (text) => this.#options.outbox.explain(text),
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
    const candles = channel.candles.get(wanted);
    if (candles !== undefined) return candles.asObservable();
    const { interval } = this.#options;
    throw new RangeError(
      `This strategy is configured for ${interval} candles, not ${wanted}: name it in intervals`,
    );
  }
}

const openChannel = (
  streams: readonly MarketStream[],
  intervals: readonly Interval[],
): Channel => ({
  candles: new Map(intervals.map((interval) => [interval, subject<Candle>()])),
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
  protect: (symbol: string, wish: ProtectWish): Intent => ({ kind: 'protect', symbol, wish }),
};
