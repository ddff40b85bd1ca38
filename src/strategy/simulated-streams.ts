import type { Candle, CandlePrice } from '../core/candle.js';
import { closeTimeOf } from '../core/interval.js';
import type { MarketStream } from './definition.js';
import type { StrategyHost } from './host.js';

/** What a test feeds beside its candles. Each list ascends by open time. */
export interface SimulatedStreams {
  /** One-second candles of trades: orders decided on one fill at its close. */
  readonly seconds?: readonly Candle[];
  readonly markSeconds?: readonly Candle[];
  /** One-minute candles of mark prices. */
  readonly markCandles?: readonly Candle[];
}

/** What moves on while they are fed. */
interface FedWorld {
  advance(venueTime: number, host: StrategyHost): void;
  price(symbol: string, last: number): void;
  settle(host: StrategyHost): void;
}

interface Arrival {
  /** Venue ms: its close. */
  readonly at: number;
  readonly last: number | undefined;
  readonly tell: () => void;
}

/** Seconds and mark candles of one symbol, each told to the host when it has closed. */
export class StreamFeed {
  readonly #host: StrategyHost;
  readonly #world: FedWorld;
  readonly #symbol: string;
  readonly #arrivals: Arrival[];

  /** @throws RangeError when the strategy does not ask for what it is fed */
  constructor(
    streams: SimulatedStreams,
    host: StrategyHost,
    { world, symbol }: { readonly world: FedWorld; readonly symbol: string },
  ) {
    this.#host = host;
    this.#world = world;
    this.#symbol = symbol;
    const marks = this.#asked('mark', streams.markCandles).map((candle) => ({
      at: closeTimeOf('1m', candle.openTime),
      last: undefined,
      tell: () => host.markCandle(symbol, candle),
    }));
    this.#arrivals = [
      ...this.#asked('seconds', streams.seconds).map((each) => this.#second('last', each)),
      ...this.#asked('mark-seconds', streams.markSeconds).map((each) => this.#second('mark', each)),
      ...marks,
    ].sort((one, other) => one.at - other.at);
  }

  /** Passes over what belongs to a time of history. */
  skip(venueTime: number): void {
    while (this.#isDue(venueTime)) this.#arrivals.shift();
  }

  /** Tells what has closed by a time, in order. */
  tell(venueTime: number): void {
    while (this.#isDue(venueTime)) {
      const arrival = this.#arrivals.shift();
      if (arrival === undefined) return;
      this.#world.advance(arrival.at, this.#host);
      if (arrival.last !== undefined) this.#world.price(this.#symbol, arrival.last);
      this.#world.settle(this.#host);
      arrival.tell();
      this.#world.settle(this.#host);
    }
  }

  #isDue(venueTime: number): boolean {
    const [next] = this.#arrivals;
    return next !== undefined && next.at <= venueTime;
  }

  #asked(stream: MarketStream, candles: readonly Candle[] = []): readonly Candle[] {
    if (candles.length === 0 || this.#host.streams.includes(stream)) return candles;
    throw new RangeError(`The strategy is fed '${stream}' and its streams do not name it`);
  }

  #second(price: CandlePrice, candle: Candle): Arrival {
    return {
      at: closeTimeOf('1s', candle.openTime),
      last: price === 'last' ? candle.close : undefined,
      tell: () => this.#host.second(this.#symbol, price, candle),
    };
  }
}
