import type { SymbolSeries } from '../engine/market/candle-series-store.js';
import type { CandlePrices, MarketCandle } from '../exchange/price/candle-path.js';
import type { MarketHandle } from '../exchange/simulated-exchange.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import type { MarkColumns } from './data/mark-prices.js';

/** The position of a run in the candles of one symbol. */
export class SymbolRun {
  readonly symbol: string;
  /** Index of the symbol in the run, from 0. */
  readonly ordinal: number;
  readonly series: SymbolSeries;
  readonly onOpen: () => void;
  /** Index of the next candle. */
  index = 0;
  /** Open time of the next candle; Infinity at the end. */
  next: number;
  /** Open time of the last candle that was read: prices of the exchange come from it. −∞ before the first. */
  read = -Infinity;
  readonly #openTimes: Float64Array;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #length: number;
  readonly #mark: MarkColumns | undefined;
  readonly #market: MarketHandle;

  /**
   * @param series with all candles of the run
   * @param mark candles of the mark price, row by row those of `series`
   */
  constructor(
    {
      symbol,
      ordinal,
      market,
      mark,
    }: Pick<SymbolRun, 'symbol' | 'ordinal'> & {
      readonly market: MarketHandle;
      readonly mark?: MarkColumns;
    },
    series: SymbolSeries,
    onOpen: () => void,
  ) {
    const columns: CandleColumns = series.columns;
    this.symbol = symbol;
    this.#mark = mark;
    this.#market = market;
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

  /** Volume of the next candle, base units. */
  get volume(): number {
    return this.series.columns.volume[this.index] as number;
  }

  /** Passes the next candle if nothing can fire in it. @returns false: it must be simulated */
  passIdle(): boolean {
    const { index } = this;
    if (this.#mark !== undefined) return false;
    const open = this.#open[index] as number;
    const low = this.#low[index] as number;
    const high = this.#high[index] as number;
    if (!(low <= open && open <= high)) return false;
    if (!this.#market.passIdle(low, high, this.#close[index] as number)) return false;
    this.read = this.next;
    return true;
  }

  /** The next candle. */
  candle(): MarketCandle {
    const { index } = this;
    this.read = this.#openTimes[index] as number;
    const last = {
      open: this.#open[index] as number,
      high: this.#high[index] as number,
      low: this.#low[index] as number,
      close: this.#close[index] as number,
    };
    return { last, mark: this.#mark === undefined ? undefined : pricesAt(this.#mark, index) };
  }

  advance(): void {
    this.index += 1;
    this.next = this.#nextOpen();
  }

  #nextOpen(): number {
    return this.index < this.#length ? (this.#openTimes[this.index] as number) : Infinity;
  }
}

const pricesAt = ({ open, high, low, close }: MarkColumns, index: number): CandlePrices => ({
  open: open[index] as number,
  high: high[index] as number,
  low: low[index] as number,
  close: close[index] as number,
});

/** The earliest open time of any symbol; Infinity at the end. */
export function earliestOpenTime(runs: readonly SymbolRun[]): number {
  let next = Infinity;
  for (const run of runs) if (run.next < next) next = run.next;
  return next;
}
