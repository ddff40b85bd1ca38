import type { Currency } from '../../core/currency.js';
import { ZERO, type Amount, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type {
  NextFunding,
  PersistedState,
  StrategyPort,
  WorkingOrder,
} from '../contract/strategy-port.js';
import type { InitRequest, SymbolDelta, StateDelta } from './worker-messages.js';

/** Engine state as replicated on a strategy's worker; read-only, except for timers. */
export class ReplicatedStrategyState implements StrategyPort {
  readonly currency: Currency;
  /** The host persists the state. */
  readonly isDurable = false;
  readonly #persisted: ReadonlyMap<string, PersistedState>;
  readonly #setSchedulerTimer: (venueTime: number, key: string) => void;
  readonly #symbols = new Map<string, SymbolDelta>();
  readonly #instruments = new Map<string, Instrument>();
  #venueTime = 0;
  #equity: StateDelta['equity'];

  constructor(
    { currency, persisted }: InitRequest,
    setSchedulerTimer: (venueTime: number, key: string) => void,
  ) {
    this.currency = currency;
    this.#persisted = new Map(persisted);
    this.#setSchedulerTimer = setSchedulerTimer;
  }

  apply({ venueTime, equity, instruments, symbols }: StateDelta): void {
    this.#venueTime = venueTime;
    if (equity !== undefined) this.#equity = equity;
    for (const instrument of instruments) this.#instruments.set(instrument.symbol, instrument);
    for (const delta of symbols) this.#symbols.set(delta.symbol, delta);
  }

  get venueTime(): number {
    return this.#venueTime;
  }
  /** Equity for sizes. */
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
  workingOrders(symbol: string): readonly WorkingOrder[] {
    return this.#symbols.get(symbol)?.working ?? [];
  }
  equity(): Amount | undefined {
    return this.#equity?.amount;
  }
  lastPrice(symbol: string): number | undefined {
    return this.#symbols.get(symbol)?.lastPrice;
  }
  funding(symbol: string): NextFunding | undefined {
    return this.#symbols.get(symbol)?.funding;
  }
  persisted(key: string): PersistedState | undefined {
    return this.#persisted.get(key);
  }
  setTimer(venueTime: number, key: string): void {
    this.#setSchedulerTimer(venueTime, key);
  }

  get monotonic(): never {
    return notOnWorker();
  }
  setTimerAfter(): never {
    return notOnWorker();
  }
  persist(): never {
    return notOnWorker();
  }
  protect(): never {
    return notOnWorker();
  }
  submit(): never {
    return notOnWorker();
  }
  cancel(): never {
    return notOnWorker();
  }
  note(): never {
    return notOnWorker();
  }
}

function notOnWorker(): never {
  throw new Error('orders are placed by the host, on the thread of the engine');
}
