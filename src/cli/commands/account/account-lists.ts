import { textFromFixed } from '../../../core/fixed/fixed.js';
import type { Currency } from '../../../core/currency.js';
import type { ClosableFuturesApi } from '../../../venue/futures-api/http/create-futures-api.js';
import type { AccountList, PageOptions } from './account-options.js';
import { readPages, type PagedList } from '../../../live/books/list-pages.js';
import * as rows from './account-rows.js';
import type { Column, Row } from '../../../report/rows-table.js';
import { readOrThrow } from '../../../venue/read-outcome.js';

/** How one list of the account is read and printed. */
export interface ListView {
  readonly read: (
    api: ClosableFuturesApi,
    currency: Currency,
    page: PageOptions,
  ) => Promise<readonly Row[]>;
  readonly columns: readonly Column[];
  /** Printed for an empty list. */
  readonly none: string;
}

const numberColumn = (key: string, head?: string): Column => ({
  key,
  alignRight: true,
  ...(head !== undefined && { head }),
});
const textColumn = (key: string, head?: string): Column => ({
  key,
  ...(head !== undefined && { head }),
});

/** A list that is paged by `offset`. */
const paged =
  <Item>(
    listOf: (api: ClosableFuturesApi, currency: Currency) => PagedList<Item>,
    rowOf: (item: Item) => Row,
  ): ListView['read'] =>
  async (api, currency, { limit, all }) =>
    (await readPages(listOf(api, currency), all ? Infinity : limit)).map(rowOf);

/** The list has no `offset`, so one page must hold every transfer. */
const MAX_TRANSFERS = 500;

export const LIST_VIEWS: Readonly<Record<AccountList, ListView>> = {
  positions: {
    read: paged(
      (api, currency) => ({
        read: (range) => readOrThrow(() => api.positions(currency, range), 'open positions'),
        keyOf: ({ positionId }) => positionId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.positionRow,
    ),
    columns: [
      textColumn('symbol'),
      textColumn('side'),
      numberColumn('quantity'),
      numberColumn('entry_price', 'entry'),
      numberColumn('liquidation_price', 'liquidation'),
      numberColumn('leverage'),
      numberColumn('initial_margin', 'margin'),
      numberColumn('stop_loss', 'stop'),
      numberColumn('take_profit', 'target'),
      textColumn('position_id'),
    ],
    none: 'no open positions',
  },
  orders: {
    read: paged(
      (api, currency) => ({
        read: (range) => readOrThrow(() => api.openOrders(currency, range), 'open orders'),
        keyOf: ({ orderId }) => orderId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.orderRow,
    ),
    columns: [
      textColumn('created_at', 'time'),
      textColumn('symbol'),
      textColumn('role'),
      textColumn('side'),
      numberColumn('quantity'),
      numberColumn('filled_quantity', 'filled'),
      numberColumn('price'),
      textColumn('order_id'),
    ],
    none: 'no open orders',
  },
  history: {
    read: paged(
      (api, currency) => ({
        read: (range) => readOrThrow(() => api.orderHistory(currency, range), 'order history'),
        keyOf: ({ orderId }) => orderId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.orderRow,
    ),
    columns: [
      textColumn('created_at', 'time'),
      textColumn('symbol'),
      textColumn('side'),
      textColumn('type'),
      textColumn('status'),
      numberColumn('quantity'),
      numberColumn('filled_quantity', 'filled'),
      numberColumn('average_price', 'average'),
      textColumn('order_id'),
    ],
    none: 'no orders have ended yet',
  },
  closes: {
    read: paged(
      (api, currency) => ({
        read: (range) =>
          readOrThrow(() => api.positionHistory(currency, range), 'position history'),
        keyOf: ({ rowId }) => rowId,
        // The venue sorts by opening time (interface: position history).
        timeOf: ({ openedAt }) => openedAt,
      }),
      rows.closeRow,
    ),
    columns: [
      textColumn('closed_at', 'time'),
      textColumn('symbol'),
      textColumn('side'),
      textColumn('kind'),
      numberColumn('quantity'),
      numberColumn('entry_price', 'entry'),
      numberColumn('close_price', 'close'),
      numberColumn('pnl'),
    ],
    none: 'no position was closed yet',
  },
  fees: {
    read: paged(
      (api, currency) => ({
        read: (range) => readOrThrow(() => api.feeHistory(currency, range), 'fee history'),
        keyOf: (fee) =>
          fee.id ??
          `${fee.kind} ${fee.symbol} ${fee.createdAt ?? ''} ${textFromFixed(fee.amount)} ${textFromFixed(fee.value)}`,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.feeRow,
    ),
    columns: [
      textColumn('time'),
      textColumn('symbol'),
      textColumn('kind'),
      numberColumn('amount'),
      numberColumn('percent', '%'),
      numberColumn('value'),
      numberColumn('gst'),
      textColumn('side'),
    ],
    none: 'no fees yet',
  },
  transactions: {
    read: async (api, currency, { limit, all }) => {
      const filter = { limit: all ? MAX_TRANSFERS : limit };
      const transfers = await readOrThrow(() => api.transactions(currency, filter), 'transfers');
      return transfers.map(rows.transferRow);
    },
    columns: [
      textColumn('time'),
      textColumn('direction'),
      numberColumn('amount'),
      textColumn('currency'),
      textColumn('status'),
      textColumn('transaction_id'),
    ],
    none: 'no transfers yet',
  },
  instruments: {
    read: paged(
      (api) => ({
        read: (range) => readOrThrow(() => api.assets(range), 'the instruments'),
        keyOf: ({ instrument }) => instrument.assetId,
      }),
      rows.instrumentRow,
    ),
    columns: [
      textColumn('symbol'),
      numberColumn('price'),
      numberColumn('quantity_step', 'step'),
      numberColumn('min_quantity', 'min'),
      numberColumn('max_market_quantity', 'market max'),
      numberColumn('price_step', 'tick'),
      numberColumn('min_notional', 'min USDT'),
      numberColumn('max_leverage', 'leverage'),
      numberColumn('funding_rate', 'funding'),
    ],
    none: 'the venue lists no instruments',
  },
};
