import { transferBody } from './request-bodies.js';
import type { FuturesApi } from '../futures-api.js';
import type { HttpClient } from './http-client.js';
import { rangeQuery, type RestUrls } from './url.js';
import {
  spotWalletSchema,
  transactionsSchema,
  transferIdSchema,
  walletSchema,
} from '../wire/wire-account.js';
import { feesSchema } from '../wire/wire-fee.js';
import { ignoredSchema } from '../wire/wire-value.js';
import { listOutcome } from './outcome.js';

type WalletCalls = Pick<
  FuturesApi,
  'spotWallet' | 'futuresWallet' | 'transferUsdt' | 'transferInr' | 'transactions' | 'feeHistory'
>;

/** Calls for both wallets, transfers between them, and fees. */
export function walletCalls(client: HttpClient, urls: RestUrls): WalletCalls {
  return {
    spotWallet: (currency) =>
      // Only this endpoint has the parameter `currency`; with `trade_currency` it answers zeros.
      client.perform('spotWallet', spotWalletSchema(currency), () => ({
        url: urls.wallet(['funds'], { currency }),
      })),
    futuresWallet: (currency) =>
      client.perform('futuresWallet', walletSchema(currency), () => ({
        url: urls.futures(['funds'], { trade_currency: currency }),
      })),
    transferUsdt: (direction, amount) =>
      client.perform('transferUsdt', ignoredSchema, () => ({
        url: urls.wallet(['futures', 'transfer']),
        body: transferBody(direction, amount),
      })),
    transferInr: (direction, amount) =>
      client.perform('transferInr', transferIdSchema, () => ({
        url: urls.futures(['transfers', 'inr']),
        body: transferBody(direction, amount),
      })),
    transactions: (currency, filter = {}) =>
      client.perform('transactions', transactionsSchema(currency), () => ({
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
      listOutcome(
        await client.perform('feeHistory', feesSchema(currency), () => ({
          url: urls.futures(['fee', 'history'], { trade_currency: currency, ...rangeQuery(range) }),
        })),
      ),
  };
}
