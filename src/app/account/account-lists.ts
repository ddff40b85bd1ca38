import { textFromFixed } from '../../core/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { OpenFuturesApi } from '../../venue/futures-api/create-futures-api.js';
import type { AccountList, Page } from './account-options.js';
import { readPages, type PagedList } from './account-pages.js';
import * as rows from './account-rows.js';
import type { Column, Row } from './rows-table.js';
import { read } from './venue-access.js';

/** How one list of the account is read and shown. */
export interface ShownList {
  readonly read: (api: OpenFuturesApi, currency: Currency, page: Page) => Promise<readonly Row[]>;
  readonly columns: readonly Column[];
  /** What is said of an empty one. */
  readonly none: string;
}

const number = (key: string, head?: string): Column => ({
  key,
  right: true,
  ...(head !== undefined && { head }),
});
const word = (key: string, head?: string): Column => ({ key, ...(head !== undefined && { head }) });

/** A list that `offset` pages through. */
const paged =
  <Item>(
    listOf: (api: OpenFuturesApi, currency: Currency) => PagedList<Item>,
    rowOf: (item: Item) => Row,
  ): ShownList['read'] =>
  async (api, currency, { limit, all }) =>
    (await readPages(listOf(api, currency), all ? Infinity : limit)).map(rowOf);

/** More than any account was seen to have; a list without `offset` cannot be paged. */
const MOST_TRANSFERS = 500;

export const LISTS: Readonly<Record<AccountList, ShownList>> = {
  positions: {
    read: paged(
      (api, currency) => ({
        read: (range) => read(() => api.positions(currency, range), 'open positions'),
        keyOf: ({ positionId }) => positionId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.positionRow,
    ),
    columns: [
      word('symbol'),
      word('side'),
      number('quantity'),
      number('entry_price', 'entry'),
      number('liquidation_price', 'liquidation'),
      number('leverage'),
      number('initial_margin', 'margin'),
      number('stop_loss', 'stop'),
      number('take_profit', 'target'),
      word('position_id'),
    ],
    none: 'no open positions',
  },
  orders: {
    read: paged(
      (api, currency) => ({
        read: (range) => read(() => api.openOrders(currency, range), 'open orders'),
        keyOf: ({ orderId }) => orderId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.orderRow,
    ),
    columns: [
      word('created_at', 'time'),
      word('symbol'),
      word('role'),
      word('side'),
      number('quantity'),
      number('filled_quantity', 'filled'),
      number('price'),
      word('order_id'),
    ],
    none: 'no open orders',
  },
  history: {
    read: paged(
      (api, currency) => ({
        read: (range) => read(() => api.orderHistory(currency, range), 'order history'),
        keyOf: ({ orderId }) => orderId,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.orderRow,
    ),
    columns: [
      word('created_at', 'time'),
      word('symbol'),
      word('side'),
      word('type'),
      word('status'),
      number('quantity'),
      number('filled_quantity', 'filled'),
      number('average_price', 'average'),
      word('order_id'),
    ],
    none: 'no orders have ended yet',
  },
  closes: {
    read: paged(
      (api, currency) => ({
        read: (range) => read(() => api.positionHistory(currency, range), 'position history'),
        keyOf: ({ rowId }) => rowId,
        // Sorted by when they were opened (interface, position history; hazard G7).
        timeOf: ({ openedAt }) => openedAt,
      }),
      rows.closeRow,
    ),
    columns: [
      word('closed_at', 'time'),
      word('symbol'),
      word('side'),
      word('kind'),
      number('quantity'),
      number('entry_price', 'entry'),
      number('close_price', 'close'),
      number('pnl'),
    ],
    none: 'no position was closed yet',
  },
  fees: {
    read: paged(
      (api, currency) => ({
        read: (range) => read(() => api.feeHistory(currency, range), 'fee history'),
        keyOf: (fee) =>
          fee.id ??
          `${fee.kind} ${fee.symbol} ${fee.createdAt ?? ''} ${textFromFixed(fee.amount)} ${textFromFixed(fee.value)}`,
        timeOf: ({ createdAt }) => createdAt,
      }),
      rows.feeRow,
    ),
    columns: [
      word('time'),
      word('symbol'),
      word('kind'),
      number('amount'),
      number('percent', '%'),
      number('value'),
      number('gst'),
      word('side'),
    ],
    none: 'no fees yet',
  },
  transactions: {
    read: async (api, currency, { limit, all }) => {
      const filter = { limit: all ? MOST_TRANSFERS : limit };
      const transfers = await read(() => api.transactions(currency, filter), 'transfers');
      return transfers.map(rows.transferRow);
    },
    columns: [
      word('time'),
      word('direction'),
      number('amount'),
      word('currency'),
      word('status'),
      word('transaction_id'),
    ],
    none: 'no transfers yet',
  },
  instruments: {
    read: paged(
      (api) => ({
        read: (range) => read(() => api.assets(range), 'the instruments'),
        keyOf: ({ instrument }) => instrument.assetId,
      }),
      rows.instrumentRow,
    ),
    columns: [
      word('symbol'),
      number('price'),
      number('quantity_step', 'step'),
      number('min_quantity', 'min'),
      number('max_market_quantity', 'market max'),
      number('price_step', 'tick'),
      number('min_notional', 'min USDT'),
      number('max_leverage', 'leverage'),
      number('funding_rate', 'funding'),
    ],
    none: 'the venue lists nothing',
  },
};
