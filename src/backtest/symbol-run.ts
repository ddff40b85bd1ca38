import type { Currency } from '../core/currency.js';
import { ZERO, type Amount } from '../core/fixed/fixed.js';
import type { SymbolPrice } from '../engine/market/price-cache.js';
import type { SymbolSeries } from '../engine/market/candle-series-store.js';
import type { CandlePrices, MarketCandle } from '../exchange/price/candle-path.js';
import type { MarketHandle } from '../exchange/market-handle.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import type { MarkColumns } from './data/mark-prices.js';

const NONE = ZERO as Amount;

/** The position of a run in the candles of one symbol. */
export class SymbolRun {
  readonly symbol: string;
  /** Index of the symbol in the run, from 0. */
  readonly ordinal: number;
  readonly series: SymbolSeries;
  /** The engine's price of the symbol. */
  readonly price: SymbolPrice;
  readonly onOpen: () => void;
  /** Index of the next candle. */
  index = 0;
  /** Open time of the next candle; Infinity at the end. */
  next: number;
  /** Open time of the last candle that was read: prices of the exchange come from it. −∞ before the first. */
  read = -Infinity;
  readonly openTimes: Float64Array;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #length: number;
  readonly #mark: MarkColumns | undefined;
  readonly #market: MarketHandle;
  /** It has a position in quiet candles. */
  isHeld = false;
  /** Unrealised PnL after the last quiet candle. */
  unrealised = NONE;
  /** From and to of the last price, from and to of the mark price. */
  readonly #band = new Float64Array(4);
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
      price,
    }: Pick<SymbolRun, 'symbol' | 'ordinal' | 'price'> & {
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
    this.price = price;
    this.ordinal = ordinal;
    this.series = series;
    this.onOpen = onOpen;
    this.openTimes = columns.openTime;
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

  /**
   * Reads what makes a candle quiet, until an order or position of the symbol changes.
   * @param idleOnly only while the symbol has no order or position
   * @returns false: no candle is quiet
   */
  beginQuiet(currency: Currency, idleOnly: boolean): boolean {
    if (idleOnly && this.#market.isActive) return false;
    if (!this.#market.readIdleBand(this.#band)) return false;
    const unrealised = this.#market.hold(currency);
    this.isHeld = unrealised !== undefined;
    this.unrealised = unrealised ?? NONE;
    return true;
  }

  /**
   * The number of candles from the next one on that are quiet: no order, stop or liquidation can fire in them. Doubtful
   * ones are not quiet.
   * @param first candles of another run, which must open together with these
   * @param most the number to stop at
   */
  quietCount(first: SymbolRun, most: number): number {
    const from = this.index;
    const end = Math.min(from + most, this.#length);
    const times = first.openTimes;
    const ahead = first.index - from;
    for (let index = from; index < end; index += 1)
      if (this.openTimes[index] !== times[index + ahead] || !this.#isQuiet(index))
        return index - from;
    return end - from;
  }

  #isQuiet(index: number): boolean {
    const band = this.#band;
    const open = this.#open[index] as number;
    const low = this.#low[index] as number;
    const high = this.#high[index] as number;
    const close = this.#close[index] as number;
    return (
      low > (band[0] as number) &&
      high < (band[1] as number) &&
      low <= open &&
      open <= high &&
      low <= close &&
      close <= high &&
      (this.#mark === undefined
        ? low > (band[2] as number) && high < (band[3] as number)
        : isInside(this.#mark, index, band))
    );
  }

  /** Sets the engine's price to the close of a candle after the next one. */
  setClosePrice(ahead: number, monotonic: number): void {
    this.price.setLast(this.#close[this.index + ahead] as number, monotonic);
  }

  /** Unrealised PnL at the close of a quiet candle after the next one; meaningless without a position. */
  unrealisedAfter(ahead: number): Amount {
    return this.#market.unrealisedAt(this.#close[this.index + ahead] as number);
  }

  /** Gives the exchange the price of a quiet candle after the next one. */
  settle(ahead: number): void {
    const index = this.index + ahead;
    const close = this.#close[index] as number;
    const mark = this.#mark === undefined ? close : (this.#mark.close[index] as number);
    this.#market.setIdlePrice(close, mark);
    this.read = this.openTimes[index] as number;
  }

  /** Passes quiet candles. */
  pass(count: number): void {
    if (this.isHeld) this.unrealised = this.unrealisedAfter(count - 1);
    this.index += count;
    this.next = this.#nextOpen();
  }

  /** The next candle. */
  candle(): MarketCandle {
    const { index } = this;
    this.read = this.openTimes[index] as number;
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
    return this.index < this.#length ? (this.openTimes[this.index] as number) : Infinity;
  }
}

/** Whether a candle of the mark price lies inside its part of a band. */
function isInside({ open, high, low, close }: MarkColumns, index: number, band: Float64Array) {
  const [opened, lowest] = [open[index] as number, low[index] as number];
  const [highest, closed] = [high[index] as number, close[index] as number];
  return (
    lowest > (band[2] as number) &&
    highest < (band[3] as number) &&
    lowest <= opened &&
    opened <= highest &&
    lowest <= closed &&
    closed <= highest
  );
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

/** Sets the close of every symbol before the first decision, which may use all of them. */
export function setClosePrices(
  runs: readonly SymbolRun[],
  openTime: number,
  closeTime: number,
): void {
  for (const run of runs) if (run.next === openTime) run.price.setLast(run.close, closeTime);
}
