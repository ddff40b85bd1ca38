import type { HttpRequest } from '../../../core/ports.js';
import type { Priority, RequestKind, VenueRequest } from '../../../core/request.js';
import type { FuturesApi } from '../futures-api.js';
import type { RateTierName } from './api-limits.js';

/** An endpoint of the interface. Cancelling is one method and two endpoints. */
export type ApiOperation = keyof FuturesApi | 'cancelOrderByClientId';

export interface OperationSpec {
  readonly method: HttpRequest['method'];
  /** With the base path and the placeholders of the interface. */
  readonly path: string;
  /** Rate tiers that a call counts towards. */
  readonly tiers: readonly RateTierName[];
  /** Default priority among the calls that wait for a permit. */
  readonly priority: Priority;
}

const row = (
  method: HttpRequest['method'],
  path: string,
  tiers: readonly RateTierName[],
  priority: Priority,
): OperationSpec => ({ method, path, tiers, priority });

const V1 = '/fapi/v1';
const FUTURES = `${V1}/futures`;
const POSITION = `${FUTURES}/positions/{position_id}`;
const DEFAULT = ['default'] as const;
const CORE = ['core'] as const;
const WALLET = ['wallet'] as const;
const MARKET = ['market'] as const;
/**
 * The interface lists v2 place under no tier, while v1 place is in the core tier: it counts towards both
 * (hazard L2). Cancel by client id is one of the endpoints that the default tier names as the rest.
 */
const CORE_AND_DEFAULT = ['core', 'default'] as const;
/** The interface lists POST /wallet/funds in the wallet tier, but the endpoint is GET: it counts in both. */
const WALLET_AND_DEFAULT = ['wallet', 'default'] as const;

/** Method, path, rate tiers and priority of each endpoint (interface: endpoints, limits). */
export const OPERATIONS: Readonly<Record<ApiOperation, OperationSpec>> = {
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
  cancelOrderByClientId: row('DELETE', `${FUTURES}/orders`, DEFAULT, 'cancel'),
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

const OPERATION_BY_REQUEST: Readonly<Record<RequestKind, ApiOperation>> = {
  place: 'placeOrder',
  cancel: 'cancelOrder',
  'find-order': 'orderDetail',
  'read-leverage': 'leverage',
  'set-leverage': 'setLeverage',
  'read-open-orders': 'openOrders',
  'read-order-history': 'orderHistory',
  'read-positions': 'positions',
  'read-closes': 'positionHistory',
  'read-instrument': 'asset',
  'read-wallet': 'futuresWallet',
  'read-spot-wallet': 'spotWallet',
  'read-transfers': 'transactions',
  amend: 'amendOrder',
  'set-leg': 'setRiskOrder',
  'move-leg': 'editRiskOrder',
  'change-margin': 'addMargin',
  transfer: 'transferUsdt',
};

export function apiOperationOf(request: VenueRequest): ApiOperation {
  if (request.kind === 'cancel' && 'clientOrderId' in request.order) return 'cancelOrderByClientId';
  // Each currency has its own path (hazard F8).
  if (request.kind === 'transfer' && request.currency === 'INR') return 'transferInr';
  return OPERATION_BY_REQUEST[request.kind];
}

/** Rate tiers that a request of the engine counts towards. */
export const tiersOf = (request: VenueRequest): readonly RateTierName[] =>
  OPERATIONS[apiOperationOf(request)].tiers;
