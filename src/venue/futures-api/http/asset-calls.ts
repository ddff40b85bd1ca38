import type { Logger } from '../../../core/ports.js';
import { leverageBody } from './request-bodies.js';
import type { AssetRef, FuturesApi } from '../futures-api.js';
import type { HttpClient } from './http-client.js';
import { rangeQuery, type Query, type RestUrls } from './url.js';
import { leverageSchema } from '../wire/wire-account.js';
import { assetSchema, assetsSchema } from '../wire/wire-asset.js';
import { instrumentName } from '../wire/wire-instrument.js';

type AssetCalls = Pick<FuturesApi, 'assets' | 'asset' | 'leverage' | 'setLeverage'>;

/** Calls for instruments and their leverage. */
export function assetCalls(client: HttpClient, urls: RestUrls, logger: Logger): AssetCalls {
  const onSkipped = (row: unknown, fault: string): void => {
    logger.warn({ row: instrumentName(row), fault }, 'An instrument is left out');
  };
  return {
    assets: (query = {}) =>
      client.perform('assets', assetsSchema(onSkipped), () => ({
        url: urls.futures([], { sort: query.sort, order: query.order, ...rangeQuery(query) }),
      })),
    asset: (asset) =>
      client.perform('asset', assetSchema, () => ({
        url: urls.futures([assetSegment(asset)], assetQuery(asset)),
      })),
    leverage: (asset, currency) =>
      client.perform('leverage', leverageSchema, () => ({
        url: urls.futures([assetSegment(asset), 'leverage'], {
          ...assetQuery(asset),
          trade_currency: currency,
        }),
      })),
    setLeverage: (asset, currency, leverage) =>
      client.perform('setLeverage', leverageSchema, () => ({
        url: urls.futures([assetSegment(asset), 'leverage'], assetQuery(asset)),
        body: leverageBody(leverage, currency),
      })),
  };
}

/** The path segment of an asset. */
export const assetSegment = (asset: AssetRef): string =>
  'symbol' in asset ? asset.symbol : asset.assetId;

/** Marks the path segment as a symbol; the venue checks only the presence of the key. */
export const assetQuery = (asset: AssetRef): Query =>
  'symbol' in asset ? { is_symbol: 'true' } : {};
