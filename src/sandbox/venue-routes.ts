import { accountRoutes } from './account-routes.js';
import { assetRoutes } from './asset-routes.js';
import { feeRoutes } from './fee-routes.js';
import { klineRoutes } from './kline-routes.js';
import { orderRoutes } from './order-routes.js';
import { placeRoutes } from './place-routes.js';
import { placeV1Routes } from './place-v1-routes.js';
import { positionActionRoutes } from './position-action-routes.js';
import { positionRoutes } from './position-routes.js';
import { riskOrderRoutes } from './risk-order-routes.js';
import type { Route } from './route.js';
import type { SandboxParts } from './sandbox-parts.js';
import { transferRoutes } from './transfer-routes.js';
import type { VenueDesk } from './venue-desk.js';

/** Every documented path. Of two that fit, the earlier wins. */
export function venueRoutes(parts: SandboxParts): readonly Route[] {
  const { reads, market, listings, plan, pump, run } = parts;
  const desk: VenueDesk = {
    exchange: reads.exchange,
    market,
    listings,
    takerFeeRate: plan.takerFeeRate,
    funding: plan.funding,
    switches: plan.switches,
    onPlaced() {
      run.settleSoon();
    },
  };
  return [
    ...klineRoutes({
      market,
      listings,
      switches: plan.switches,
      seed: plan.seed,
      nowMs: () => pump.nowMs,
    }),
    ...placeRoutes(desk),
    ...placeV1Routes(desk),
    ...orderRoutes(desk),
    ...positionRoutes(desk),
    ...positionActionRoutes(desk),
    ...riskOrderRoutes(desk),
    ...transferRoutes(desk),
    ...feeRoutes(desk),
    ...accountRoutes(desk),
    ...assetRoutes(desk),
  ];
}
