import { textFromFixed } from '../../core/fixed.js';
import { marginBody, partialCloseBody, riskBody, riskChangeBody } from './encode.js';
import type { FuturesApi } from './futures-api.js';
import { listed } from './outcome.js';
import { rangeQuery } from './range-query.js';
import type { Requester } from './requester.js';
import type { RestUrls } from './url.js';
import { placementSchema } from './wire-order.js';
import {
  closeSchema,
  closesSchema,
  liquidationPriceSchema,
  marginChangeSchema,
  positionsSchema,
} from './wire-position.js';
import { nothingRead } from './wire-value.js';

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

/** Positions: read, protected, funded and ended. */
export const positionCalls = (
  requester: Requester,
  urls: RestUrls,
): PositionReads & PositionChanges => ({
  ...positionReads(requester, urls),
  ...positionChanges(requester, urls),
});

const positionReads = (requester: Requester, urls: RestUrls): PositionReads => ({
  positions: async (currency, range) =>
    listed(
      await requester.perform('positions', positionsSchema(currency), () => ({
        url: urls.futures(['positions'], { trade_currency: currency, ...rangeQuery(range) }),
      })),
    ),
  positionHistory: async (currency, range) =>
    listed(
      await requester.perform('positionHistory', closesSchema(currency), () => ({
        url: urls.futures(['positions', 'history'], {
          trade_currency: currency,
          ...rangeQuery(range),
        }),
      })),
    ),
  liquidationPrice: (positionId, extraMargin) =>
    requester.perform('liquidationPrice', liquidationPriceSchema, () => ({
      url: urls.futures(['positions', positionId, 'liq-price'], {
        ext_margin: extraMargin === undefined ? undefined : textFromFixed(extraMargin),
      }),
    })),
});

const positionChanges = (requester: Requester, urls: RestUrls): PositionChanges => {
  const url = (positionId: string, ...verb: readonly string[]): string =>
    urls.futures(['positions', positionId, ...verb]);
  return {
    setRiskOrder: (positionId, legs) =>
      requester.perform('setRiskOrder', nothingRead, () => ({
        url: url(positionId, 'riskorder'),
        body: riskBody(legs),
      })),
    editRiskOrder: (positionId, legs) =>
      requester.perform('editRiskOrder', nothingRead, () => ({
        url: url(positionId, 'riskorder'),
        body: riskChangeBody(legs),
      })),
    addMargin: (positionId, margin) =>
      requester.perform('addMargin', marginChangeSchema, () => ({
        url: url(positionId, 'add-margin'),
        body: marginBody(margin),
      })),
    closePartially: (positionId, terms) =>
      requester.perform('closePartially', closeSchema, () => ({
        url: url(positionId, 'close', 'partial'),
        body: partialCloseBody(terms),
      })),
    closePosition: (positionId) =>
      requester.perform('closePosition', closeSchema, () => ({ url: url(positionId, 'close') })),
    reversePosition: (positionId) =>
      requester.perform('reversePosition', placementSchema, () => ({
        url: url(positionId, 'reverse'),
      })),
  };
};
