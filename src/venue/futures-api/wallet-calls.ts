import { transferBody } from './encode.js';
import type { FuturesApi } from './futures-api.js';
import type { Requester } from './requester.js';
import type { RestUrls } from './url.js';
import {
  spotWalletSchema,
  transactionsSchema,
  transferIdSchema,
  walletSchema,
} from './wire-account.js';
import { feesSchema } from './wire-fee.js';
import { nothingRead } from './wire-value.js';
import { listed } from './outcome.js';
import { rangeQuery } from './range-query.js';

type WalletCalls = Pick<
  FuturesApi,
  'spotWallet' | 'futuresWallet' | 'transferUsdt' | 'transferInr' | 'transactions' | 'feeHistory'
>;

/** Money: both wallets, what moves between them, what was charged. */
export function walletCalls(requester: Requester, urls: RestUrls): WalletCalls {
  return {
    spotWallet: (currency) =>
      // The one endpoint that calls it so; with another name it answers zeros (interface, Margin 2).
      requester.perform('spotWallet', spotWalletSchema(currency), () => ({
        url: urls.wallet(['funds'], { currency }),
      })),
    futuresWallet: (currency) =>
      requester.perform('futuresWallet', walletSchema(currency), () => ({
        url: urls.futures(['funds'], { trade_currency: currency }),
      })),
    transferUsdt: (direction, amount) =>
      requester.perform('transferUsdt', nothingRead, () => ({
        url: urls.wallet(['futures', 'transfer']),
        body: transferBody(direction, amount),
      })),
    transferInr: (direction, amount) =>
      requester.perform('transferInr', transferIdSchema, () => ({
        url: urls.futures(['transfers', 'inr']),
        body: transferBody(direction, amount),
      })),
    transactions: (currency, filter = {}) =>
      requester.perform('transactions', transactionsSchema(currency), () => ({
        url: urls.futures(['transactions'], {
          trade_currency: currency,
          type: filter.direction?.toUpperCase(),
          status: filter.status,
          sort_by: filter.sortBy,
          sort_order: filter.sortOrder,
          limit: filter.limit?.toString(),
        }),
      })),
    feeHistory: async (currency, range) =>
      listed(
        await requester.perform('feeHistory', feesSchema(currency), () => ({
          url: urls.futures(['fee', 'history'], { trade_currency: currency, ...rangeQuery(range) }),
        })),
      ),
  };
}
