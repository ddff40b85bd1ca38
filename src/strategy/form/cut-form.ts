import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { StrategyForm } from './form.js';
import type { KeptCell } from '../host/state-cell.js';
import type { FundingView, PositionChange, SecondView, TimerView } from '../views.js';
import type { FillEvent, OrderEnd } from '../world.js';

/**
 * A strategy of which it is known that it did not answer a call: a replay makes neither that call nor
 * a later one. Calls are counted as `ThreadForm` counts them.
 */
export class CutForm implements StrategyForm {
  readonly #form: StrategyForm;
  readonly #cutAt: number;
  #calls = 0;

  /** @param cutAt the first call that is not made, from 1 */
  constructor(form: StrategyForm, cutAt: number) {
    this.#form = form;
    this.#cutAt = cutAt;
  }

  get intervals(): readonly Interval[] {
    return this.#form.intervals;
  }
  get needs(): readonly WarmUpNeed[] {
    return this.#form.needs;
  }
  get hearsFills(): boolean {
    return this.#form.hearsFills;
  }
  get hearsOrders(): boolean {
    return this.#form.hearsOrders;
  }
  get hearsRounds(): boolean {
    return this.#form.hearsRounds;
  }
  get hearsMarket(): boolean {
    return this.#form.hearsMarket;
  }
  get hearsPositions(): boolean {
    return this.#form.hearsPositions;
  }

  cells(symbol?: string): readonly KeptCell[] {
    return this.#calls < this.#cutAt ? this.#form.cells(symbol) : [];
  }
  closeAt(symbol: string, closedAt: number): number | undefined {
    return this.#form.closeAt(symbol, closedAt);
  }
  close(): void {
    this.#form.close();
  }

  open(): void {
    if (this.#isMade()) this.#form.open();
  }
  start(): void {
    if (this.#isMade()) this.#form.start();
  }
  candle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    if (this.#isMade()) this.#form.candle(symbol, interval, candles, index);
  }
  round(closedAt: number): void {
    if (this.#isMade()) this.#form.round(closedAt);
  }
  revision(symbol: string, candle: Candle): void {
    if (this.#isMade()) this.#form.revision(symbol, candle);
  }
  second(symbol: string, second: SecondView): void {
    if (this.#isMade()) this.#form.second(symbol, second);
  }
  markCandle(symbol: string, candle: Candle): void {
    if (this.#isMade()) this.#form.markCandle(symbol, candle);
  }
  ticker(symbol: string, last: number, mark: number | undefined): void {
    if (this.#isMade()) this.#form.ticker(symbol, last, mark);
  }
  fill(fill: FillEvent): void {
    if (this.#isMade()) this.#form.fill(fill);
  }
  ended(end: OrderEnd): void {
    if (this.#isMade()) this.#form.ended(end);
  }
  moved(symbol: string, before: number, reason: PositionChange['reason']): void {
    if (this.#isMade()) this.#form.moved(symbol, before, reason);
  }
  funding(funding: FundingView): void {
    if (this.#isMade()) this.#form.funding(funding);
  }
  timer(key: string): void {
    if (this.#isMade()) this.#form.timer(key);
  }
  due(symbol: string, timer: TimerView): void {
    if (this.#isMade()) this.#form.due(symbol, timer);
  }
  stop(): void {
    if (this.#isMade()) this.#form.stop();
  }

  #isMade(): boolean {
    this.#calls += 1;
    return this.#calls < this.#cutAt;
  }
}
