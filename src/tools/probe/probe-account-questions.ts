import { countText } from '../../core/terminal-text.js';
import { Decimal, isPlainDecimal } from '../../core/fixed/decimal.js';
import { probeFinding, unanswered, quirkFinding, type ProbeQuestion } from './probe-question.js';
import type { ProbeContext } from './probe-context.js';
import { rowsAt, responseText, textAt, valueAt } from './probe-http.js';

const ORDERS = '/fapi/v1/futures/orders';
const DAY_MS = 86_400_000;
const SMALL_LIMIT = 100;
const LARGE_LIMIT = 500;
const LISTS = ['/orders/history', '/positions/history', '/fee/history'] as const;
/** The interface defines `offset` of the fee list as a count, so that list is not asked. */
const OFFSET_LISTS = ['/orders/history', '/positions/history', '/orders'] as const;

const endedOrders = async (context: ProbeContext): Promise<readonly unknown[]> =>
  context.list('/orders/history', { limit: '100' });
const restingOrder = async (context: ProbeContext): Promise<unknown> =>
  (await context.list('/orders')).find((row) =>
    /^(LONG|SHORT)$/.test(textAt(row, 'order_type') ?? ''),
  );

/** Finds an order that was filled in part and then ended. */
async function partlyFilledOrder(context: ProbeContext): Promise<unknown> {
  const open = new Set(
    (await context.list('/orders', { limit: '100' })).map((row) => textAt(row, 'id')),
  );
  return (await endedOrders(context)).find((row) => {
    const [quantity, filled] = [
      Number(valueAt(row, 'quantity')),
      Number(valueAt(row, 'filled_quantity')),
    ];
    return filled > 0 && filled < quantity && !open.has(textAt(row, 'id'));
  });
}

const NO_PARTIAL = 'the history has no order that was filled in part and then ended';

/** Answered by reads, when the account has the orders or positions that they need. */
export const ACCOUNT_QUESTIONS: readonly ProbeQuestion[] = [
  {
    id: 'exchange-order-history',
    kind: 'assumption',
    precondition: 'resting',
    how: 'look for an open order in order history',
    answers: { final: 'history holds ended orders', all: 'history holds open orders too' },
    async ask(context) {
      const id = textAt(await restingOrder(context), 'id');
      if (id === undefined) return unanswered('no order is open');
      const there = (await endedOrders(context)).some((row) => textAt(row, 'id') === id);
      return probeFinding(
        there ? 'all' : 'final',
        `order ${id} ${there ? 'is' : 'is not'} in history`,
      );
    },
  },
  {
    id: 'detail-by-client-id-404',
    kind: 'quirk',
    precondition: 'resting',
    how: 'GET order detail by the client id of an order that lists show',
    answers: { off: 'it is found', on: '404, though it exists' },
    async ask(context) {
      const rows = [await restingOrder(context), ...(await endedOrders(context))];
      const id = rows
        .map((row) => textAt(row, 'client_order_id'))
        .find((each) => each !== undefined && each !== '');
      if (id === undefined) return unanswered('no listed order has a client id');
      const response = await context.http.get(`${ORDERS}/detail`, {
        query: { client_order_id: id },
      });
      if (response.status !== 200 && response.status !== 404)
        return unanswered(responseText(response));
      return quirkFinding(response.status === 404, responseText(response));
    },
  },
  {
    id: 'short-order-by-id',
    kind: 'quirk',
    precondition: 'resting',
    how: 'GET an order by its id and look for symbol and times',
    answers: { off: 'it is whole', on: 'it leaves out ids, symbol and times' },
    async ask(context) {
      const [row = await restingOrder(context)] = await endedOrders(context);
      const id = textAt(row, 'id');
      if (id === undefined) return unanswered('the account has no orders');
      const response = await context.http.get(`${ORDERS}/${id}`);
      if (response.status !== 200) return unanswered(responseText(response));
      return quirkFinding(
        valueAt(response.json, 'data', 'symbol') === undefined,
        responseText(response),
      );
    },
  },
  {
    id: 'wire-unset-leg',
    kind: 'assumption',
    precondition: 'open',
    how: 'look at the stop and target of a position that has none',
    answers: { absent: 'the keys are left out', empty: 'they hold empty texts' },
    async ask(context) {
      const protectiveOrders = (await context.list('/positions')).flatMap((row) => [
        valueAt(row, 'stoploss'),
        valueAt(row, 'takeprofit'),
      ]);
      const unset = protectiveOrders.filter(
        (order) => order === undefined || order === null || valueAt(order, 'order_id') === '',
      );
      if (unset.length === 0) return unanswered('no open position lacks a stop or target');
      const empty = unset.some((order) => valueAt(order, 'order_id') === '');
      return probeFinding(empty ? 'empty' : 'absent', JSON.stringify(unset[0] ?? 'left out'));
    },
  },
  {
    id: 'wire-inr-margin-text',
    kind: 'assumption',
    precondition: 'open',
    how: 'count the places of the margins of INR positions',
    answers: { cut: 'two at most', whole: 'more' },
    async ask(context) {
      const rows = await context.list('/positions', { trade_currency: 'INR' });
      const margins = rows.flatMap((row) => [
        textAt(row, 'initial_margin'),
        textAt(row, 'maintenance_margin'),
      ]);
      const texts = margins.filter((text) => text !== undefined);
      if (texts.length === 0) return unanswered('no INR position is open');
      const whole = texts.some((text) => (text.split('.')[1] ?? '').length > 2);
      return probeFinding(whole ? 'whole' : 'cut', texts.join(', '));
    },
  },
  {
    id: 'exchange-rebates',
    kind: 'assumption',
    precondition: 'after',
    how: 'look for REBATE rows in fee history',
    answers: { none: 'trades have none', 'forty-percent': 'trades have one of 40 % of the fee' },
    async ask(context) {
      const rows = await context.list('/fee/history', { limit: '100' });
      const types = rows.map((row) => textAt(row, 'fee_type'));
      if (!types.includes('TRANSACTION')) return unanswered('no trade was charged yet');
      const rebates = types.filter((type) => type === 'REBATE').length;
      return probeFinding(
        rebates > 0 ? 'forty-percent' : 'none',
        `${rebates} of ${types.length} rows`,
      );
    },
  },
  {
    id: 'wire-partial-cancel-amount',
    kind: 'assumption',
    precondition: 'after',
    how: 'compare actual_amount of an order that was filled in part and then ended',
    answers: { ordered: 'price × ordered quantity', filled: 'the filled value' },
    async ask(context) {
      const row = await partlyFilledOrder(context);
      if (row === undefined) return unanswered(NO_PARTIAL);
      const value = (key: string): Decimal => decimalOf(textAt(row, key));
      const rate = value('hedge_rate').isZero() ? new Decimal(1) : value('hedge_rate');
      const ordered = value('price').times(value('quantity')).times(rate);
      const filled = value('filled_price').times(value('filled_quantity')).times(rate);
      const amount = value('actual_amount');
      const near = amount.minus(ordered).abs().lt(amount.minus(filled).abs());
      const evidence = `${amount.toFixed()}; ordered ${ordered.toFixed()}, filled ${filled.toFixed()}`;
      return probeFinding(near ? 'ordered' : 'filled', evidence);
    },
  },
  {
    id: 'exchange-partial-cancel-status',
    kind: 'assumption',
    precondition: 'after',
    how: 'read the status of an order that was filled in part and then ended',
    answers: { canceled: 'CANCELLED', 'partially-filled': 'PARTIAL_FILLED forever' },
    async ask(context) {
      const row = await partlyFilledOrder(context);
      if (row === undefined) return unanswered(NO_PARTIAL);
      const status = textAt(row, 'status') ?? '';
      return probeFinding(status === 'PARTIAL_FILLED' ? 'partially-filled' : 'canceled', status);
    },
  },
  {
    id: 'wire-list-offset',
    kind: 'assumption',
    precondition: 'after',
    how: 'GET a list with one row at least, with an offset that is a time of tomorrow in ms',
    answers: {
      'count-or-end-time': 'a time bounds the rows',
      count: 'it skips that many rows, so none are returned',
    },
    async ask(context) {
      for (const path of OFFSET_LISTS) {
        if ((await context.list(path, { limit: '1' })).length === 0) continue;
        const offset = String((await context.venueNow()) + DAY_MS);
        const rows = await context.list(path, { limit: '1', offset });
        const bounded = rows.length > 0;
        return probeFinding(
          bounded ? 'count-or-end-time' : 'count',
          `${path}: ${countText(rows.length, 'row')}`,
        );
      }
      return unanswered('every list of the account is empty');
    },
  },
  {
    id: 'wire-list-cap',
    kind: 'assumption',
    precondition: 'after',
    how: 'GET a list of more than 100 rows with limit=500',
    answers: { '500': 'more than 100 rows come', '100': 'exactly 100, and there are more' },
    async ask(context) {
      for (const path of LISTS) {
        const rows = await context.list(path, { limit: String(LARGE_LIMIT) });
        if (rows.length > SMALL_LIMIT) return probeFinding('500', `${path}: ${rows.length} rows`);
        if (rows.length < SMALL_LIMIT) continue;
        const more = await context.list(path, { limit: '1', offset: String(SMALL_LIMIT) });
        if (more.length > 0) return probeFinding('100', `${path}: 100 rows of more`);
      }
      return unanswered('no list of the account has more than 100 rows');
    },
  },
];

/** Facts for the reader of the profile; the sandbox has no setting for them. */
export const FACT_QUESTIONS: readonly ProbeQuestion[] = [
  {
    id: 'wrong-key',
    kind: 'fact',
    precondition: 'any',
    how: 'GET with a key that is wrong',
    answers: {},
    async ask({ http }) {
      const response = await http.get('/fapi/v1/futures/funds', { key: 'wrong' });
      return probeFinding(`HTTP ${response.status}`, responseText(response));
    },
  },
  {
    id: 'no-key',
    kind: 'fact',
    precondition: 'any',
    how: 'GET without a key',
    answers: {},
    async ask({ http }) {
      const response = await http.get('/fapi/v1/futures/funds', { key: 'none' });
      return probeFinding(`HTTP ${response.status}`, responseText(response));
    },
  },
  {
    id: 'unknown-path',
    kind: 'fact',
    precondition: 'any',
    how: 'GET a path that does not exist, with the key',
    answers: {},
    async ask({ http }) {
      const response = await http.get('/fapi/v1/no-such-path');
      return probeFinding(`HTTP ${response.status}`, responseText(response));
    },
  },
  {
    id: 'date-header',
    kind: 'fact',
    precondition: 'any',
    how: 'look for a Date header, which gives the venue time',
    answers: {},
    async ask({ http }) {
      const { headers } = await http.get('/fapi/v1/futures/funds');
      const date = headers['date'];
      return probeFinding(date === undefined ? 'absent' : 'present', date ?? 'no Date header');
    },
  },
  {
    id: 'position-rows',
    kind: 'fact',
    precondition: 'any',
    how: 'look at data of open positions where there are none',
    answers: {},
    async ask(context) {
      const query = { trade_currency: context.currency };
      const response = await context.http.get('/fapi/v1/futures/positions', { query });
      const count = rowsAt(response.json, 'data').length;
      if (count > 0)
        return unanswered(`${countText(count, 'position')} ${count === 1 ? 'is' : 'are'} open`);
      return probeFinding(
        valueAt(response.json, 'data') === null ? 'null' : 'empty list',
        responseText(response),
      );
    },
  },
];

function decimalOf(text: string | undefined): Decimal {
  return new Decimal(text !== undefined && isPlainDecimal(text) ? text : 0);
}
