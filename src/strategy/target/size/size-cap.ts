import {
  absolute,
  fixedFromNumber,
  isAtLeast,
  larger,
  numberFromFixed,
  smaller,
  textFromFixed,
  type Price,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import { quantize, type Instrument } from '../../../core/instrument.js';
import type { Side } from '../../../core/order.js';
import type { OrderFactory } from '../order-factory.js';
import type { PositionHeadroom } from '../../contract/strategy-port.js';
import { limitPolicyOf, type Size } from './sizing.js';
import { isBelowMinimum } from './next-leg.js';

/** A size within the risk limits. */
export interface CappedSize {
  /** Unsigned, on the quantity step. */
  readonly quantity: Quantity;
  /** The cut and its limit, for people; absent: no cut. */
  readonly text?: string;
}

/** The order for which a size is capped. */
export interface CapQuery {
  readonly symbol: string;
  readonly side: Side;
  readonly instrument: Instrument;
  readonly reference: Price;
  /** Signed; 0 for an order on top of the position. */
  readonly positionQuantity: Quantity;
}

/** Cuts the sizes of one strategy to the headroom under the risk limits, and logs each limit once. */
export class SizeCap {
  readonly #orderFactory: OrderFactory;
  readonly #size: Size;
  readonly #loggedLimits = new Set<string>();

  constructor(orderFactory: OrderFactory, size: Size) {
    this.#orderFactory = orderFactory;
    this.#size = size;
  }

  apply(requested: Quantity, query: CapQuery): CappedSize {
    if (limitPolicyOf(this.#size) === 'refuse') return { quantity: requested };
    const { symbol, side, positionQuantity } = query;
    const price = this.#worstPrice(query);
    const headroom = this.#orderFactory.port.headroom?.({
      symbol,
      side,
      price,
      held: positionQuantity,
    });
    const result = cappedTo(headroom, requested, query);
    if (headroom !== undefined) this.#logOnce(`${symbol} ${headroom.limit}`, result.text);
    return result;
  }

  /** Whether the headroom is below the venue's minimum order and no position uses it. */
  isBelowMinimumOrder({ quantity, text }: CappedSize, query: CapQuery): boolean {
    const { side, positionQuantity, instrument, reference } = query;
    if (text === undefined || (side === 'buy' ? positionQuantity > 0 : positionQuantity < 0))
      return false;
    if (!isBelowMinimum({ instrument, referencePrice: reference }, quantity)) return false;
    const what = `${text}; that is below the venue's minimum order, so none is sent`;
    this.#logOnce(`${query.symbol} minimum`, what);
    return true;
  }

  /** Highest possible price at the fill, for the configured entry style. */
  #worstPrice({ reference, side }: CapQuery): Price {
    const { entry } = this.#orderFactory.settings;
    if (entry.kind === 'market' || side === 'sell') return reference;
    return fixedFromNumber((numberFromFixed(reference) * (10_000 + entry.bps)) / 10_000);
  }

  #logOnce(about: string, text: string | undefined): void {
    if (text === undefined || this.#loggedLimits.has(about)) return;
    this.#loggedLimits.add(about);
    this.#orderFactory.log('warn', text);
  }
}

/** The held quantity is never cut: a limit prevents new risk and does not reduce a position. */
function cappedTo(
  headroom: PositionHeadroom | undefined,
  requested: Quantity,
  { side, positionQuantity, instrument }: CapQuery,
): CappedSize {
  if (headroom === undefined || numberFromFixed(requested) <= headroom.units)
    return { quantity: requested };
  const isHeld = side === 'buy' ? positionQuantity > 0 : positionQuantity < 0;
  const left = quantize(headroom.units, instrument);
  const quantity = isHeld ? larger(left, smaller(requested, absolute(positionQuantity))) : left;
  if (isAtLeast(quantity, requested)) return { quantity: requested };
  const text = `size ${textFromFixed(requested)} ${instrument.symbol} is capped to ${textFromFixed(quantity)} by risk.${headroom.limit}`;
  return { quantity, text };
}
