import type { Currency } from '../../core/currency.js';
import {
  fixedFromNumber,
  numberFromFixed,
  ONE,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { ExchangeState } from '../exchange-state.js';
import type { MarketHandle } from '../market-handle.js';
import type { PriceMover } from './price-mover.js';
import type { ExchangePositionState, SymbolState } from './symbol-state.js';

const NONE = ZERO as Amount;
/** Above the rounding of a price of market data to 1e-8. */
const ROUNDING = 2e-8;
/** Above the relative rounding error of a few operations on doubles. */
const RELATIVE_ROUNDING = 4e-15;

/** One symbol of the exchange, for a loop over its candles. */
export class ExchangeMarket implements MarketHandle {
  readonly #state: ExchangeState;
  readonly #symbolState: SymbolState;
  readonly #mover: PriceMover;
  #position: ExchangePositionState | undefined;
  #rate: Ratio = ONE;

  constructor(state: ExchangeState, symbolState: SymbolState, mover: PriceMover) {
    this.#state = state;
    this.#symbolState = symbolState;
    this.#mover = mover;
  }

  get isActive(): boolean {
    return this.#symbolState.active;
  }

  passIdle(low: number, high: number, close: number): boolean {
    return this.#mover.passIdle(this.#symbolState, low, high, close);
  }

  readIdleBand(into: Float64Array): boolean {
    const { unmatched, active } = this.#symbolState;
    if (unmatched.length > 0) return false;
    const band = active ? this.#mover.idleBand(this.#symbolState) : undefined;
    into[0] = above(band?.lastFrom);
    into[1] = below(band?.lastTo);
    into[2] = above(band?.markFrom);
    into[3] = below(band?.markTo);
    return true;
  }

  setIdlePrice(last: number, mark: number): void {
    this.#symbolState.last = fixedFromNumber(last);
    this.#symbolState.mark = mark === last ? this.#symbolState.last : fixedFromNumber(mark);
  }

  hold(currency: Currency): Amount | undefined {
    const position = this.#symbolState.positions.get(currency);
    this.#position = position;
    if (position === undefined) return undefined;
    this.#rate = this.#state.pnlRate(position);
    return position.unrealised(this.#symbolState.last, this.#rate);
  }

  unrealisedAt(last: number): Amount {
    const position = this.#position;
    return position === undefined ? NONE : position.unrealised(fixedFromNumber(last), this.#rate);
  }
}

/** A double that lies above the edge, whichever way a price near it is rounded. */
function above(edge: Price | undefined): number {
  if (edge === undefined) return 0;
  const price = numberFromFixed(edge);
  return Math.max(0, price + price * RELATIVE_ROUNDING + ROUNDING);
}

function below(edge: Price | undefined): number {
  if (edge === undefined) return Infinity;
  const price = numberFromFixed(edge);
  return price - price * RELATIVE_ROUNDING - ROUNDING;
}
