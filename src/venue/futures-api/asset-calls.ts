import type { Logger } from '../../core/ports.js';
import { leverageBody } from './encode.js';
import type { AssetRef, FuturesApi } from './futures-api.js';
import { rangeQuery } from './range-query.js';
import type { Requester } from './requester.js';
import type { Query, RestUrls } from './url.js';
import { leverageSchema } from './wire-account.js';
import { assetSchema, assetsSchema } from './wire-asset.js';
import { instrumentName } from './wire-instrument.js';

type AssetCalls = Pick<FuturesApi, 'assets' | 'asset' | 'leverage' | 'setLeverage'>;

/** Instruments and the leverage that is set for them. */
export function assetCalls(requester: Requester, urls: RestUrls, logger: Logger): AssetCalls {
  const leftOut = (row: unknown, fault: string): void => {
    logger.warn({ row: instrumentName(row), fault }, 'An instrument is left out');
  };
  return {
    assets: (query = {}) =>
      requester.perform('assets', assetsSchema(leftOut), () => ({
        url: urls.futures([], { sort: query.sort, order: query.order, ...rangeQuery(query) }),
      })),
    asset: (asset) =>
      requester.perform('asset', assetSchema, () => ({
        url: urls.futures([assetSegment(asset)], assetQuery(asset)),
      })),
    leverage: (asset, currency) =>
      requester.perform('leverage', leverageSchema, () => ({
        url: urls.futures([assetSegment(asset), 'leverage'], {
          ...assetQuery(asset),
          trade_currency: currency,
        }),
      })),
    setLeverage: (asset, currency, leverage) =>
      requester.perform('setLeverage', leverageSchema, () => ({
        url: urls.futures([assetSegment(asset), 'leverage'], assetQuery(asset)),
        body: leverageBody(leverage, currency),
      })),
  };
}

/** The asset as a path names it. */
export const assetSegment = (asset: AssetRef): string =>
  'symbol' in asset ? asset.symbol : asset.assetId;

/** A symbol in the path is announced; the presence of the key counts (interface, Endpoints). */
export const assetQuery = (asset: AssetRef): Query =>
  'symbol' in asset ? { is_symbol: 'true' } : {};
