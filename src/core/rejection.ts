/**
 * Why a venue says no, in our words. The client reads them from the interface's texts, the simulated
 * exchange refuses with them and the sandbox writes the texts: two tables, kept apart on purpose.
 */
export type RejectionCode =
  | 'invalid-currency'
  | 'invalid-trigger-type'
  | 'invalid-order-type'
  | 'limit-price-missing'
  | 'quantity-step'
  | 'quantity-range'
  | 'price-step'
  | 'price-range'
  | 'notional-below-minimum'
  | 'invalid-stop-loss'
  | 'invalid-take-profit'
  | 'leverage-not-set'
  | 'leverage-range'
  | 'insufficient-balance'
  | 'reduce-only-without-position'
  | 'reduce-only-same-side'
  | 'params-error'
  | 'delisting'
  | 'asset-not-found'
  | 'client-order-id-exists'
  | 'invalid-client-order-id'
  | 'locked'
  | 'rate-limited'
  | 'order-not-found'
  | 'order-not-open'
  | 'order-reference-missing'
  | 'position-not-found'
  | 'position-not-open';
