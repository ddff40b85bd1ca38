import type { PositionReport, TransferRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { isFinal, type OrderReport } from '../../core/order.js';
import type {
  Outcome,
  Placement,
  Reply,
  ReplyTo,
  RequestOf,
  VenueRequest,
} from '../../core/request.js';
import { namedId } from './encode.js';
import type {
  FuturesApi,
  OrderDetail,
  PlacementDetail,
  PositionDetail,
  TransferDetail,
} from './futures-api.js';
import type { FuturesApiLimits } from './limits.js';
import { KnownList, RememberedList } from './list-memory.js';
import { readList } from './list-reader.js';
import { mapped } from './outcome.js';
import { present, without } from './wire-value.js';

export interface TradingOptions {
  /** Without waiting: the engine has got its slot. */
  readonly api: FuturesApi;
  readonly limits: Pick<FuturesApiLimits, 'listRows'>;
  /** Resolves when one more call of this kind may be made: a list that takes more than one. */
  readonly slot?: (request: VenueRequest) => Promise<void>;
}

/**
 * Each verb of the port as one call of the interface. What the interface tells beyond the engine's
 * words is left out: replies are recorded, and a record is replayed byte for byte.
 */
export class Trading {
  readonly #api: FuturesApi;
  readonly #listRows: number;
  readonly #slot: (request: VenueRequest) => Promise<void>;
  /** Of each list that is polled, by what and currency. */
  readonly #known = new Map<string, KnownList>();
  readonly #histories = new Map<Currency, RememberedList<OrderDetail>>();

  constructor({ api, limits, slot = () => Promise.resolve() }: TradingOptions) {
    this.#api = api;
    this.#listRows = limits.listRows;
    this.#slot = slot;
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
      case 'read-spot-wallet':
        return { to: 'read-spot-wallet', outcome: await this.#readSpotWallet(request) };
      case 'read-transfers':
        return { to: 'read-transfers', outcome: await this.#readTransfers(request) };
      default:
        return this.#change(request);
    }
  }

  /** What changes an order, a position or a wallet and is neither a place nor a cancel. */
  async #change(request: RequestOf<ChangeKind>): Promise<Reply> {
    const api = this.#api;
    switch (request.kind) {
      case 'amend': {
        const { orderId, price, quantity } = request;
        const outcome = await api.amendOrder(orderId, { price, quantity });
        return { to: 'amend', outcome: told(outcome, same) };
      }
      case 'set-leg': {
        const { positionId, slot, price } = request;
        // Without an id nobody could tell a lost answer from a lost request (hazard D2).
        const leg = { price, clientOrderId: namedId(request.clientOrderId) };
        const outcome = await api.setRiskOrder(positionId, { [slot]: leg });
        return { to: 'set-leg', outcome: told(outcome, same) };
      }
      case 'move-leg': {
        const { positionId, slot, price, orderId } = request;
        const change = { price, order: { orderId } };
        const outcome = await api.editRiskOrder(positionId, { [slot]: change });
        return { to: 'move-leg', outcome: told(outcome, same) };
      }
      case 'change-margin': {
        const outcome = await api.addMargin(request.positionId, request.change);
        return { to: 'change-margin', outcome: told(outcome, same) };
      }
      case 'transfer':
        return { to: 'transfer', outcome: await this.#transfer(request) };
    }
  }

  /** The id that an INR transfer answers with is in its row too, where both currencies are proved. */
  async #transfer({
    currency,
    direction,
    amount,
  }: RequestOf<'transfer'>): Promise<ReplyTo<'transfer'>> {
    const api = this.#api;
    return currency === 'USDT'
      ? told(await api.transferUsdt(direction, amount), same)
      : told(await api.transferInr(direction, amount), () => null);
  }

  async #readSpotWallet({
    currency,
  }: RequestOf<'read-spot-wallet'>): Promise<ReplyTo<'read-spot-wallet'>> {
    return told(await this.#api.spotWallet(currency), ({ withdrawable }) => ({
      currency,
      withdrawable,
    }));
  }

  async #readTransfers({
    currency,
    limit,
  }: RequestOf<'read-transfers'>): Promise<ReplyTo<'read-transfers'>> {
    const newest = { limit, sortBy: 'created_at', sortOrder: 'desc' } as const;
    return told(await this.#api.transactions(currency, newest), (rows) => rows.map(transferRowOf));
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
    const outcome = await readList({
      ...this.#polled({ kind: 'read-open-orders', currency }),
      read: (range) => this.#api.openOrders(currency, range),
      keyOf: ({ orderId }) => orderId,
      timeOf: ({ createdAt }) => createdAt,
    });
    return told(outcome, (orders) => orders.map(orderOf));
  }

  async #readOrderHistory(
    request: RequestOf<'read-order-history'>,
  ): Promise<ReplyTo<'read-order-history'>> {
    const { currency, limit, from, changedSince, afresh = false } = request;
    const remembers = from !== undefined && !afresh;
    const outcome = await readList({
      ...this.#whole(request),
      read: (range) => this.#api.orderHistory(currency, range),
      keyOf: ({ orderId }) => orderId,
      timeOf: ({ createdAt }) => createdAt,
      pageRows: limit,
      enough: since(from, ({ createdAt }) => createdAt),
      ...(remembers && { remembered: { list: this.#historyOf(currency), from } }),
    });
    const isNews = isSince(from, changedSince);
    return told(outcome, (orders) => orders.filter(isNews).map(historyRowOf));
  }

  async #readPositions({
    currency,
  }: RequestOf<'read-positions'>): Promise<ReplyTo<'read-positions'>> {
    const outcome = await readList({
      ...this.#polled({ kind: 'read-positions', currency }),
      read: (range) => this.#api.positions(currency, range),
      keyOf: ({ positionId }) => positionId,
      timeOf: ({ createdAt }) => createdAt,
    });
    return told(outcome, (positions) => positions.map(positionOf));
  }

  async #readCloses(request: RequestOf<'read-closes'>): Promise<ReplyTo<'read-closes'>> {
    const { currency, limit, from } = request;
    const outcome = await readList({
      ...this.#whole(request),
      read: (range) => this.#api.positionHistory(currency, range),
      keyOf: ({ rowId }) => rowId,
      timeOf: ({ openedAt }) => openedAt,
      pageRows: limit,
      enough: since(from, ({ openedAt }) => openedAt),
    });
    return told(outcome, (closes) =>
      closes.map((close) => without(close, 'leverage', 'entryHedgeRate', 'exitHedgeRate')),
    );
  }

  #historyOf(currency: Currency): RememberedList<OrderDetail> {
    const history =
      this.#histories.get(currency) ??
      new RememberedList<OrderDetail>({
        timeOf: ({ createdAt }) => createdAt,
        isFinal: ({ status }) => isFinal(status),
      });
    this.#histories.set(currency, history);
    return history;
  }

  #whole(request: VenueRequest) {
    return { pageRows: this.#listRows, slot: () => this.#slot(request) };
  }

  #polled(request: RequestOf<'read-open-orders' | 'read-positions'>) {
    const name = `${request.kind} ${request.currency}`;
    const known = this.#known.get(name) ?? new KnownList();
    this.#known.set(name, known);
    return { ...this.#whole(request), known };
  }

  async #readWallet({ currency }: RequestOf<'read-wallet'>): Promise<ReplyTo<'read-wallet'>> {
    return told(await this.#api.futuresWallet(currency), (wallet) =>
      without(wallet, 'firstTimeUser'),
    );
  }
}

const same = <T>(value: T): T => value;

type ChangeKind = 'amend' | 'set-leg' | 'move-leg' | 'change-margin' | 'transfer';

/** Rows are enough when one is older than all that are asked for; without a time, the newest page. */
const since =
  <Row>(from: number | undefined, timeOf: (row: Row) => number | undefined) =>
  (rows: readonly Row[]): boolean =>
    from === undefined || rows.some((row) => (timeOf(row) ?? Infinity) < from);

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

const transferRowOf = ({
  id,
  currency,
  direction,
  amount,
  createdAt,
}: TransferDetail): TransferRow => ({
  id,
  currency,
  direction,
  amount,
  createdAt,
});

const orderOf = (order: OrderDetail): OrderReport =>
  without(order, 'actualAmount', 'hedgeRate', 'createdAt');

/** A page may hold older ones too: nobody asked for them, and whoever records the answer would keep them. */
const isSince =
  (from = Number.NEGATIVE_INFINITY, changedSince = from) =>
  ({ createdAt = Number.POSITIVE_INFINITY, updatedAt = createdAt }: OrderDetail): boolean =>
    createdAt >= from || Math.max(createdAt, updatedAt) >= changedSince;

/** With its time: a reader of history knows how far back it must look. */
const historyRowOf = (order: OrderDetail): OrderReport =>
  without(order, 'actualAmount', 'hedgeRate');

const positionOf = ({ createdAt, ...position }: PositionDetail): PositionReport => ({
  ...without(position, 'entryHedgeRate', 'updatedAt'),
  ...(createdAt !== undefined && { openedAt: createdAt }),
});
