import type { Currency } from '../../core/currency.js';
import { isTerminalStatus } from '../../core/order.js';
import type { Reply, ReplyTo, RequestOf, VenueRequest } from '../../core/request.js';
import { requireClientOrderId } from './http/request-bodies.js';
import type { FuturesApi, OrderDetail } from './futures-api.js';
import type { FuturesApiLimits } from './http/api-limits.js';
import { ListCache, IncrementalHistory } from './http/list-cache.js';
import { readList } from './http/paginated-list.js';
import {
  adaptOutcome,
  historyRowOf,
  isMadeOrChangedSince,
  orderOf,
  placementOf,
  positionOf,
  transferRowOf,
} from './reply-mapping.js';
import { omit } from './wire/wire-value.js';

export interface TradingClientOptions {
  /** Unthrottled: the engine has acquired the permit of each request. */
  readonly api: FuturesApi;
  readonly limits: Pick<FuturesApiLimits, 'listRows'>;
  /** Resolves when the next page of a list may be requested. */
  readonly acquirePermit?: (request: VenueRequest) => Promise<void>;
}

/**
 * Maps each request of the port to one call of the interface. Fields that the engine's types lack are
 * dropped: replies are recorded, and a recording must replay byte for byte.
 */
export class TradingClient {
  readonly #api: FuturesApi;
  readonly #listRows: number;
  readonly #acquirePermit: (request: VenueRequest) => Promise<void>;
  /** Of each polled list, by request kind and currency. */
  readonly #listCaches = new Map<string, ListCache>();
  readonly #histories = new Map<Currency, IncrementalHistory<OrderDetail>>();

  constructor({ api, limits, acquirePermit = () => Promise.resolve() }: TradingClientOptions) {
    this.#api = api;
    this.#listRows = limits.listRows;
    this.#acquirePermit = acquirePermit;
  }

  /**
   * One attempt.
   * @throws AssertionError for a request that must never be sent; nothing was sent then
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
      case 'read-instrument':
        return { to: 'read-instrument', outcome: await this.#readInstrument(request) };
      case 'read-wallet':
        return { to: 'read-wallet', outcome: await this.#readWallet(request) };
      case 'read-spot-wallet':
        return { to: 'read-spot-wallet', outcome: await this.#readSpotWallet(request) };
      case 'read-transfers':
        return { to: 'read-transfers', outcome: await this.#readTransfers(request) };
      default:
        return this.#sendChange(request);
    }
  }

  /** Changes to an order, a position or a wallet, except place and cancel. */
  async #sendChange(request: RequestOf<ChangeKind>): Promise<Reply> {
    const api = this.#api;
    switch (request.kind) {
      case 'amend': {
        const { orderId, price, quantity } = request;
        const outcome = await api.amendOrder(orderId, { price, quantity });
        return { to: 'amend', outcome: adaptOutcome(outcome, identity) };
      }
      case 'set-leg': {
        const { positionId, slot, price } = request;
        // Only the id distinguishes a lost answer from a lost request (hazard D2).
        const order = { price, clientOrderId: requireClientOrderId(request.clientOrderId) };
        const outcome = await api.setRiskOrder(positionId, { [slot]: order });
        return { to: 'set-leg', outcome: adaptOutcome(outcome, identity) };
      }
      case 'move-leg': {
        const { positionId, slot, price, orderId } = request;
        const change = { price, order: { orderId } };
        const outcome = await api.editRiskOrder(positionId, { [slot]: change });
        return { to: 'move-leg', outcome: adaptOutcome(outcome, identity) };
      }
      case 'change-margin': {
        const outcome = await api.addMargin(request.positionId, request.change);
        return { to: 'change-margin', outcome: adaptOutcome(outcome, identity) };
      }
      case 'transfer':
        return { to: 'transfer', outcome: await this.#transfer(request) };
    }
  }

  /** The id in the answer is dropped: transfers of both currencies are verified by their rows. */
  async #transfer({
    currency,
    direction,
    amount,
  }: RequestOf<'transfer'>): Promise<ReplyTo<'transfer'>> {
    const api = this.#api;
    return currency === 'USDT'
      ? adaptOutcome(await api.transferUsdt(direction, amount), identity)
      : adaptOutcome(await api.transferInr(direction, amount), () => null);
  }

  async #readSpotWallet({
    currency,
  }: RequestOf<'read-spot-wallet'>): Promise<ReplyTo<'read-spot-wallet'>> {
    return adaptOutcome(await this.#api.spotWallet(currency), ({ withdrawable }) => ({
      currency,
      withdrawable,
    }));
  }

  async #readTransfers({
    currency,
    limit,
  }: RequestOf<'read-transfers'>): Promise<ReplyTo<'read-transfers'>> {
    const newest = { limit, sortBy: 'created_at', sortOrder: 'desc' } as const;
    return adaptOutcome(await this.#api.transactions(currency, newest), (rows) =>
      rows.map(transferRowOf),
    );
  }

  async #place({ clientOrderId, terms }: RequestOf<'place'>): Promise<ReplyTo<'place'>> {
    // The id is optional in the interface; the engine needs it to find the order (hazard A22).
    const order = { terms, clientOrderId: requireClientOrderId(clientOrderId) };
    return adaptOutcome(await this.#api.placeOrder(order), placementOf);
  }

  async #findOrder({ order }: RequestOf<'find-order'>): Promise<ReplyTo<'find-order'>> {
    return adaptOutcome(await this.#api.orderDetail(order), orderOf);
  }

  async #readLeverage({
    symbol,
    currency,
  }: RequestOf<'read-leverage'>): Promise<ReplyTo<'read-leverage'>> {
    return adaptOutcome(await this.#api.leverage({ symbol }, currency), ({ leverage }) => leverage);
  }

  async #setLeverage({
    symbol,
    currency,
    leverage,
  }: RequestOf<'set-leverage'>): Promise<ReplyTo<'set-leverage'>> {
    const outcome = await this.#api.setLeverage({ symbol }, currency, leverage);
    return adaptOutcome(outcome, (setting) => setting.leverage);
  }

  async #readOpenOrders({
    currency,
  }: RequestOf<'read-open-orders'>): Promise<ReplyTo<'read-open-orders'>> {
    const outcome = await readList({
      ...this.#cachedList({ kind: 'read-open-orders', currency }),
      read: (range) => this.#api.openOrders(currency, range),
      keyOf: ({ orderId }) => orderId,
      timeOf: ({ createdAt }) => createdAt,
    });
    return adaptOutcome(outcome, (orders) => orders.map(orderOf));
  }

  async #readOrderHistory(
    request: RequestOf<'read-order-history'>,
  ): Promise<ReplyTo<'read-order-history'>> {
    const { currency, limit, from, changedSince, bypassCache = false } = request;
    const usesHistory = from !== undefined && !bypassCache;
    const outcome = await readList({
      ...this.#pagedList(request),
      read: (range) => this.#api.orderHistory(currency, range),
      keyOf: ({ orderId }) => orderId,
      timeOf: ({ createdAt }) => createdAt,
      pageRows: limit,
      isEnough: hasReached(from, ({ createdAt }) => createdAt),
      ...(usesHistory && { history: { list: this.#historyOf(currency), from } }),
    });
    const isRelevant = isMadeOrChangedSince(from, changedSince);
    return adaptOutcome(outcome, (orders) => orders.filter(isRelevant).map(historyRowOf));
  }

  async #readPositions({
    currency,
  }: RequestOf<'read-positions'>): Promise<ReplyTo<'read-positions'>> {
    const outcome = await readList({
      ...this.#cachedList({ kind: 'read-positions', currency }),
      read: (range) => this.#api.positions(currency, range),
      keyOf: ({ positionId }) => positionId,
      timeOf: ({ createdAt }) => createdAt,
    });
    return adaptOutcome(outcome, (positions) => positions.map(positionOf));
  }

  async #readCloses(request: RequestOf<'read-closes'>): Promise<ReplyTo<'read-closes'>> {
    const { currency, limit, from } = request;
    const outcome = await readList({
      ...this.#pagedList(request),
      read: (range) => this.#api.positionHistory(currency, range),
      keyOf: ({ rowId }) => rowId,
      timeOf: ({ openedAt }) => openedAt,
      pageRows: limit,
      isEnough: hasReached(from, ({ openedAt }) => openedAt),
    });
    return adaptOutcome(outcome, (closes) =>
      closes.map((close) => omit(close, 'leverage', 'entryHedgeRate', 'exitHedgeRate')),
    );
  }

  async #readInstrument({
    symbol,
  }: RequestOf<'read-instrument'>): Promise<ReplyTo<'read-instrument'>> {
    return adaptOutcome(await this.#api.asset({ symbol }), ({ instrument }) => instrument);
  }

  #historyOf(currency: Currency): IncrementalHistory<OrderDetail> {
    const history =
      this.#histories.get(currency) ??
      new IncrementalHistory<OrderDetail>({
        timeOf: ({ createdAt }) => createdAt,
        isFinal: ({ status }) => isTerminalStatus(status),
      });
    this.#histories.set(currency, history);
    return history;
  }

  #pagedList(request: VenueRequest) {
    return { pageRows: this.#listRows, acquirePermit: () => this.#acquirePermit(request) };
  }

  #cachedList(request: RequestOf<'read-open-orders' | 'read-positions'>) {
    const name = `${request.kind} ${request.currency}`;
    const cache = this.#listCaches.get(name) ?? new ListCache();
    this.#listCaches.set(name, cache);
    return { ...this.#pagedList(request), cache };
  }

  async #readWallet({ currency }: RequestOf<'read-wallet'>): Promise<ReplyTo<'read-wallet'>> {
    return adaptOutcome(await this.#api.futuresWallet(currency), (wallet) =>
      omit(wallet, 'firstTimeUser'),
    );
  }
}

const identity = <T>(value: T): T => value;

type ChangeKind = 'amend' | 'set-leg' | 'move-leg' | 'change-margin' | 'transfer';

/** Rows suffice when one of them is older than `from`; without `from`, the newest page does. */
const hasReached =
  <Row>(from: number | undefined, timeOf: (row: Row) => number | undefined) =>
  (rows: readonly Row[]): boolean =>
    from === undefined || rows.some((row) => (timeOf(row) ?? Infinity) < from);
