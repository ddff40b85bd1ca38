import type { Currency } from '../../core/currency.js';
import { ZERO, type Amount, type Price, type Quantity } from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { FundingFact, KeptState, StrategyWorld, WorkingOrder } from '../world.js';
import type { Making, SymbolNews, WorldNews } from './call.js';

/** The world as a strategy's thread was told it. Nothing can be done to it but asking for timers. */
export class ToldWorld implements StrategyWorld {
  readonly currency: Currency;
  /** The host keeps the state. */
  readonly isDurable = false;
  readonly #kept: ReadonlyMap<string, KeptState>;
  readonly #wake: (venueTime: number, key: string) => void;
  readonly #symbols = new Map<string, SymbolNews>();
  readonly #instruments = new Map<string, Instrument>();
  #venueTime = 0;
  #equity: WorldNews['equity'];

  constructor({ currency, kept }: Making, wake: (venueTime: number, key: string) => void) {
    this.currency = currency;
    this.#kept = new Map(kept);
    this.#wake = wake;
  }

  learn({ venueTime, equity, instruments, symbols }: WorldNews): void {
    this.#venueTime = venueTime;
    if (equity !== undefined) this.#equity = equity;
    for (const instrument of instruments) this.#instruments.set(instrument.symbol, instrument);
    for (const news of symbols) this.#symbols.set(news.symbol, news);
  }

  get venueTime(): number {
    return this.#venueTime;
  }
  /** What sizes are computed from. */
  get equityUsdt(): number | undefined {
    return this.#equity?.usdt;
  }
  instrument(symbol: string): Instrument | undefined {
    return this.#instruments.get(symbol);
  }
  position(symbol: string): Quantity {
    return this.#symbols.get(symbol)?.position ?? (ZERO as Quantity);
  }
  entryPrice(symbol: string): Price | undefined {
    return this.#symbols.get(symbol)?.entryPrice;
  }
  working(symbol: string): readonly WorkingOrder[] {
    return this.#symbols.get(symbol)?.working ?? [];
  }
  equity(): Amount | undefined {
    return this.#equity?.amount;
  }
  lastPrice(symbol: string): number | undefined {
    return this.#symbols.get(symbol)?.lastPrice;
  }
  funding(symbol: string): FundingFact | undefined {
    return this.#symbols.get(symbol)?.funding;
  }
  kept(key: string): KeptState | undefined {
    return this.#kept.get(key);
  }
  timer(venueTime: number, key: string): void {
    this.#wake(venueTime, key);
  }

  get monotonic(): never {
    return onlyAtTheHost();
  }
  timerAfter(): never {
    return onlyAtTheHost();
  }
  keep(): never {
    return onlyAtTheHost();
  }
  protect(): never {
    return onlyAtTheHost();
  }
  submit(): never {
    return onlyAtTheHost();
  }
  cancel(): never {
    return onlyAtTheHost();
  }
  note(): never {
    return onlyAtTheHost();
  }
}

function onlyAtTheHost(): never {
  throw new Error('orders are given by the host, on the thread of the engine');
}
