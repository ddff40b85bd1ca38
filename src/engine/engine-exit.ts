import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import { absolute, floorToStep, smaller, type Quantity } from '../core/fixed.js';
import { NO_EXPIRY, type Cause, type OrderIntent } from '../core/intent.js';
import type { PositionBook } from '../execution/position-book.js';
import type { EngineFacts } from './gate-facts.js';

/** Exits of the engine's own carry this owner. */
export const ENGINE_ID = 'sluice';

export interface ExitParts {
  readonly facts: EngineFacts;
  readonly positions: PositionBook;
  readonly stamp: Readonly<Stamp>;
  readonly submit: (intent: OrderIntent) => unknown;
}

export interface Exit {
  readonly cause: Cause;
  /** Which of the exits on one cause, from 0. */
  readonly ordinal: number;
  readonly symbol: string;
  readonly currency: Currency;
  /** Of the position to take off, signed. */
  readonly quantity: Quantity;
}

/**
 * Takes off a part of a position by a reduce-only market order, as much as one may hold. It is wanted
 * until it is done. Where no price is known the position's own entry stands for it: nothing is sized by it.
 * @returns why nothing was submitted
 */
export function submitExit(
  { facts, positions, stamp, submit }: ExitParts,
  { cause, ordinal, symbol, currency, quantity }: Exit,
): string | undefined {
  const instrument = facts.instrument(symbol);
  if (instrument === undefined) return `the venue tells no instrument ${symbol}`;
  const price = facts.lastPrice(symbol) ?? positions.entryPrice(symbol, currency);
  if (price === undefined) return `no price of ${symbol} is known`;
  const most = floorToStep(instrument.maxMarketQuantity, instrument.quantityStep);
  submit({
    strategyId: ENGINE_ID,
    cause,
    ordinal,
    leg: 0,
    terms: {
      symbol,
      currency,
      side: quantity > 0 ? 'sell' : 'buy',
      type: 'market',
      quantity: smaller(absolute(quantity), most),
      reduceOnly: true,
    },
    referencePrice: price,
    decidedAt: stamp.venueTime,
    validUntil: NO_EXPIRY,
  });
  return undefined;
}
