import type { TransferReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { sign, subtract, textFromFixed, type Amount } from '../core/fixed.js';
import type { Answer } from '../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { timestamp, type WireObject } from './order-wire.js';
import { listRules, pageOf, parsePage } from './page.js';
import { rejection } from './rejection-text.js';
import type { JsonBody } from './request-body.js';
import { movable, parseCurrency, parseDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

const BASE = '/fapi/v1';
/** Errors of transfers have a code of null (interface, Other trading errors). */
const INSUFFICIENT_BALANCE = failure(400, 'insufficient balance', null);
const SAME_WALLETS = failure(400, 'From and To wallet types must be different', null);

/** Money between the spot and the futures wallet, and the records of it. */
export const transferRoutes = (desk: VenueDesk): readonly Route[] => [
  {
    method: 'POST',
    path: `${BASE}/wallet/futures/transfer`,
    answer: (call) => transferUsdt(desk, call),
  },
  {
    method: 'POST',
    path: `${BASE}/futures/transfers/inr`,
    answer: (call) => transferInr(desk, call),
  },
  {
    method: 'GET',
    path: `${BASE}/futures/transactions`,
    answer: (call) => transactions(desk, call),
  },
];

function transferUsdt(desk: VenueDesk, call: Call): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(call.body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  // The text for INR on this path (interface, Other trading errors).
  if (currency === 'INR') return INSUFFICIENT_BALANCE;
  const answer = transfer(desk, 'USDT', call.body);
  if ('status' in answer) return answer;
  return success({ msg: 'internal_wallet_fund_transfer_request accepted' }, 202);
}

/** "Do not send trade_currency": INR is tolerated, anything else is another currency's transfer. */
function transferInr(desk: VenueDesk, call: Call): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  if ((call.body['trade_currency'] ?? 'INR') !== 'INR') return rejection('invalid-currency');
  const answer = transfer(desk, 'INR', call.body);
  return 'status' in answer ? answer : success({ id: answer.id }, 202);
}

function transfer(desk: VenueDesk, currency: Currency, body: JsonBody): Moved | RouteReply {
  const from = body['from_wallet_type'];
  const to = body['to_wallet_type'];
  if (!isWallet(from) || !isWallet(to)) return PARAMS_ERROR;
  const amount = amountOf(body['amount']);
  if (amount === undefined) return PARAMS_ERROR;
  if (from === to) return SAME_WALLETS;
  const direction = from === 'SPOT' ? 'deposit' : 'withdraw';
  const answer: Answer<TransferReport> = desk.exchange.transfer(currency, direction, amount);
  if (!answer.ok) return INSUFFICIENT_BALANCE;
  return { id: answer.value.id };
}

interface Moved {
  readonly id: string;
}

const isWallet = (value: unknown): value is 'SPOT' | 'FUTURES' =>
  value === 'SPOT' || value === 'FUTURES';

/** A decimal above 0 that the ledger can hold. */
function amountOf(value: unknown): Amount | undefined {
  const amount = parseDecimal(value);
  return amount?.gt(0) === true ? movable<'USDT' | 'INR'>(amount) : undefined;
}

const TYPES = { DEPOSIT: 'deposit', WITHDRAW: 'withdraw' } as const;
type Direction = TransferReport['direction'];

/** Filters, then the order asked for, then the page; newest first when none is asked for. */
function transactions(desk: VenueDesk, call: Call): RouteReply {
  const { exchange, switches } = desk;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, listRules(switches));
  const sorting = sortingOf(call.query);
  const type = call.query.get('type') ?? '';
  const direction = type === '' ? 'any' : directionOf(type);
  if (page === undefined || sorting === undefined || direction === undefined) return PARAMS_ERROR;
  const status = (call.query.get('status') ?? '').toLowerCase();
  const rows = exchange
    .transfers(currency)
    .filter((row) => direction === 'any' || row.direction === direction)
    .filter((row) => status === '' || row.status === status);
  return success(pageOf(sorting(rows), page, (row) => row.createdAt).map(transactionWire));
}

const directionOf = (type: string): Direction | undefined =>
  type === 'DEPOSIT' || type === 'WITHDRAW' ? TYPES[type] : undefined;

type Rows = readonly TransferReport[];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By the fields of a record, oldest or smallest first. */
const COMPARE: Readonly<Record<string, (a: TransferReport, b: TransferReport) => number>> = {
  id: (a, b) => compareText(a.id, b.id),
  transaction_type: (a, b) => compareText(a.direction, b.direction),
  amount: (a, b) => sign(subtract(a.amount, b.amount)),
  status: (a, b) => compareText(a.status, b.status),
  created_at: (a, b) => a.createdAt - b.createdAt,
  updated_at: (a, b) => a.updatedAt - b.updatedAt,
};

/** undefined for a field or an order that does not exist. */
function sortingOf(query: URLSearchParams): ((rows: Rows) => Rows) | undefined {
  const field = query.get('sort_by') ?? '';
  const order = (query.get('sort_order') ?? '').toLowerCase();
  if (order !== '' && order !== 'asc' && order !== 'desc') return undefined;
  if (field !== '' && !Object.hasOwn(COMPARE, field)) return undefined;
  const compare = COMPARE[field === '' ? 'created_at' : field];
  if (compare === undefined) return undefined;
  // Rows of one second keep their order, or turn round with it: sort ascending, oldest first.
  return (rows) => {
    const ascending = rows.toReversed().sort(compare);
    return order === 'asc' ? ascending : ascending.reverse();
  };
}

const STATUS = { processing: 'Processing', completed: 'Completed' } as const;

/** A futures transaction (interface); tagged with its currency like every list's rows. */
const transactionWire = (row: TransferReport): WireObject => ({
  id: row.id,
  wallet_transaction_id: '',
  transaction_type: row.direction === 'deposit' ? 'DEPOSIT' : 'WITHDRAW',
  amount: textFromFixed(row.amount),
  status: STATUS[row.status],
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
  trade_currency: row.currency,
});
