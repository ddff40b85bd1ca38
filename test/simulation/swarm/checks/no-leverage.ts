import type { SimWorld } from '../world.js';

/**
 * The venue lost the leverage of a symbol, and takes none while a position or an order of it is open: it
 * refuses each order of that symbol, exits too, and no bot can mend it.
 */
export const lacksLeverage = ({ plan: { kinds, assume } }: SimWorld): boolean =>
  kinds.has('lev_unset') && 'exchange-leverage-while-open' in assume;
