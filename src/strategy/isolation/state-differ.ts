import type { Instrument } from '../../core/instrument.js';
import { usdtEquityOf, type HostSettings } from '../host/strategy-host.js';
import type { StrategyPort } from '../contract/strategy-port.js';
import type { EquityDelta, SymbolDelta, StateDelta } from './worker-messages.js';

/** Computes the changes of engine state since the previous request to a worker. */
export class StateDiffer {
  readonly #settings: Pick<HostSettings, 'symbols' | 'port' | 'usdtPerUnit'>;
  readonly #lastSent = new Map<string, SymbolDelta>();
  readonly #instruments = new Map<string, Instrument>();
  #equity: EquityDelta = { amount: undefined, usdt: undefined };

  constructor(settings: Pick<HostSettings, 'symbols' | 'port' | 'usdtPerUnit'>) {
    this.#settings = settings;
  }

  nextDelta(): StateDelta {
    const { symbols, port } = this.#settings;
    const equity = this.#equityDelta();
    return {
      venueTime: port.venueTime,
      instruments: symbols.map((symbol) => this.#changedInstrument(symbol)).filter(isDefined),
      symbols: symbols.map((symbol) => this.#symbolDelta(symbol)).filter(isDefined),
      ...(equity !== undefined && { equity }),
    };
  }

  #symbolDelta(symbol: string): SymbolDelta | undefined {
    const previous = this.#lastSent.get(symbol);
    const current = symbolStateOf(symbol, this.#settings.port);
    if (previous !== undefined && isSame(previous, current)) return undefined;
    this.#lastSent.set(symbol, current);
    return current;
  }

  #changedInstrument(symbol: string): Instrument | undefined {
    const instrument = this.#settings.port.instrument(symbol);
    if (instrument === undefined || this.#instruments.get(symbol) === instrument) return undefined;
    this.#instruments.set(symbol, instrument);
    return instrument;
  }

  #equityDelta(): EquityDelta | undefined {
    const [amount, usdt] = [this.#settings.port.equity(), usdtEquityOf(this.#settings)];
    if (amount === this.#equity.amount && usdt === this.#equity.usdt) return undefined;
    this.#equity = { amount, usdt };
    return this.#equity;
  }
}

const symbolStateOf = (symbol: string, port: StrategyPort): SymbolDelta => ({
  symbol,
  position: port.position(symbol),
  entryPrice: port.entryPrice(symbol),
  lastPrice: port.lastPrice(symbol),
  funding: port.funding(symbol),
  working: port.workingOrders(symbol),
});

/** Orders are not compared: while there are any, every delta has them. */
const isSame = (one: SymbolDelta, other: SymbolDelta): boolean =>
  one.position === other.position &&
  one.entryPrice === other.entryPrice &&
  one.lastPrice === other.lastPrice &&
  one.funding === other.funding &&
  one.working.length === 0 &&
  other.working.length === 0;

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;
