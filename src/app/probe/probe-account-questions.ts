import { Decimal, isPlainDecimal } from '../../core/decimal.js';
import { found, unanswered, whether, type Question } from './probe-question.js';
import type { ProbeWorld } from './probe-world.js';
import { rowsUnder, shownAnswer, textUnder, under } from './probe-wire.js';

const ORDERS = '/fapi/v1/futures/orders';
const DAY_MS = 86_400_000;
const SMALL_CAP = 100;
const LARGE_CAP = 500;
const LISTS = ['/orders/history', '/positions/history', '/fee/history'] as const;
/** On the fee list `offset` is a count by the document. */
const OFFSET_LISTS = ['/orders/history', '/positions/history', '/orders'] as const;

const ended = async (world: ProbeWorld): Promise<readonly unknown[]> =>
  world.list('/orders/history', { limit: '100' });
const resting = async (world: ProbeWorld): Promise<unknown> =>
  (await world.list('/orders')).find((row) =>
    /^(LONG|SHORT)$/.test(textUnder(row, 'order_type') ?? ''),
  );

/** An order that was filled in part and then ended. */
async function partlyFilled(world: ProbeWorld): Promise<unknown> {
  const open = new Set(
    (await world.list('/orders', { limit: '100' })).map((row) => textUnder(row, 'id')),
  );
  return (await ended(world)).find((row) => {
    const [quantity, filled] = [
      Number(under(row, 'quantity')),
      Number(under(row, 'filled_quantity')),
    ];
    return filled > 0 && filled < quantity && !open.has(textUnder(row, 'id'));
  });
}

const NO_PARTIAL = 'the history has no order that was filled in part and then ended';

/** Answered by reads, where the account has what they ask about. */
export const ACCOUNT_QUESTIONS: readonly Question[] = [
  {
    id: 'exchange-order-history',
    kind: 'assumption',
    moment: 'resting',
    how: 'look for an open order in order history',
    answers: { final: 'history holds what has ended', all: 'open orders stand in it too' },
    async ask(world) {
      const id = textUnder(await resting(world), 'id');
      if (id === undefined) return unanswered('no order is open');
      const there = (await ended(world)).some((row) => textUnder(row, 'id') === id);
      return found(there ? 'all' : 'final', `order ${id} ${there ? 'is' : 'is not'} in history`);
    },
  },
  {
    id: 'detail-by-client-id-404',
    kind: 'quirk',
    moment: 'resting',
    how: 'GET order detail by the client id of an order that lists show',
    answers: { off: 'it is found', on: '404, though it exists' },
    async ask(world) {
      const rows = [await resting(world), ...(await ended(world))];
      const id = rows
        .map((row) => textUnder(row, 'client_order_id'))
        .find((each) => each !== undefined && each !== '');
      if (id === undefined) return unanswered('no listed order has a client id');
      const answer = await world.wire.get(`${ORDERS}/detail`, { query: { client_order_id: id } });
      if (answer.status !== 200 && answer.status !== 404) return unanswered(shownAnswer(answer));
      return whether(answer.status === 404, shownAnswer(answer));
    },
  },
  {
    id: 'short-order-by-id',
    kind: 'quirk',
    moment: 'resting',
    how: 'GET an order by its id and look for symbol and times',
    answers: { off: 'it is whole', on: 'it leaves out ids, symbol and times' },
    async ask(world) {
      const [row = await resting(world)] = await ended(world);
      const id = textUnder(row, 'id');
      if (id === undefined) return unanswered('the account has no orders');
      const answer = await world.wire.get(`${ORDERS}/${id}`);
      if (answer.status !== 200) return unanswered(shownAnswer(answer));
      return whether(under(answer.json, 'data', 'symbol') === undefined, shownAnswer(answer));
    },
  },
  {
    id: 'wire-unset-leg',
    kind: 'assumption',
    moment: 'open',
    how: 'look at the stop and target of a position that has none',
    answers: { absent: 'the keys are left out', empty: 'they hold empty texts' },
    async ask(world) {
      const legs = (await world.list('/positions')).flatMap((row) => [
        under(row, 'stoploss'),
        under(row, 'takeprofit'),
      ]);
      const unset = legs.filter(
        (leg) => leg === undefined || leg === null || under(leg, 'order_id') === '',
      );
      if (unset.length === 0) return unanswered('no open position lacks a stop or target');
      const empty = unset.some((leg) => under(leg, 'order_id') === '');
      return found(empty ? 'empty' : 'absent', JSON.stringify(unset[0] ?? 'left out'));
    },
  },
  {
    id: 'wire-inr-margin-text',
    kind: 'assumption',
    moment: 'open',
    how: 'count the places of the margins of INR positions',
    answers: { cut: 'two at most', whole: 'more' },
    async ask(world) {
      const rows = await world.list('/positions', { trade_currency: 'INR' });
      const margins = rows.flatMap((row) => [
        textUnder(row, 'initial_margin'),
        textUnder(row, 'maintenance_margin'),
      ]);
      const texts = margins.filter((text) => text !== undefined);
      if (texts.length === 0) return unanswered('no INR position is open');
      const whole = texts.some((text) => (text.split('.')[1] ?? '').length > 2);
      return found(whole ? 'whole' : 'cut', texts.join(', '));
    },
  },
  {
    id: 'exchange-rebates',
    kind: 'assumption',
    moment: 'after',
    how: 'look for REBATE rows in fee history',
    answers: { none: 'trades have none', 'forty-percent': 'trades have one of 40 % of the fee' },
    async ask(world) {
      const rows = await world.list('/fee/history', { limit: '100' });
      const types = rows.map((row) => textUnder(row, 'fee_type'));
      if (!types.includes('TRANSACTION')) return unanswered('no trade was charged yet');
      const rebates = types.filter((type) => type === 'REBATE').length;
      return found(rebates > 0 ? 'forty-percent' : 'none', `${rebates} of ${types.length} rows`);
    },
  },
  {
    id: 'wire-partial-cancel-amount',
    kind: 'assumption',
    moment: 'after',
    how: 'compare actual_amount of an order that was filled in part and then ended',
    answers: { ordered: 'price × ordered quantity', filled: 'the filled value' },
    async ask(world) {
      const row = await partlyFilled(world);
      if (row === undefined) return unanswered(NO_PARTIAL);
      const value = (key: string): Decimal => decimalOf(textUnder(row, key));
      const rate = value('hedge_rate').isZero() ? new Decimal(1) : value('hedge_rate');
      const ordered = value('price').times(value('quantity')).times(rate);
      const filled = value('filled_price').times(value('filled_quantity')).times(rate);
      const amount = value('actual_amount');
      const near = amount.minus(ordered).abs().lt(amount.minus(filled).abs());
      const evidence = `${amount.toFixed()}; ordered ${ordered.toFixed()}, filled ${filled.toFixed()}`;
      return found(near ? 'ordered' : 'filled', evidence);
    },
  },
  {
    id: 'exchange-partial-cancel-status',
    kind: 'assumption',
    moment: 'after',
    how: 'read the status of an order that was filled in part and then ended',
    answers: { canceled: 'CANCELLED', 'partially-filled': 'PARTIAL_FILLED for ever' },
    async ask(world) {
      const row = await partlyFilled(world);
      if (row === undefined) return unanswered(NO_PARTIAL);
      const status = textUnder(row, 'status') ?? '';
      return found(status === 'PARTIAL_FILLED' ? 'partially-filled' : 'canceled', status);
    },
  },
  {
    id: 'wire-list-offset',
    kind: 'assumption',
    moment: 'after',
    how: 'GET a list with one row at least, with an offset that is a time of tomorrow in ms',
    answers: {
      'count-or-end-time': 'a time bounds the rows',
      count: 'it skips so many rows, and nothing is left',
    },
    async ask(world) {
      for (const path of OFFSET_LISTS) {
        if ((await world.list(path, { limit: '1' })).length === 0) continue;
        const offset = String((await world.now()) + DAY_MS);
        const rows = await world.list(path, { limit: '1', offset });
        const bounded = rows.length > 0;
        return found(bounded ? 'count-or-end-time' : 'count', `${path}: ${rows.length} rows`);
      }
      return unanswered('every list of the account is empty');
    },
  },
  {
    id: 'wire-list-cap',
    kind: 'assumption',
    moment: 'after',
    how: 'GET a list of more than 100 rows with limit=500',
    answers: { '500': 'more than 100 rows come', '100': 'exactly 100, and there are more' },
    async ask(world) {
      for (const path of LISTS) {
        const rows = await world.list(path, { limit: String(LARGE_CAP) });
        if (rows.length > SMALL_CAP) return found('500', `${path}: ${rows.length} rows`);
        if (rows.length < SMALL_CAP) continue;
        const more = await world.list(path, { limit: '1', offset: String(SMALL_CAP) });
        if (more.length > 0) return found('100', `${path}: 100 rows of more`);
      }
      return unanswered('no list of the account has more than 100 rows');
    },
  },
];

/** Nothing to set: for whoever reads the profile. */
export const FACT_QUESTIONS: readonly Question[] = [
  {
    id: 'wrong-key',
    kind: 'fact',
    moment: 'any',
    how: 'GET with a key that is wrong',
    answers: {},
    async ask({ wire }) {
      const answer = await wire.get('/fapi/v1/futures/funds', { key: 'wrong' });
      return found(`HTTP ${answer.status}`, shownAnswer(answer));
    },
  },
  {
    id: 'no-key',
    kind: 'fact',
    moment: 'any',
    how: 'GET without a key',
    answers: {},
    async ask({ wire }) {
      const answer = await wire.get('/fapi/v1/futures/funds', { key: 'none' });
      return found(`HTTP ${answer.status}`, shownAnswer(answer));
    },
  },
  {
    id: 'unknown-path',
    kind: 'fact',
    moment: 'any',
    how: 'GET a path that does not exist, with the key',
    answers: {},
    async ask({ wire }) {
      const answer = await wire.get('/fapi/v1/no-such-path');
      return found(`HTTP ${answer.status}`, shownAnswer(answer));
    },
  },
  {
    id: 'date-header',
    kind: 'fact',
    moment: 'any',
    how: 'look for a Date header, from which venue time is learnt',
    answers: {},
    async ask({ wire }) {
      const { headers } = await wire.get('/fapi/v1/futures/funds');
      const date = headers['date'];
      return found(date === undefined ? 'absent' : 'present', date ?? 'no Date header');
    },
  },
  {
    id: 'position-rows',
    kind: 'fact',
    moment: 'any',
    how: 'look at data of open positions where there are none',
    answers: {},
    async ask(world) {
      const query = { trade_currency: world.currency };
      const answer = await world.wire.get('/fapi/v1/futures/positions', { query });
      const count = rowsUnder(answer.json, 'data').length;
      if (count > 0) return unanswered(`${count} positions are open`);
      return found(
        under(answer.json, 'data') === null ? 'null' : 'empty list',
        shownAnswer(answer),
      );
    },
  },
];

function decimalOf(text: string | undefined): Decimal {
  return new Decimal(text !== undefined && isPlainDecimal(text) ? text : 0);
}
