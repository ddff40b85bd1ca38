import type { SymbolSeries } from '../engine/market/series-book.js';
import type { CandlePrices } from '../exchange/candle-path.js';
import type { CandleColumns } from '../market/candle-columns.js';

/** Where a run stands in the candles of one symbol. */
export class Track {
  readonly symbol: string;
  /** Among the symbols of the run, from 0. */
  readonly ordinal: number;
  readonly series: SymbolSeries;
  readonly onOpen: () => void;
  /** Of the next candle. */
  index = 0;
  /** Open time of the next candle; Infinity when every one has been walked. */
  next: number;
  readonly #openTimes: Float64Array;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #length: number;

  /** The candles of `series`; they must be whole. */
  constructor(symbol: string, ordinal: number, series: SymbolSeries, onOpen: () => void) {
    const columns: CandleColumns = series.columns;
    this.symbol = symbol;
    this.ordinal = ordinal;
    this.series = series;
    this.onOpen = onOpen;
    this.#openTimes = columns.openTime;
    this.#open = columns.open;
    this.#high = columns.high;
    this.#low = columns.low;
    this.#close = columns.close;
    this.#length = columns.length;
    this.next = this.#nextOpen();
  }

  /** Close of the next candle. */
  get close(): number {
    return this.#close[this.index] as number;
  }

  prices(): CandlePrices {
    const { index } = this;
    return {
      open: this.#open[index] as number,
      high: this.#high[index] as number,
      low: this.#low[index] as number,
      close: this.#close[index] as number,
    };
  }

  advance(): void {
    this.index += 1;
    this.next = this.#nextOpen();
  }

  #nextOpen(): number {
    return this.index < this.#length ? (this.#openTimes[this.index] as number) : Infinity;
  }
}

/** Infinity when every candle has been walked. */
export function nextOpen(tracks: readonly Track[]): number {
  let next = Infinity;
  for (const track of tracks) if (track.next < next) next = track.next;
  return next;
}
