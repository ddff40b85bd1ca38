import { textFromFixed } from '../../../core/fixed/fixed.js';
import { marginBody, partialCloseBody, riskBody, riskChangeBody } from './request-bodies.js';
import type { FuturesApi } from '../futures-api.js';
import { listOutcome } from './outcome.js';
import type { HttpClient } from './http-client.js';
import { rangeQuery, type RestUrls } from './url.js';
import { placementSchema } from '../wire/wire-order.js';
import {
  closeSchema,
  closesSchema,
  liquidationPriceSchema,
  marginChangeSchema,
  positionsSchema,
} from '../wire/wire-position.js';
import { ignoredSchema } from '../wire/wire-value.js';

type PositionReads = Pick<FuturesApi, 'positions' | 'positionHistory' | 'liquidationPrice'>;
type PositionChanges = Pick<
  FuturesApi,
  | 'setRiskOrder'
  | 'editRiskOrder'
  | 'addMargin'
  | 'closePartially'
  | 'closePosition'
  | 'reversePosition'
>;

/** Calls that read, protect, fund and close positions. */
export const positionCalls = (
  client: HttpClient,
  urls: RestUrls,
): PositionReads & PositionChanges => ({
  ...positionReads(client, urls),
  ...positionChanges(client, urls),
});

const positionReads = (client: HttpClient, urls: RestUrls): PositionReads => ({
  positions: async (currency, range) =>
    listOutcome(
      await client.perform('positions', positionsSchema(currency), () => ({
        url: urls.futures(['positions'], { trade_currency: currency, ...rangeQuery(range) }),
      })),
    ),
  positionHistory: async (currency, range) =>
    listOutcome(
      await client.perform('positionHistory', closesSchema(currency), () => ({
        url: urls.futures(['positions', 'history'], {
          trade_currency: currency,
          ...rangeQuery(range),
        }),
      })),
    ),
  liquidationPrice: (positionId, extraMargin) =>
    client.perform('liquidationPrice', liquidationPriceSchema, () => ({
      url: urls.futures(['positions', positionId, 'liq-price'], {
        ext_margin: extraMargin === undefined ? undefined : textFromFixed(extraMargin),
      }),
    })),
});

const positionChanges = (client: HttpClient, urls: RestUrls): PositionChanges => {
  const url = (positionId: string, ...verb: readonly string[]): string =>
    urls.futures(['positions', positionId, ...verb]);
  return {
    setRiskOrder: (positionId, orders) =>
      client.perform('setRiskOrder', ignoredSchema, () => ({
        url: url(positionId, 'riskorder'),
        body: riskBody(orders),
      })),
    editRiskOrder: (positionId, orders) =>
      client.perform('editRiskOrder', ignoredSchema, () => ({
        url: url(positionId, 'riskorder'),
        body: riskChangeBody(orders),
      })),
    addMargin: (positionId, margin) =>
      client.perform('addMargin', marginChangeSchema, () => ({
        url: url(positionId, 'add-margin'),
        body: marginBody(margin),
      })),
    closePartially: (positionId, terms) =>
      client.perform('closePartially', closeSchema, () => ({
        url: url(positionId, 'close', 'partial'),
        body: partialCloseBody(terms),
      })),
    closePosition: (positionId) =>
      client.perform('closePosition', closeSchema, () => ({ url: url(positionId, 'close') })),
    reversePosition: (positionId) =>
      client.perform('reversePosition', placementSchema, () => ({
        url: url(positionId, 'reverse'),
      })),
  };
};
