import type { Observable, Subject, Subscription } from 'rxjs';
import type { Candle, CandlePrice } from '../../core/candle.js';
import { numberFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { HostFedIndicator } from '../../market/indicators/indicator-feed.js';
import { createIndicators } from '../../market/indicators/indicators.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { AdapterOptions } from './hook-adapter.js';
import { fillView, orderEndView, positionView } from '../contract/context.js';
import type { MarketStream, StreamStrategy } from '../contract/definition.js';
import type { StreamSetup } from '../contract/stream-setup.js';
import type {
  FillView,
  FundingView,
  OrderEndView,
  PositionView,
  SecondView,
  TickerView,
  WalletView,
} from '../contract/views.js';
import { FedIndicators } from '../host/fed-indicators.js';
import { HotCandles } from './hot-candles.js';
import type { OptionalEventKind, StrategyAdapter } from './strategy-adapter.js';
import type { StrategyEvent, SymbolEvent } from './strategy-event.js';
import { rxjs } from './rxjs-lazy.js';
import { STREAM_INTENTS } from './stream-intents.js';
import { durableStatesOf, type DurableState } from '../host/durable-state.js';
import { VenueScheduler } from '../target/venue-scheduler.js';
import { mergedNeeds, needsOf, otherIntervals } from '../host/warm-up-needs.js';

/** Handlers for the end of the stream of intents. */
export interface StreamEndHandlers {
  readonly onFailed: (error: unknown) => void;
  readonly onCompleted: () => void;
}

/** Subjects of the definition's `streams`. */
interface ExtraSubjects {
  readonly seconds?: Subject<SecondView>;
  readonly 'mark-seconds'?: Subject<SecondView>;
  readonly mark?: Subject<Candle>;
  readonly funding?: Subject<FundingView>;
}

/** Candles of one symbol and interval. */
interface CandleSeries {
  readonly symbol: string;
  readonly interval: Interval;
  readonly source: HotCandles;
  /** Indicators to update before the stream; undefined: none. */
  fed: readonly HostFedIndicator[] | undefined;
}

/** The streams of one symbol. */
interface SymbolSubjects {
  readonly series: ReadonlyMap<Interval, CandleSeries>;
  readonly tickers: Subject<TickerView>;
  readonly positions: Subject<PositionView>;
  readonly extra: ExtraSubjects;
}

/** The position after a fill is emitted with the fill itself. */
const SUBSCRIPTIONS: ReadonlySet<OptionalEventKind> = new Set<OptionalEventKind>([
  'ticker',
  'fill',
  'order-ended',
  'position-changed',
]);

/** Adapter of a strategy written as an Observable of intents. */
export class ObservableAdapter implements StrategyAdapter {
  readonly isStream = true;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpRequirement[];
  readonly subscriptions = SUBSCRIPTIONS;
  readonly #definition: StreamStrategy;
  readonly #options: AdapterOptions;
  readonly #streamEnd: StreamEndHandlers;
  readonly #scheduler: VenueScheduler;
  readonly #subjectsBySymbol: ReadonlyMap<string, SymbolSubjects>;
  readonly #fed: FedIndicators;
  readonly #states: readonly DurableState[];
  readonly #fills = subject<FillView>();
  readonly #orders = subject<OrderEndView>();
  readonly #wallet = subject<WalletView>();
  /** Series of the last candle: most strategies have one. */
  #lastSeries: CandleSeries | undefined;
  #equity: Amount | undefined;
  #subscription: Subscription | undefined;

  constructor(definition: StreamStrategy, options: AdapterOptions, streamEnd: StreamEndHandlers) {
    this.#definition = definition;
    this.#options = options;
    this.#streamEnd = streamEnd;
    this.#scheduler = new VenueScheduler(options.port);
    const { streams = [] } = definition;
    const { interval, params, symbols } = options;
    const own = needsOf(interval, definition.warmup?.(params));
    this.needs = mergedNeeds([interval, ...options.intervals], own);
    this.intervals = otherIntervals(
      interval,
      this.needs.map((need) => need.interval),
    );
    const seen = [interval, ...this.intervals];
    this.#subjectsBySymbol = new Map(
      symbols.map((symbol) => [symbol, createSubjects(symbol, streams, seen)]),
    );
    this.#states = durableStatesOf(definition, options);
    this.#fed = new FedIndicators({ symbols, interval, only: this.intervals });
  }

  open(): void {
    const { intentSink } = this.#options;
    const intents$ = this.#definition.intents(this.#setup());
    this.#fed.close();
    for (const { series } of this.#subjectsBySymbol.values())
      for (const one of series.values()) one.fed = this.#fed.of(one.symbol)?.get(one.interval);
    this.#subscription = intents$.subscribe({
      next: (intent) => intentSink.put(intent),
      error: this.#streamEnd.onFailed,
      complete: this.#streamEnd.onCompleted,
    });
  }

  /** A stream has no start hook. */
  start(): void {}

  onCandle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    const last = this.#lastSeries;
    const series =
      last?.symbol === symbol && last.interval === interval
        ? last
        : this.#subjectsBySymbol.get(symbol)?.series.get(interval);
    if (series === undefined) return;
    this.#lastSeries = series;
    const { fed, source } = series;
    if (fed !== undefined) for (const one of fed) one.update(candles.at(index));
    if (interval === this.#options.interval) this.#emitWallet();
    if (source.isObserved) source.next(candles.at(index));
  }

  handle(event: StrategyEvent): void {
    if (event.kind === 'scheduler-timer') this.#scheduler.run(event.key);
    else if (event.kind !== 'candles-synced') this.#emit(event);
  }

  closeAt(): undefined {}

  states(): readonly DurableState[] {
    return this.#states;
  }

  stop(): void {
    this.close();
  }

  close(): void {
    this.#subscription?.unsubscribe();
    this.#scheduler.clear();
  }

  #emit(event: SymbolEvent): void {
    const subjects = this.#subjectsBySymbol.get(event.symbol);
    switch (event.kind) {
      case 'ticker':
        return subjects?.tickers.next(event.ticker);
      case 'second':
        return subjects?.extra[secondsOf(event.second.price)]?.next(event.second);
      case 'mark-candle':
        return subjects?.extra.mark?.next(event.candle);
      case 'funding':
        return subjects?.extra.funding?.next(event.funding);
      case 'fill':
        this.#emitPosition(event.symbol);
        return emitTo(this.#fills, event.fill, fillView);
      case 'order-ended':
        return emitTo(this.#orders, event.end, orderEndView);
      case 'position-changed':
        return this.#emitPosition(event.symbol);
      // Streams keep candles as first seen, and set timers on their scheduler.
      case 'candle-revised':
      case 'timer':
        return;
    }
  }

  #emitWallet(): void {
    if (!this.#wallet.observed) return;
    const { port } = this.#options;
    const equity = port.equity();
    if (equity === undefined || equity === this.#equity) return;
    this.#equity = equity;
    this.#wallet.next({ currency: port.currency, equity: numberFromFixed(equity) });
  }

  #emitPosition(symbol: string): void {
    const positions = this.#subjectsBySymbol.get(symbol)?.positions;
    if (positions?.observed === true) positions.next(positionView(this.#options.port, symbol));
  }

  #setup(): StreamSetup<unknown> {
    const { params, symbols, interval } = this.#options;
    const [first = ''] = symbols;
    const symbolOr = (symbol = first) => this.#subjectsOf(symbol);
    return {
      params,
      state: this.#states[0]?.value,
      indicators: createIndicators(this.#fed.add),
      symbols,
      interval,
      scheduler: this.#scheduler,
      candles$: (symbol, requested = interval) => this.#candles(symbolOr(symbol), requested),
      ticker$: (symbol) => symbolOr(symbol).tickers.asObservable(),
      mark$: (symbol) => marksOf(symbolOr(symbol)),
      seconds$: (symbol, price = 'last') =>
        requiredStream(symbolOr(symbol).extra, secondsOf(price)),
      markCandles$: (symbol) => requiredStream(symbolOr(symbol).extra, 'mark'),
      position: (symbol = first) => {
        this.#subjectsOf(symbol);
        return positionView(this.#options.port, symbol);
      },
      position$: (symbol) => symbolOr(symbol).positions.asObservable(),
      fills$: this.#fills.asObservable(),
      orders$: this.#orders.asObservable(),
      funding$: (symbol) => requiredStream(symbolOr(symbol).extra, 'funding'),
      wallet$: this.#wallet.asObservable(),
      explain: (text) => this.#options.intentSink.explain(text),
      ...STREAM_INTENTS,
    };
  }

  #subjectsOf(symbol: string): SymbolSubjects {
    const subjects = this.#subjectsBySymbol.get(symbol);
    if (subjects !== undefined) return subjects;
    const configured = this.#options.symbols.join(', ');
    throw new RangeError(`${symbol} is not a symbol of this strategy (${configured})`);
  }

  #candles(subjects: SymbolSubjects, requested: Interval): Observable<Candle> {
    const series = subjects.series.get(requested);
    if (series !== undefined) return series.source.candles$;
    const { interval } = this.#options;
    throw new RangeError(
      `This strategy is configured for ${interval} candles, not ${requested}: name it in intervals`,
    );
  }
}

const createSubjects = (
  symbol: string,
  streams: readonly MarketStream[],
  intervals: readonly Interval[],
): SymbolSubjects => ({
  series: new Map(
    intervals.map((interval) => [
      interval,
      { symbol, interval, source: new HotCandles(), fed: undefined },
    ]),
  ),
  tickers: subject(),
  positions: subject(),
  extra: Object.fromEntries(streams.map((stream) => [stream, subject()])),
});

/** The view is made only for a subscriber. */
function emitTo<Source, View>(
  target: Subject<View>,
  source: Source,
  viewOf: (source: Source) => View,
): void {
  if (target.observed) target.next(viewOf(source));
}

const subject = <T>(): Subject<T> => new (rxjs().Subject)<T>();

const secondsOf = (price: CandlePrice) => (price === 'last' ? 'seconds' : 'mark-seconds');

function requiredStream<Stream extends MarketStream>(
  extra: ExtraSubjects,
  stream: Stream,
): NonNullable<ExtraSubjects[Stream]> {
  const found = extra[stream];
  if (found !== undefined) return found;
  throw new RangeError(`This strategy does not ask for it: its streams must name '${stream}'`);
}

function marksOf({ tickers, extra }: SymbolSubjects): Observable<number> {
  const { filter, map, merge } = rxjs();
  const fromTickers = tickers.pipe(
    map(({ mark }) => mark),
    filter((mark) => mark !== undefined),
  );
  const seconds = extra['mark-seconds'];
  if (seconds === undefined) return fromTickers;
  return merge(fromTickers, seconds.pipe(map(({ close }) => close)));
}
