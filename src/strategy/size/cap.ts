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
} from '../../core/fixed.js';
import { quantize, type Instrument } from '../../core/instrument.js';
import type { Side } from '../../core/order.js';
import type { OrderDesk } from '../order-desk.js';
import type { Room } from '../world.js';
import { limitPolicyOf, type Size } from './sizing.js';
import { isBelowMinimum } from './target.js';

/** A size as the limits let it be. */
export interface Capped {
  /** Unsigned, on the quantity step. */
  readonly quantity: Quantity;
  /** The cut and the limit that made it; absent: there was none. */
  readonly text?: string;
}

/** Where a size goes. */
export interface CapQuery {
  readonly symbol: string;
  readonly side: Side;
  readonly instrument: Instrument;
  readonly reference: Price;
  /** Signed; 0 for an order that comes on top of what is held. */
  readonly held: Quantity;
}

/** Cuts the sizes of one strategy to what the risk limits leave, and says so once for each limit. */
export class SizeCap {
  readonly #desk: OrderDesk;
  readonly #size: Size;
  readonly #said = new Set<string>();

  constructor(desk: OrderDesk, size: Size) {
    this.#desk = desk;
    this.#size = size;
  }

  apply(wanted: Quantity, query: CapQuery): Capped {
    if (limitPolicyOf(this.#size) === 'refuse') return { quantity: wanted };
    const { symbol, side, held } = query;
    const price = this.#worstPrice(query);
    const room = this.#desk.world.room?.({ symbol, side, price, held });
    const result = cappedTo(room, wanted, query);
    if (room !== undefined) this.#sayOnce(`${symbol} ${room.limit}`, result.text);
    return result;
  }

  /** Whether so little is left that no order can be made of it, and nothing that is held stands for it. */
  leavesNoOrder({ quantity, text }: Capped, query: CapQuery): boolean {
    const { side, held, instrument, reference } = query;
    if (text === undefined || (side === 'buy' ? held > 0 : held < 0)) return false;
    if (!isBelowMinimum({ instrument, referencePrice: reference }, quantity)) return false;
    const what = `${text}; that is below the venue's minimum order, so none is sent`;
    this.#sayOnce(`${query.symbol} minimum`, what);
    return true;
  }

  /** The highest worth of a unit at its fill, for an entry as it is configured. */
  #worstPrice({ reference, side }: CapQuery): Price {
    const { entry } = this.#desk.settings;
    if (entry.kind === 'market' || side === 'sell') return reference;
    return fixedFromNumber((numberFromFixed(reference) * (10_000 + entry.bps)) / 10_000);
  }

  #sayOnce(about: string, text: string | undefined): void {
    if (text === undefined || this.#said.has(about)) return;
    this.#said.add(about);
    this.#desk.say('warn', text);
  }
}

/**
 * The held quantity is never cut: a limit keeps risk from being put on, and takes none off.
 */
function cappedTo(
  room: Room | undefined,
  wanted: Quantity,
  { side, held, instrument }: CapQuery,
): Capped {
  if (room === undefined || numberFromFixed(wanted) <= room.units) return { quantity: wanted };
  const isHeld = side === 'buy' ? held > 0 : held < 0;
  const left = quantize(room.units, instrument);
  const quantity = isHeld ? larger(left, smaller(wanted, absolute(held))) : left;
  if (isAtLeast(quantity, wanted)) return { quantity: wanted };
  const text = `size ${textFromFixed(wanted)} ${instrument.symbol} is capped to ${textFromFixed(quantity)} by risk.${room.limit}`;
  return { quantity, text };
}
