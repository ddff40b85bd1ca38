import type { Cause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import type { StrategyForm } from '../form/form.js';
import type { OrderDesk } from '../order-desk.js';
import type { Trader } from '../trader.js';
import type { Failures } from './failures.js';
import type { HostOutbox } from './host-outbox.js';
import type { Life } from './life.js';
import type { SeenCandles } from './seen-candles.js';
import type { StateWrite } from './state-cell.js';
import type { CloseOf, Step } from './step.js';
import type { HostWatch } from './strategy-host.js';

export interface HookCallerParts {
  readonly form: StrategyForm;
  readonly outbox: HostOutbox;
  readonly step: Step;
  readonly life: Life;
  readonly desk: OrderDesk;
  readonly trader: Trader;
  readonly failures: Failures;
  /** Only of a strategy with durable state. */
  readonly seen: SeenCandles | undefined;
  readonly watch: HostWatch | undefined;
}

/** A call of the strategy that is no candle. */
export interface Call {
  readonly hook: string;
  readonly cause: Cause;
  /** Whose state the hook may change; absent: any. */
  readonly symbol?: string;
  /** What the strategy is shown is over: its state stays as it was. */
  readonly history?: boolean;
  readonly closeOf?: CloseOf;
}

/**
 * Calls the strategy's code. What a hook asks for and what it did to its state are taken whole when it
 * has returned, and not at all when it threw.
 */
export class HookCaller {
  readonly #form: StrategyForm;
  readonly #outbox: HostOutbox;
  readonly #life: Life;
  readonly #desk: OrderDesk;
  readonly #parts: HookCallerParts;
  readonly #isStateful: boolean;
  /** The strategy listens, to history first. */
  #opened = false;
  /** Facts of before the start of trading, which are told at the start. */
  readonly #facts: (() => void)[] = [];

  constructor(parts: HookCallerParts) {
    this.#form = parts.form;
    this.#outbox = parts.outbox;
    this.#life = parts.life;
    this.#desk = parts.desk;
    this.#parts = parts;
    this.#isStateful = parts.seen !== undefined;
  }

  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    this.hear('intents', () => this.#form.open());
  }

  /** A call in which the strategy may ask for nothing. */
  hear(hook: string, run: () => void): void {
    try {
      run();
      this.#settle(undefined, false);
    } catch (error) {
      this.#threw(hook, error);
    }
    this.#desk.keepState();
  }

  /** A candle that `step` has already; `live` of its life says whether it is history. */
  candle(
    hook: 'onCandle' | 'onInterval',
    symbol: string,
    interval: Interval,
    columns: CandleColumns,
    index: number,
  ): void {
    if (!this.#opened) this.open();
    this.#outbox.listening = true;
    try {
      this.#form.candle(symbol, interval, columns, index);
      if (this.#mustSettle) this.#settle(symbol, !this.#life.live);
    } catch (error) {
      this.#threw(hook, error, symbol);
    }
    this.#outbox.listening = false;
    if (this.#outbox.intents.length > 0) this.#takeIntents();
    if (this.#isStateful) this.#desk.keepState();
  }

  /**
   * An event that comes once, as a fill does: before the start of trading it is kept for the start, so
   * that the strategy may act on it.
   */
  fact(call: Call, run: () => void): void {
    if (this.#life.started) this.call(call, run);
    else if (this.#life.runs)
      this.#facts.push(() => {
        this.call(call, run);
      });
  }

  /** Orders may be given from here on: tells what has come before. */
  tellFacts(): void {
    for (const tell of this.#facts.splice(0)) tell();
  }

  /**
   * Lets the strategy hear an event that is no candle, and takes what it asks for. An event that is
   * no history is not told before the start of trading.
   */
  call({ hook, cause, symbol, history = false, closeOf }: Call, run: () => void): void {
    if (!this.#life.runs || !this.#opened || !(history || this.#life.started)) return;
    this.#life.live = !history;
    this.#parts.step.other(cause, closeOf);
    this.#outbox.listening = true;
    try {
      run();
      this.#settle(symbol, history);
    } catch (error) {
      this.#threw(hook, error, symbol);
    }
    this.#outbox.listening = false;
    if (this.#outbox.intents.length > 0) this.#takeIntents();
    this.#desk.keepState();
  }

  /** The last call: what it throws is told, and ends nothing any more. */
  stop(): void {
    try {
      this.#form.stop();
      this.#settle(undefined, false);
    } catch (error) {
      this.#parts.failures.report('onStop', error);
    }
    this.#desk.keepState();
    this.#form.close();
  }

  /** Nothing to do at most candles of most strategies: this is the hot path of a backtest. */
  get #mustSettle(): boolean {
    return this.#isStateful || this.#outbox.intents.length > 0;
  }

  /** The hook has returned: takes what it did to its state. @throws RangeError */
  #settle(symbol: string | undefined, history: boolean): void {
    this.#outbox.check();
    for (const cell of this.#form.cells(symbol)) {
      if (history) cell.undo();
      else this.#carry(cell.take());
    }
  }

  #carry(write: StateWrite | undefined): void {
    if (write === undefined) return;
    const seen = this.#parts.seen?.of(write.key);
    this.#desk.carry(seen === undefined ? write : { ...write, seen });
  }

  #takeIntents(): void {
    const { intents } = this.#outbox;
    const { watch, trader, step } = this.#parts;
    for (const intent of intents) {
      if (!this.#life.live || !this.#life.runs) continue;
      watch?.asked(intent);
      trader.take(intent, step);
    }
    intents.length = 0;
  }

  /** It did not get to say all that it wanted: nothing of it is taken. */
  #threw(hook: string, error: unknown, symbol?: string): void {
    this.#outbox.clear();
    this.#desk.dropState();
    for (const cell of this.#form.cells(symbol)) cell.undo();
    const why = this.#parts.failures.threw(hook, error);
    if (why !== undefined) this.#life.end('failed', why);
  }
}
