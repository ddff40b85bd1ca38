import { countText } from '../../core/terminal-text.js';
import type { CloseReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { add, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { Outcome } from '../../core/request.js';
import type { AccountLists, ChargeRow, FilledOrder } from '../../report/books/account-lists.js';
import type { FeeDetail, FuturesApi, OrderDetail } from '../../venue/futures-api/futures-api.js';
import { readPages, type PagedList } from './list-pages.js';

/** The list has no `offset`, so one page must hold every transfer. */
const MAX_TRANSFERS = 500;
/** A row that arrives while the pages are read needs another read of all lists. */
const MAX_READS = 3;

type BooksApi = Pick<
  FuturesApi,
  | 'orderHistory'
  | 'openOrders'
  | 'positionHistory'
  | 'feeHistory'
  | 'transactions'
  | 'futuresWallet'
  | 'executionReport'
>;

export interface ListReader {
  readonly api: BooksApi;
  /** The value of one call. @throws for anything but `yes` */
  readonly read: <T>(call: () => Promise<Outcome<T>>, what: string) => Promise<T>;
  /** Called after each list, for people. */
  readonly onProgress: (text: string) => void;
}

/** The lists of one currency and the wallet after their last row. */
export interface AccountRead {
  readonly lists: AccountLists;
  /** Balance and locked margin. */
  readonly wallet: Amount;
  /** Rows that cannot be used, for people. */
  readonly problems: readonly string[];
}

/**
 * Reads every list of an account. The wallet is read before and after; if it changes meanwhile, all lists are read
 * again, at most three times.
 */
export async function readAccountLists(
  reader: ListReader,
  currency: Currency,
): Promise<AccountRead> {
  let before = await walletOf(reader, currency);
  for (let count = 1; ; count += 1) {
    const { lists, problems } = await readLists(reader, currency);
    const wallet = await walletOf(reader, currency);
    if (wallet === before || count === MAX_READS) {
      const moved =
        wallet === before
          ? []
          : [
              `the ${currency} wallet changed during each of ${MAX_READS} reads: a gap may be the newest rows`,
            ];
      return { lists, wallet, problems: [...problems, ...moved] };
    }
    reader.onProgress(`the ${currency} wallet changed meanwhile; the lists are read again`);
    before = wallet;
  }
}

async function walletOf({ api, read }: ListReader, currency: Currency): Promise<Amount> {
  const { balance, locked } = await read(() => api.futuresWallet(currency), 'the futures wallet');
  return add(balance, locked);
}

async function readLists(
  reader: ListReader,
  currency: Currency,
): Promise<Pick<AccountRead, 'lists' | 'problems'>> {
  const { api, read, onProgress } = reader;
  const all = async <Row>(what: string, list: PagedList<Row>): Promise<readonly Row[]> => {
    const rows = await readPages(list, Number.POSITIVE_INFINITY);
    onProgress(`${currency} ${what}: ${countText(rows.length, 'row')}`);
    return rows;
  };
  const orderList = (call: typeof api.orderHistory, what: string): PagedList<OrderDetail> => ({
    read: (range) => read(() => call(currency, range), what),
    keyOf: ({ orderId }) => orderId,
    timeOf: ({ createdAt }) => createdAt,
  });
  const history = await all(
    'order history',
    orderList(api.orderHistory.bind(api), 'order history'),
  );
  const open = await all('open orders', orderList(api.openOrders.bind(api), 'open orders'));
  const closes = await all<CloseReport>('closed positions', {
    read: (range) => read(() => api.positionHistory(currency, range), 'position history'),
    keyOf: ({ rowId }) => rowId,
    timeOf: ({ openedAt }) => openedAt,
  });
  const fees = await all<FeeDetail>('fees and funding', {
    read: (range) => read(() => api.feeHistory(currency, range), 'fee history'),
    keyOf: feeKey,
    timeOf: ({ createdAt }) => createdAt,
  });
  const transfers = await read(
    () => api.transactions(currency, { limit: MAX_TRANSFERS }),
    'transfers',
  );
  onProgress(`${currency} transfers: ${countText(transfers.length, 'row')}`);
  const completed = transfers.filter(({ status }) => status === 'completed');
  const untimed = fees.filter(({ createdAt }) => createdAt === undefined).length;
  const orders = new Map([...history, ...open].map((order) => [order.orderId, order]));
  return {
    lists: {
      currency,
      orders: [...orders.values()].filter(isFilled),
      closes,
      charges: fees.filter(isTimed),
      transfers: completed,
    },
    problems: [
      ...(untimed === 0
        ? []
        : [
            untimed === 1
              ? '1 row of fee history has no time and is left out'
              : `${untimed} rows of fee history have no time and are left out`,
          ]),
      ...(transfers.length < MAX_TRANSFERS
        ? []
        : [`the venue lists ${MAX_TRANSFERS} transfers or more: older ones may be missing`]),
    ],
  };
}

/** Adds the single fills of orders, by one call an order. */
export async function withExecutions(
  { api, read, onProgress }: ListReader,
  lists: AccountLists,
  isWanted: (order: FilledOrder) => boolean,
): Promise<AccountLists> {
  const orders: FilledOrder[] = [];
  let count = 0;
  const wanted = lists.orders.filter(isWanted).length;
  for (const order of lists.orders) {
    if (!isWanted(order)) {
      orders.push(order);
      continue;
    }
    const call = () => api.executionReport(order.orderId);
    const { executions } = await read(call, `the fills of order ${order.orderId}`);
    orders.push({ ...order, executions });
    count += 1;
    if (count % 50 === 0 || count === wanted)
      onProgress(`${lists.currency} fills of ${count} of ${wanted} orders`);
  }
  return { ...lists, orders };
}

const isFilled = (order: OrderDetail): order is OrderDetail & { readonly symbol: string } =>
  order.filledQuantity > 0 && order.symbol !== undefined;

const isTimed = (row: FeeDetail): row is ChargeRow => row.createdAt !== undefined;

/** Funding rows have no id. */
const feeKey = (fee: FeeDetail): string =>
  fee.id ??
  `${fee.kind} ${fee.symbol} ${fee.createdAt ?? ''} ${textFromFixed(fee.amount)} ${textFromFixed(fee.value)}`;
