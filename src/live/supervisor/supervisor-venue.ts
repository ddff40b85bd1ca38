import { OPERATIONS } from '../../venue/futures-api/http/operations.js';
import {
  createApiContext,
  unthrottledApi,
  type FuturesApiOptions,
} from '../../venue/futures-api/http/create-futures-api.js';
import { DEFAULT_API_LIMITS } from '../../venue/futures-api/http/api-limits.js';
import type { SupervisorVenue } from './supervisor.js';

/** Half of the venue's limits: a daemon that wakes up in the middle of a sweep finds the other half. */
const BUDGET = {
  ...DEFAULT_API_LIMITS.tiers,
  core: {
    windows: [
      { lengthMs: 1_000, limit: 5 },
      { lengthMs: 60_000, limit: 250 },
    ],
  },
  default: {
    windows: [
      { lengthMs: 1_000, limit: 5 },
      { lengthMs: 60_000, limit: 250 },
    ],
  },
};

/**
 * The venue as a supervisor uses it: cancels by id, from a budget of its own.
 * @param options `stateDir`: the supervisor's own folder
 * @throws VenueUrlError for an address that must not be used
 */
export function openSupervisorVenue(options: FuturesApiOptions): SupervisorVenue {
  const context = createApiContext({ ...options, limits: { tiers: BUDGET } });
  const api = unthrottledApi(context);
  return {
    acquirePermit: () =>
      context.requestLimits.acquire(OPERATIONS.cancelOrderByClientId.tiers, 'cancel'),
    cancelOrder: (order) => api.cancelOrder(order),
    close: () => context.requestLimits.close(),
  };
}
