import type { Price } from '../core/fixed.js';
import type { Listing } from './simulated-exchange.js';

/** What an order or a position needs to know of the book that it is in. */
export interface Listed {
  readonly symbol: string;
  readonly listing: Listing;
  readonly mark: Price;
}
