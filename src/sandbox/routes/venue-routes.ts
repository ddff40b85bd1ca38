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
import type { Route } from '../http/route.js';
import type { SandboxParts } from '../sandbox-parts.js';
import { transferRoutes } from './transfer-routes.js';
import type { RouteContext } from './route-context.js';

/** Every documented path. Of two matching routes the earlier wins. */
export function venueRoutes(parts: SandboxParts): readonly Route[] {
  const { staleReads, market, listings, plan, priceDriver, exchangeLoop } = parts;
  const context: RouteContext = {
    exchange: staleReads.exchange,
    market,
    listings,
    takerFeeRate: plan.takerFeeRate,
    funding: plan.funding,
    switches: plan.switches,
    onPlaced() {
      exchangeLoop.matchSoon();
    },
  };
  return [
    ...klineRoutes({
      market,
      listings,
      switches: plan.switches,
      seed: plan.seed,
      nowMs: () => priceDriver.nowMs,
    }),
    ...placeRoutes(context),
    ...placeV1Routes(context),
    ...orderRoutes(context),
    ...positionRoutes(context),
    ...positionActionRoutes(context),
    ...riskOrderRoutes(context),
    ...transferRoutes(context),
    ...feeRoutes(context),
    ...accountRoutes(context),
    ...assetRoutes(context),
  ];
}
