import { assert } from '../core/assert.js';
import { CURRENCIES } from '../core/currency.js';
import type { ExchangePosition } from '../exchange/simulated-exchange.js';
import type { SandboxListing } from './listings.js';
import type { Call } from './route.js';
import type { VenueDesk } from './venue-desk.js';

export interface OpenPosition {
  readonly position: ExchangePosition;
  readonly listing: SandboxListing;
}

/**
 * The open position of a path, in either currency: what is done to a position inherits its currency
 * (interface, rule 9). Else why there is none: its id is unknown, or it is not open yet or any more.
 */
export function openPosition(
  desk: VenueDesk,
  call: Call,
): OpenPosition | 'position-not-found' | 'position-not-open' {
  const id = positionIdOf(call);
  for (const currency of CURRENCIES) {
    const position = desk.exchange.positions(currency).find((row) => row.positionId === id);
    if (position === undefined) continue;
    const listing = desk.listings.bySymbol(position.symbol);
    assert(listing !== undefined, 'A position is on a listed symbol');
    return { position, listing };
  }
  return desk.exchange.knowsPosition(id) ? 'position-not-open' : 'position-not-found';
}

export const positionIdOf = (call: Call): string => call.parameters['position_id'] ?? '';
