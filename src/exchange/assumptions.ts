import { ACCOUNT_ASSUMPTIONS, type AccountAssumptions } from './assumptions/account-assumptions.js';
import type { AssumptionOf } from './assumptions/assumption-entry.js';
import { ORDER_ASSUMPTIONS, type OrderAssumptions } from './assumptions/order-assumptions.js';
import {
  POSITION_ASSUMPTIONS,
  type PositionAssumptions,
} from './assumptions/position-assumptions.js';
import {
  PROTECTIVE_ORDER_ASSUMPTIONS,
  type ProtectiveOrderAssumptions,
} from './assumptions/protective-order-assumptions.js';

/**
 * The decisions of the simulated exchange where the interface is silent. Each has two answers; the
 * default follows the supplement's recommendation where it has one.
 */
export interface Assumptions
  extends PositionAssumptions, OrderAssumptions, ProtectiveOrderAssumptions, AccountAssumptions {}

/** In the order of docs/assumptions.md. */
export const ASSUMPTIONS: readonly AssumptionOf<Assumptions>[] = [
  ...POSITION_ASSUMPTIONS,
  ...ORDER_ASSUMPTIONS,
  ...PROTECTIVE_ORDER_ASSUMPTIONS,
  ...ACCOUNT_ASSUMPTIONS,
];

export const DEFAULT_ASSUMPTIONS = Object.fromEntries(
  ASSUMPTIONS.map((entry) => [entry.field, entry.default]),
) as unknown as Assumptions;
