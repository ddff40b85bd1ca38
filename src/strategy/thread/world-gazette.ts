import type { Instrument } from '../../core/instrument.js';
import { equityUsdt, type HostSettings } from '../host/strategy-host.js';
import type { StrategyWorld } from '../world.js';
import type { EquityNews, SymbolNews, WorldNews } from './call.js';

/** Tells a thread what of a world has changed since it was told last. */
export class WorldGazette {
  readonly #settings: Pick<HostSettings, 'symbols' | 'world' | 'usdtPerUnit'>;
  readonly #told = new Map<string, SymbolNews>();
  readonly #instruments = new Map<string, Instrument>();
  #equity: EquityNews = { amount: undefined, usdt: undefined };

  constructor(settings: Pick<HostSettings, 'symbols' | 'world' | 'usdtPerUnit'>) {
    this.#settings = settings;
  }

  news(): WorldNews {
    const { symbols, world } = this.#settings;
    const equity = this.#equityNews();
    return {
      venueTime: world.venueTime,
      instruments: symbols.map((symbol) => this.#instrumentNews(symbol)).filter(isThere),
      symbols: symbols.map((symbol) => this.#symbolNews(symbol)).filter(isThere),
      ...(equity !== undefined && { equity }),
    };
  }

  #symbolNews(symbol: string): SymbolNews | undefined {
    const told = this.#told.get(symbol);
    const now = newsOf(symbol, this.#settings.world);
    if (told !== undefined && isSame(told, now)) return undefined;
    this.#told.set(symbol, now);
    return now;
  }

  #instrumentNews(symbol: string): Instrument | undefined {
    const instrument = this.#settings.world.instrument(symbol);
    if (instrument === undefined || this.#instruments.get(symbol) === instrument) return undefined;
    this.#instruments.set(symbol, instrument);
    return instrument;
  }

  #equityNews(): EquityNews | undefined {
    const [amount, usdt] = [this.#settings.world.equity(), equityUsdt(this.#settings)];
    if (amount === this.#equity.amount && usdt === this.#equity.usdt) return undefined;
    this.#equity = { amount, usdt };
    return this.#equity;
  }
}

const newsOf = (symbol: string, world: StrategyWorld): SymbolNews => ({
  symbol,
  position: world.position(symbol),
  entryPrice: world.entryPrice(symbol),
  lastPrice: world.lastPrice(symbol),
  funding: world.funding(symbol),
  working: world.working(symbol),
});

/** Orders are compared by their absence alone: while there are some, they are told each time. */
const isSame = (one: SymbolNews, other: SymbolNews): boolean =>
  one.position === other.position &&
  one.entryPrice === other.entryPrice &&
  one.lastPrice === other.lastPrice &&
  one.funding === other.funding &&
  one.working.length === 0 &&
  other.working.length === 0;

const isThere = <T>(value: T | undefined): value is T => value !== undefined;
