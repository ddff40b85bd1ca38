import type { HttpRequest } from '../../core/ports.js';
import type { Priority, RequestKind, VenueRequest } from '../../core/request.js';
import type { FuturesApi } from './futures-api.js';
import type { Tier } from './limits.js';

/** A row of the interface's endpoint summary. Cancelling is one method and two rows. */
export type Operation = keyof FuturesApi | 'cancelOrderByClientId';

export interface OperationRow {
  readonly method: HttpRequest['method'];
  /** As the interface writes it, with the base path. */
  readonly path: string;
  /** Rate tiers that a call counts in. */
  readonly tiers: readonly Tier[];
  /** Its place among calls that wait for the limits, unless the caller says another. */
  readonly priority: Priority;
}

const row = (
  method: HttpRequest['method'],
  path: string,
  tiers: readonly Tier[],
  priority: Priority,
): OperationRow => ({ method, path, tiers, priority });

const V1 = '/fapi/v1';
const FUTURES = `${V1}/futures`;
const POSITION = `${FUTURES}/positions/{position_id}`;
const DEFAULT = ['default'] as const;
const CORE = ['core'] as const;
const WALLET = ['wallet'] as const;
const MARKET = ['market'] as const;
/**
 * The interface names neither v2 place nor cancel by client id in its core tier: until that is known
 * they count in both (hazard L2).
 */
const CORE_AND_DEFAULT = ['core', 'default'] as const;
/** The wallet tier names POST /wallet/funds, the endpoint is GET: it counts in both. */
const WALLET_AND_DEFAULT = ['wallet', 'default'] as const;

/** Rows, rate tiers and priorities (interface: Endpoints, Summary; Limits). */
export const OPERATIONS: Readonly<Record<Operation, OperationRow>> = {
  ping: row('GET', `${FUTURES}/ping`, DEFAULT, 'poll'),
  spotWallet: row('GET', `${V1}/wallet/funds`, WALLET_AND_DEFAULT, 'poll'),
  futuresWallet: row('GET', `${FUTURES}/funds`, DEFAULT, 'poll'),
  transferUsdt: row('POST', `${V1}/wallet/futures/transfer`, WALLET, 'place'),
  transferInr: row('POST', `${FUTURES}/transfers/inr`, WALLET, 'place'),
  transactions: row('GET', `${FUTURES}/transactions`, DEFAULT, 'poll'),
  assets: row('GET', FUTURES, DEFAULT, 'poll'),
  asset: row('GET', `${FUTURES}/{asset_id}`, DEFAULT, 'poll'),
  leverage: row('GET', `${FUTURES}/{asset_id}/leverage`, CORE, 'poll'),
  setLeverage: row('POST', `${FUTURES}/{asset_id}/leverage`, CORE, 'place'),
  placeOrderV1: row('POST', `${FUTURES}/{asset_id}/order`, CORE, 'place'),
  placeOrder: row('POST', '/fapi/v2/futures/order', CORE_AND_DEFAULT, 'place'),
  openOrders: row('GET', `${FUTURES}/orders`, DEFAULT, 'poll'),
  orderHistory: row('GET', `${FUTURES}/orders/history`, DEFAULT, 'poll'),
  orderById: row('GET', `${FUTURES}/orders/{order_id}`, DEFAULT, 'verify'),
  orderDetail: row('GET', `${FUTURES}/orders/detail`, DEFAULT, 'verify'),
  executionReport: row('GET', `${FUTURES}/orders/{order_id}/execution-report`, DEFAULT, 'poll'),
  amendOrder: row('PATCH', `${FUTURES}/orders/{order_id}`, DEFAULT, 'place'),
  cancelOrder: row('DELETE', `${FUTURES}/orders/{order_id}`, CORE, 'cancel'),
  cancelOrderByClientId: row('DELETE', `${FUTURES}/orders`, CORE_AND_DEFAULT, 'cancel'),
  positions: row('GET', `${FUTURES}/positions`, DEFAULT, 'poll'),
  positionHistory: row('GET', `${FUTURES}/positions/history`, DEFAULT, 'poll'),
  setRiskOrder: row('POST', `${POSITION}/riskorder`, CORE, 'protect'),
  editRiskOrder: row('PATCH', `${POSITION}/riskorder`, CORE, 'protect'),
  addMargin: row('POST', `${POSITION}/add-margin`, CORE, 'protect'),
  closePartially: row('POST', `${POSITION}/close/partial`, CORE, 'protect'),
  closePosition: row('POST', `${POSITION}/close`, CORE, 'protect'),
  reversePosition: row('POST', `${POSITION}/reverse`, CORE, 'place'),
  liquidationPrice: row('GET', `${POSITION}/liq-price`, DEFAULT, 'poll'),
  feeHistory: row('GET', `${FUTURES}/fee/history`, DEFAULT, 'poll'),
  klines: row('GET', `${V1}/price/kline`, MARKET, 'poll'),
  markKlines: row('GET', `${V1}/price/mark-kline`, MARKET, 'poll'),
};

const BY_KIND: Readonly<Record<RequestKind, Operation>> = {
  place: 'placeOrder',
  cancel: 'cancelOrder',
  'find-order': 'orderDetail',
  'read-leverage': 'leverage',
  'set-leverage': 'setLeverage',
  'read-open-orders': 'openOrders',
  'read-order-history': 'orderHistory',
  'read-positions': 'positions',
  'read-closes': 'positionHistory',
  'read-wallet': 'futuresWallet',
  'read-spot-wallet': 'spotWallet',
  'read-transfers': 'transactions',
  amend: 'amendOrder',
  'set-leg': 'setRiskOrder',
  'move-leg': 'editRiskOrder',
  'change-margin': 'addMargin',
  transfer: 'transferUsdt',
};

export function operationOf(request: VenueRequest): Operation {
  if (request.kind === 'cancel' && 'clientOrderId' in request.order) return 'cancelOrderByClientId';
  // Each currency has a path of its own (hazard F8).
  if (request.kind === 'transfer' && request.currency === 'INR') return 'transferInr';
  return BY_KIND[request.kind];
}

/** Tiers that a request of the engine counts in. */
export const tiersOf = (request: VenueRequest): readonly Tier[] =>
  OPERATIONS[operationOf(request)].tiers;
