/**
 * The reasons of a rejection. The client maps the venue's texts to these codes; the simulated exchange
 * rejects with a code and the sandbox writes its text. The two tables are independent: one misreading
 * of the interface must not pass on both sides.
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
  | 'position-not-open'
  | 'position-not-in-sync'
  | 'protection-refused'
  | 'protection-order-missing'
  | 'insufficient-funds'
  | 'wallets-equal'
  | 'invalid-request'
  | 'forbidden';

/** `observed`: this process did not send it, because the run observes. No venue gives this reason. */
export type RefusalCode = RejectionCode | 'observed';
