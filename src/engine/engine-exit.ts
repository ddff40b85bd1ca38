import type { Currency } from '../core/currency.js';
import type { EventTime } from '../core/events.js';
import { absolute, floorToStep, smaller, type Quantity } from '../core/fixed/fixed.js';
import { NO_EXPIRY, type DecisionCause, type OrderIntent } from '../core/intent.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import type { EngineFacts } from './engine-facts.js';

/** Owner id of the exits that the engine itself decides. */
export const ENGINE_ID = 'sluice';

export interface EngineExitParts {
  readonly facts: EngineFacts;
  readonly positions: PositionLedger;
  readonly stamp: Readonly<EventTime>;
  readonly submit: (intent: OrderIntent) => unknown;
}

export interface EngineExit {
  readonly cause: DecisionCause;
  /** Index of this exit among the exits of one cause, from 0. */
  readonly ordinal: number;
  readonly symbol: string;
  readonly currency: Currency;
  /** Part of the position to close, signed. */
  readonly quantity: Quantity;
}

/**
 * Closes a part of a position with a reduce-only market order, up to the instrument's maximum quantity.
 * The order has no expiry. Without a known price the entry price is its reference; no size depends on
 * it.
 * @returns why nothing was submitted
 */
export function submitExit(
  { facts, positions, stamp, submit }: EngineExitParts,
  { cause, ordinal, symbol, currency, quantity }: EngineExit,
): string | undefined {
  const instrument = facts.instrument(symbol);
  if (instrument === undefined) return `the venue lists no instrument ${symbol}`;
  const price = facts.lastPrice(symbol) ?? positions.entryPrice(symbol, currency);
  if (price === undefined) return `no price of ${symbol} is known`;
  const maxQuantity = floorToStep(instrument.maxMarketQuantity, instrument.quantityStep);
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
      quantity: smaller(absolute(quantity), maxQuantity),
      reduceOnly: true,
    },
    referencePrice: price,
    decidedAt: stamp.venueTime,
    validUntil: NO_EXPIRY,
  });
  return undefined;
}
