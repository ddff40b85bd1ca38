import type { OrderReport } from '../../core/order.js';
import type {
  Outcome,
  Placement,
  Reply,
  ReplyTo,
  RequestOf,
  VenueRequest,
} from '../../core/request.js';
import { namedId } from './encode.js';
import type { FuturesApi, OrderDetail, PlacementDetail } from './futures-api.js';
import type { FuturesApiLimits } from './limits.js';
import { mapped } from './outcome.js';
import { present, without } from './wire-value.js';

export interface TradingOptions {
  /** Without waiting: the engine has got its slot. */
  readonly api: FuturesApi;
  readonly limits: Pick<FuturesApiLimits, 'listRows'>;
}

/**
 * Each verb of the port as one call of the interface. What the interface tells beyond the engine's
 * words is left out: replies are recorded, and a record is replayed byte for byte.
 */
export class Trading {
  readonly #api: FuturesApi;
  readonly #listRows: number;

  constructor({ api, limits }: TradingOptions) {
    this.#api = api;
    this.#listRows = limits.listRows;
  }

  /**
   * One attempt.
   * @throws AssertionError for a request that must never reach a wire; nothing was sent then
   */
  async send(request: VenueRequest): Promise<Reply> {
    switch (request.kind) {
      case 'place':
        return { to: 'place', outcome: await this.#place(request) };
      case 'cancel':
        return { to: 'cancel', outcome: await this.#api.cancelOrder(request.order) };
      case 'find-order':
        return { to: 'find-order', outcome: await this.#findOrder(request) };
      case 'read-leverage':
        return { to: 'read-leverage', outcome: await this.#readLeverage(request) };
      case 'set-leverage':
        return { to: 'set-leverage', outcome: await this.#setLeverage(request) };
      case 'read-open-orders':
        return { to: 'read-open-orders', outcome: await this.#readOpenOrders(request) };
      case 'read-order-history':
        return { to: 'read-order-history', outcome: await this.#readOrderHistory(request) };
      case 'read-positions':
        return { to: 'read-positions', outcome: await this.#readPositions(request) };
      case 'read-closes':
        return { to: 'read-closes', outcome: await this.#readCloses(request) };
      case 'read-wallet':
        return { to: 'read-wallet', outcome: await this.#readWallet(request) };
    }
  }

  async #place({ clientOrderId, terms }: RequestOf<'place'>): Promise<ReplyTo<'place'>> {
    // The interface can do without an id, the engine never (hazard A22).
    const named = { terms, clientOrderId: namedId(clientOrderId) };
    return told(await this.#api.placeOrder(named), placementOf);
  }

  async #findOrder({ order }: RequestOf<'find-order'>): Promise<ReplyTo<'find-order'>> {
    return told(await this.#api.orderDetail(order), orderOf);
  }

  async #readLeverage({
    symbol,
    currency,
  }: RequestOf<'read-leverage'>): Promise<ReplyTo<'read-leverage'>> {
    return told(await this.#api.leverage({ symbol }, currency), ({ leverage }) => leverage);
  }

  async #setLeverage({
    symbol,
    currency,
    leverage,
  }: RequestOf<'set-leverage'>): Promise<ReplyTo<'set-leverage'>> {
    const outcome = await this.#api.setLeverage({ symbol }, currency, leverage);
    return told(outcome, (setting) => setting.leverage);
  }

  async #readOpenOrders({
    currency,
  }: RequestOf<'read-open-orders'>): Promise<ReplyTo<'read-open-orders'>> {
    const limit = this.#listRows;
    const outcome = await this.#api.openOrders(currency, { limit });
    // A full page may have been cut, and an order that is not seen would pass for gone.
    if (outcome.kind === 'yes' && outcome.value.length >= limit) {
      const cause = `the list holds ${limit} rows or more: it may be cut`;
      return { kind: 'unknown', cause, sent: true, status: 200 };
    }
    return told(outcome, (orders) => orders.map(orderOf));
  }

  async #readOrderHistory({
    currency,
    limit,
  }: RequestOf<'read-order-history'>): Promise<ReplyTo<'read-order-history'>> {
    const outcome = await this.#api.orderHistory(currency, { limit });
    return told(outcome, (orders) => orders.map(orderOf));
  }

  async #readPositions({
    currency,
  }: RequestOf<'read-positions'>): Promise<ReplyTo<'read-positions'>> {
    return told(await this.#api.positions(currency), (positions) =>
      positions.map((position) => without(position, 'entryHedgeRate', 'createdAt', 'updatedAt')),
    );
  }

  async #readCloses({
    currency,
    limit,
  }: RequestOf<'read-closes'>): Promise<ReplyTo<'read-closes'>> {
    return told(await this.#api.positionHistory(currency, { limit }), (closes) =>
      closes.map((close) => without(close, 'leverage', 'entryHedgeRate', 'exitHedgeRate')),
    );
  }

  async #readWallet({ currency }: RequestOf<'read-wallet'>): Promise<ReplyTo<'read-wallet'>> {
    return told(await this.#api.futuresWallet(currency), (wallet) =>
      without(wallet, 'firstTimeUser'),
    );
  }
}

/** To the engine a 403 is no answer: it is not specified what one looks like (reliability 0.1). */
function told<T, U>(outcome: Outcome<T>, form: (value: T) => U): Outcome<U> {
  if (outcome.kind === 'no' && outcome.code === 'forbidden') {
    const { status, text } = outcome;
    return { kind: 'unknown', cause: `HTTP ${status}: ${text}`, sent: true, status };
  }
  return mapped(outcome, form);
}

const placementOf = ({ orderId, positionId, price, quantity }: PlacementDetail): Placement =>
  present({ orderId, positionId, price, quantity });

const orderOf = (order: OrderDetail): OrderReport =>
  without(order, 'actualAmount', 'hedgeRate', 'createdAt', 'updatedAt');
