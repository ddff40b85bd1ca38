import type { SimWorld } from '../world.js';

/**
 * A hand amended an order of ours before it was proved to be ours: it cannot be told from a second
 * writer, so that the halt names it, and a person decides (A20). Restarts do not end such a halt.
 */
export const isCollision = ({ plan, bot }: SimWorld): boolean =>
  plan.kinds.has('amend_by_hand') &&
  bot?.engine.haltReason?.includes('is not the one we sent') === true;
