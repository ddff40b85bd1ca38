import type { EffectSink } from '../execution/effects.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { PositionBook } from '../execution/position-book.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { PriceBook } from './market/price-book.js';
import type { SeriesBook } from './market/series-book.js';
import type { Operator } from './operator/operator.js';
import type { Reconciliation } from './reconciliation/reconciliation.js';
import type { Standing } from './standing.js';
import type { LeverageBook } from './watch/leverage-book.js';

export interface BeginningParts {
  readonly effects: EffectSink;
  readonly ledger: OrderLedger;
  readonly positions: PositionBook;
  readonly prices: PriceBook;
  readonly series: SeriesBook;
  readonly leverage: LeverageBook;
  readonly reconciliation: Reconciliation;
  readonly standing: Standing;
  readonly protocol: OrderProtocol;
  readonly operator: Operator;
  readonly hosts: readonly StrategyHost[];
  readonly halt: (reason: string) => void;
}

/** What must hold before anything is traded: leverage set, the account known, prices for what waits. */
export class Beginning {
  readonly #parts: BeginningParts;
  /** Symbols that a person has resumed before those who trade them were started. */
  readonly #resumed = new Set<string>();
  #started = false;

  /** Orders may leave, and the strategies have not been told. */
  #hostsWait = false;
  #leverageIsAsked = false;

  constructor(parts: BeginningParts) {
    this.#parts = parts;
  }

  /** Told to those who trade the symbol as soon as they are started. */
  resume(symbol: string): void {
    if (this.#started) this.#tellResumed(symbol);
    else this.#resumed.add(symbol);
  }

  /** The flatten of an earlier life goes first: its cancels and exits need no leverage. */
  start(): void {
    const { operator } = this.#parts;
    operator.flatten.resume();
    if (!this.#comesLater()) this.#askLeverage();
  }

  /** Begins to trade as soon as it may, at the start and after every doubt. */
  attempt(): void {
    const { standing, protocol, operator, reconciliation } = this.#parts;
    if (standing.mode !== 'RECONCILING') {
      if (this.#hostsWait) this.#startHosts();
      return;
    }
    if (standing.accessRefused) return;
    const isReady = this.#comesLater() ? reconciliation.complete : this.#isReady();
    if (!isReady) return;
    standing.advance({ kind: 'reconciled' });
    protocol.goOn();
    this.#hostsWait = true;
    this.#startHosts();
    operator.goOn();
  }

  /** Strategies trade after a flatten has come to its end, and not at all under a kill switch. */
  #comesLater(): boolean {
    const { standing, operator } = this.#parts;
    return standing.killed || operator.flatten.comesFirst;
  }

  #startHosts(): void {
    if (this.#comesLater()) return;
    this.#askLeverage();
    if (!this.#isReady()) return;
    this.#hostsWait = false;
    for (const host of this.#parts.hosts) host.start();
    this.#started = true;
    for (const symbol of this.#resumed) this.#tellResumed(symbol);
    this.#resumed.clear();
  }

  #tellResumed(symbol: string): void {
    const traders = this.#parts.hosts.filter(({ symbols }) => symbols.includes(symbol));
    for (const host of traders) host.resume(symbol);
    if (traders.length > 0) return;
    const text = `--resume ${symbol}: no configured strategy trades it`;
    this.#parts.effects.notify({ level: 'warn', text });
  }

  #askLeverage(): void {
    if (this.#leverageIsAsked) return;
    this.#leverageIsAsked = true;
    this.#parts.leverage.start();
  }

  /** Whether trading may begin; a leverage that the venue refuses may halt the run instead. */
  #isReady(): boolean {
    const { leverage, reconciliation } = this.#parts;
    if (!leverage.settled || !reconciliation.complete || !this.#pricesAreKnown()) return false;
    const { failure } = leverage;
    return failure === undefined || !this.#halts(failure);
  }

  /**
   * Nothing can be opened at a leverage that the venue refuses. Where something is open its exits need
   * none, and a halt would hold them: R15 keeps entries back.
   */
  #halts(failure: string): boolean {
    const { positions, effects, halt } = this.#parts;
    const { value: open } = positions.open()[Symbol.iterator]().next();
    if (open === undefined) {
      halt(failure);
      return true;
    }
    effects.notify({ level: 'error', text: `${failure}: only exits leave` });
    return false;
  }

  /** An entry that waits is judged by the price of now; an exit needs none. */
  #pricesAreKnown(): boolean {
    const { ledger, series, prices } = this.#parts;
    for (const { state, wanted, terms } of ledger.allActive()) {
      const mayGoAgain = state === 'retrying' || (state === 'verifying' && wanted);
      const goesOut = !terms.reduceOnly && (state === 'waiting' || mayGoAgain);
      const watched = series.find(terms.symbol) !== undefined;
      if (goesOut && watched && prices.last(terms.symbol) === undefined) return false;
    }
    return true;
  }
}
