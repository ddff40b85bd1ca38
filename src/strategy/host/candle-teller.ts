import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { Exits } from '../exits.js';
import type { Lane } from '../lane.js';
import type { SeenPrices } from '../size/volatility.js';
import type { Trader } from '../trader.js';
import type { HookCaller } from './hook-caller.js';
import type { Life } from './life.js';
import { seriesOf, type SeenCandles } from './seen-candles.js';
import type { Step } from './step.js';

export interface CandleTellerParts {
  /** The strategy's own. */
  readonly interval: Interval;
  readonly life: Life;
  readonly step: Step;
  readonly calls: HookCaller;
  readonly trader: Trader;
  readonly exits: Exits;
  /** Only of a strategy with durable state. */
  readonly seen: SeenCandles | undefined;
  /** Only where sizes need them. */
  readonly prices: SeenPrices | undefined;
}

/** Tells a strategy its closed candles, and sees to what its orders need at each. */
export class CandleTeller {
  // The hot path of a backtest: fields, not parts.
  readonly #interval: Interval;
  readonly #life: Life;
  readonly #step: Step;
  readonly #calls: HookCaller;
  readonly #trader: Trader;
  readonly #exits: Exits;
  readonly #seen: SeenCandles | undefined;
  readonly #prices: SeenPrices | undefined;
  /** Of the last candle: most strategies have one symbol. */
  #lane: Lane | undefined;

  constructor(parts: CandleTellerParts) {
    this.#interval = parts.interval;
    this.#life = parts.life;
    this.#step = parts.step;
    this.#calls = parts.calls;
    this.#trader = parts.trader;
    this.#exits = parts.exits;
    this.#seen = parts.seen;
    this.#prices = parts.prices;
  }

  candle(
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
    live: boolean,
  ): void {
    const own = interval === this.#interval;
    const { runs } = this.#life;
    const isLive = live && this.#life.started;
    this.#life.live = isLive && this.#isNew(symbol, interval, columns, index);
    this.#step.candle(symbol, interval, columns, index);
    if (runs) {
      if (own) this.#prices?.see(symbol, columns, index);
      this.#calls.candle(own ? 'onCandle' : 'onInterval', symbol, interval, columns, index);
    }
    if (own && isLive) this.#seeToOrders(symbol, columns, index);
  }

  /** No life before this one has decided on it. */
  #isNew(symbol: string, interval: Interval, columns: CandleColumns, index: number): boolean {
    if (this.#seen === undefined) return true;
    return this.#seen.takeOn(seriesOf(symbol, interval), columns.openTime[index] as number);
  }

  /** What waits is tried again, and exits that the venue does not know are seen to. */
  #seeToOrders(symbol: string, columns: CandleColumns, index: number): void {
    if (!this.#life.trades) return;
    if (this.#lane?.symbol !== symbol) this.#lane = this.#trader.lane(symbol);
    if (this.#lane?.pending === true) this.#lane.retry(this.#step);
    if (this.#exits.isIdle || this.#lane === undefined) return;
    const [high, low, close] = [columns.high[index], columns.low[index], columns.close[index]];
    if (high === undefined || low === undefined || close === undefined) return;
    this.#exits.candle(this.#lane, { high, low, close }, this.#step);
  }
}
