import type { TransferReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { sign, subtract, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { ExchangeResult } from '../../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import { wireTimestamp, type WireObject } from '../wire/order-wire.js';
import { listRules, pageOf, parsePage } from '../http/page.js';
import { rejection } from '../http/rejection-text.js';
import type { JsonBody } from '../http/request-body.js';
import { transferAmount, parseCurrency, parseDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

const BASE = '/fapi/v1';
/** Errors of transfers have a code of null (interface: Other trading errors). */
const INSUFFICIENT_BALANCE = failure(400, 'insufficient balance', null);
const SAME_WALLETS = failure(400, 'From and To wallet types must be different', null);

/** Transfers between spot and futures wallet, and their records. */
export const transferRoutes = (context: RouteContext): readonly Route[] => [
  {
    method: 'POST',
    path: `${BASE}/wallet/futures/transfer`,
    handle: (call) => transferUsdt(context, call),
  },
  {
    method: 'POST',
    path: `${BASE}/futures/transfers/inr`,
    handle: (call) => transferInr(context, call),
  },
  {
    method: 'GET',
    path: `${BASE}/futures/transactions`,
    handle: (call) => transactions(context, call),
  },
];

function transferUsdt(context: RouteContext, call: RouteCall): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(call.body['trade_currency']);
  if (currency === undefined) return rejection('invalid-currency');
  // Text for INR on this path (interface: Other trading errors).
  if (currency === 'INR') return INSUFFICIENT_BALANCE;
  const result = transfer(context, 'USDT', call.body);
  if ('status' in result) return result;
  return success({ msg: 'internal_wallet_fund_transfer_request accepted' }, 202);
}

/** The interface says "Do not send trade_currency". INR is tolerated, any other value refused. */
function transferInr(context: RouteContext, call: RouteCall): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  if ((call.body['trade_currency'] ?? 'INR') !== 'INR') return rejection('invalid-currency');
  const result = transfer(context, 'INR', call.body);
  return 'status' in result ? result : success({ id: result.id }, 202);
}

function transfer(
  context: RouteContext,
  currency: Currency,
  body: JsonBody,
): TransferReceipt | RouteReply {
  const from = body['from_wallet_type'];
  const to = body['to_wallet_type'];
  if (!isWallet(from) || !isWallet(to)) return PARAMS_ERROR;
  const amount = amountOf(body['amount']);
  if (amount === undefined) return PARAMS_ERROR;
  if (from === to) return SAME_WALLETS;
  const direction = from === 'SPOT' ? 'deposit' : 'withdraw';
  const result: ExchangeResult<TransferReport> = context.exchange.transfer(
    currency,
    direction,
    amount,
  );
  if (!result.ok) return INSUFFICIENT_BALANCE;
  return { id: result.value.id };
}

interface TransferReceipt {
  readonly id: string;
}

const isWallet = (value: unknown): value is 'SPOT' | 'FUTURES' =>
  value === 'SPOT' || value === 'FUTURES';

/** A decimal above 0 that the ledger can hold. */
function amountOf(value: unknown): Amount | undefined {
  const amount = parseDecimal(value);
  return amount?.gt(0) === true ? transferAmount<'USDT' | 'INR'>(amount) : undefined;
}

const TYPES = { DEPOSIT: 'deposit', WITHDRAW: 'withdraw' } as const;
type Direction = TransferReport['direction'];

/** Applies filters, then the sort order, then the page. Default: newest first. */
function transactions(context: RouteContext, call: RouteCall): RouteReply {
  const { exchange, switches } = context;
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

/** Comparison by a field of a record, oldest or smallest first. */
const COMPARE: Readonly<Record<string, (a: TransferReport, b: TransferReport) => number>> = {
  id: (a, b) => compareText(a.id, b.id),
  transaction_type: (a, b) => compareText(a.direction, b.direction),
  amount: (a, b) => sign(subtract(a.amount, b.amount)),
  status: (a, b) => compareText(a.status, b.status),
  created_at: (a, b) => a.createdAt - b.createdAt,
  updated_at: (a, b) => a.updatedAt - b.updatedAt,
};

/** undefined for an unknown field or direction. */
function sortingOf(query: URLSearchParams): ((rows: Rows) => Rows) | undefined {
  const field = query.get('sort_by') ?? '';
  const order = (query.get('sort_order') ?? '').toLowerCase();
  if (order !== '' && order !== 'asc' && order !== 'desc') return undefined;
  if (field !== '' && !Object.hasOwn(COMPARE, field)) return undefined;
  const compare = COMPARE[field === '' ? 'created_at' : field];
  if (compare === undefined) return undefined;
  // Sorting ascending before reversing keeps rows of the same second consistent in both directions.
  return (rows) => {
    const ascending = rows.toReversed().sort(compare);
    return order === 'asc' ? ascending : ascending.reverse();
  };
}

const STATUS = { processing: 'Processing', completed: 'Completed' } as const;

/** A futures transaction with its currency, like the rows of every list (interface: transactions). */
const transactionWire = (row: TransferReport): WireObject => ({
  id: row.id,
  wallet_transaction_id: '',
  transaction_type: row.direction === 'deposit' ? 'DEPOSIT' : 'WITHDRAW',
  amount: textFromFixed(row.amount),
  status: STATUS[row.status],
  created_at: wireTimestamp(row.createdAt),
  updated_at: wireTimestamp(row.updatedAt),
  trade_currency: row.currency,
});
