import { assert } from '../../core/assert.js';
import { CURRENCIES } from '../../core/currency.js';
import type { ExchangePosition } from '../../exchange/simulated-exchange.js';
import type { SandboxListing } from '../../market/synthetic/listings.js';
import type { RouteCall } from '../http/route.js';
import type { RouteContext } from './route-context.js';

export interface OpenPosition {
  readonly position: ExchangePosition;
  readonly listing: SandboxListing;
}

/**
 * The open position of a path, in either currency, since actions inherit the position's currency
 * (interface: rule 9). Otherwise the refusal: the id is unknown, or the position is not open.
 */
export function openPositionFor(
  context: RouteContext,
  call: RouteCall,
): OpenPosition | 'position-not-found' | 'position-not-open' {
  const id = positionIdOf(call);
  for (const currency of CURRENCIES) {
    const position = context.exchange.positions(currency).find((row) => row.positionId === id);
    if (position === undefined) continue;
    const listing = context.listings.bySymbol(position.symbol);
    assert(listing !== undefined, 'A position is on a listed symbol');
    return { position, listing };
  }
  return context.exchange.isKnownPosition(id) ? 'position-not-open' : 'position-not-found';
}

export const positionIdOf = (call: RouteCall): string => call.parameters['position_id'] ?? '';
