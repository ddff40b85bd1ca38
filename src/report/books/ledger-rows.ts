import type { CloseReport, FeeReport, TransferRow } from '../../core/account.js';
import {
  add,
  isLess,
  negate,
  ONE,
  ZERO,
  type Amount,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { AccountLists, FilledOrder } from './account-lists.js';
import { ChargeOwners, type ChargedBy } from './charge-owner.js';
import type { LedgerKind, LedgerRow } from './ledger-row.js';
import { PositionShares, splitAmount, withShare, type OwnerShare } from './owner-share.js';
import { eventsBySecond, type PositionEvent } from './position-event.js';
import { UNATTRIBUTED, type Handover, type OrderOwners, type Owner } from './owner.js';

const NONE = ZERO as Quantity;
const NOTHING = ZERO as Amount;

/** Shares of the open positions after the last row, by symbol. */
export type OpenShares = ReadonlyMap<string, readonly OwnerShare[]>;

export interface AttributedLedger {
  /** Oldest first; at one second: fills, liquidations, fees, rebates, funding, transfers. */
  readonly rows: readonly LedgerRow[];
  readonly openShares: OpenShares;
}

/**
 * The ledger of an account in one currency, each row with its owner. Every listed amount is in exactly one row,
 * or split without rest, so that the rows of all owners add up to the account.
 *
 * A fill belongs to the owner of its order. The profit of a close belongs to the owners whose shares it closes,
 * by quantity, since the venue has one entry price for a position. A fee belongs to the owners of the shares that its
 * order opened or closed. Funding is split by the shares at its second.
 */
export function attributedLedger(lists: AccountLists, owners: OrderOwners): AttributedLedger {
  return new LedgerBuilder(lists, owners).build();
}

class LedgerBuilder {
  readonly #lists: AccountLists;
  readonly #owners: OrderOwners;
  readonly #orders: ReadonlyMap<string, FilledOrder>;
  readonly #chargeOwners: ChargeOwners;
  readonly #shares = new Map<string, PositionShares>();
  /** Shares that closes of one second closed, by symbol and second. */
  readonly #closed = new Map<string, readonly OwnerShare[]>();
  /** Shares that an order opened or closed, by its id at the venue. */
  readonly #traded = new Map<string, OwnerShare[]>();
  readonly #rows: LedgerRow[] = [];
  readonly #handovers: Handover[];
  /** Orders by which the venue liquidated a position. */
  readonly #liquidations: ReadonlySet<string | undefined>;

  constructor(lists: AccountLists, owners: OrderOwners) {
    this.#lists = lists;
    this.#owners = owners;
    this.#handovers = [...owners.handovers];
    this.#orders = new Map(lists.orders.map((order) => [order.orderId, order]));
    this.#chargeOwners = new ChargeOwners(lists.orders, owners);
    const liquidated = lists.closes.filter(({ kind }) => kind === 'liquidated');
    this.#liquidations = new Set(liquidated.map(({ orderId }) => orderId));
  }

  build(): AttributedLedger {
    for (const second of eventsBySecond(this.#lists)) {
      this.#handOver(second[0]?.at ?? 0);
      this.#applySecond(second);
    }
    this.#handOver(Infinity);
    const charges = this.#lists.charges.filter(({ kind }) => kind !== 'funding');
    for (const charge of [...charges].sort(byTime)) this.#charge(charge);
    for (const transfer of this.#lists.transfers) this.#transfer(transfer);
    const open = [...this.#shares].map(([symbol, { shares }]) => [symbol, shares] as const);
    return {
      rows: this.#rows.sort((a, b) => a.at - b.at || KIND_ORDER[a.kind] - KIND_ORDER[b.kind]),
      openShares: new Map(open.filter(([, shares]) => shares.length > 0)),
    };
  }

  /** Handovers before a second. */
  #handOver(at: number): void {
    while ((this.#handovers[0]?.at ?? Infinity) < at) {
      const next = this.#handovers.shift();
      if (next !== undefined) this.#sharesOf(next.symbol).handOver(next.from, next.to);
    }
  }

  /** Closes come first, as an order that turns a position closes before it opens; but none of more than is open. */
  #applySecond(second: readonly PositionEvent[]): void {
    const left = [...second];
    while (left.length > 0) {
      const close = left.findIndex((each) => each.kind === 'close' && this.#covers(each.close));
      const other = left.findIndex((each) => each.kind !== 'close');
      const [event] = left.splice(Math.max(0, close === -1 ? other : close), 1);
      if (event !== undefined) this.#apply(event);
    }
  }

  #covers({ symbol, quantity }: CloseReport): boolean {
    const held = this.#sharesOf(symbol).shares.reduce((sum, each) => add(sum, each.quantity), NONE);
    return !isLess(held, quantity);
  }

  #apply(event: PositionEvent): void {
    switch (event.kind) {
      case 'open':
        this.#open(event.order, event.quantity, event.at);
        return;
      case 'close':
        this.#close(event.close);
        return;
      case 'funding':
        this.#funding(event.charge);
    }
  }

  #open(order: FilledOrder, quantity: Quantity, at: number): void {
    const owner = this.#owners.ofOrder(order);
    this.#sharesOf(order.symbol).open(owner, quantity);
    this.#addTraded(order.orderId, [{ owner, quantity }]);
    const { averagePrice: price = order.price } = order;
    this.#rows.push({
      ...orderFields(order),
      at,
      kind: 'fill',
      currency: this.#lists.currency,
      owner,
      amount: NOTHING,
      quantity,
      ...(price !== undefined && { price }),
    });
  }

  #close(close: CloseReport): void {
    const { symbol, currency, quantity, pnl, closedAt: at, orderId, positionId, rowId } = close;
    const order = orderId === undefined ? undefined : this.#orders.get(orderId);
    const position = this.#sharesOf(symbol);
    const fallback = this.#owners.ofSymbol(symbol);
    const closer = this.#closerOf(close, order);
    const shares = position.close(quantity, closer, fallback);
    if (close.kind !== 'partial') position.clear();
    this.#closed.set(keyOf(symbol, at), shares);
    if (orderId !== undefined) this.#addTraded(orderId, shares);
    const amounts = new Map(splitAmount(pnl, shares).map((part) => [part.owner, part.amount]));
    const hedgeRate = close.exitHedgeRate ?? order?.hedgeRate;
    for (const share of shares)
      this.#rows.push({
        ...(order === undefined ? { symbol } : orderFields(order)),
        at,
        kind: close.kind === 'liquidated' ? 'liquidation' : 'fill',
        currency,
        owner: share.owner,
        amount: amounts.get(share.owner) ?? NOTHING,
        quantity: share.quantity,
        side: close.side === 'long' ? 'sell' : 'buy',
        price: close.closePrice,
        positionId,
        rowId,
        ...(hedgeRate !== undefined && { hedgeRate }),
        ...(orderId !== undefined && { orderId }),
      });
  }

  /** undefined: the venue closed it, by a stop, a target or a liquidation. */
  #closerOf({ kind, role = 'trade' }: CloseReport, order: FilledOrder | undefined) {
    const isTrade = kind !== 'liquidated' && (order?.role ?? role) === 'trade';
    return isTrade && order !== undefined ? this.#owners.ofOrder(order) : undefined;
  }

  #funding(charge: FeeReport): void {
    const { shares } = this.#sharesOf(charge.symbol);
    const { currency, symbol, createdAt: at, value, id } = charge;
    const parts = shares.length > 0 ? shares : [this.#whole(this.#owners.ofSymbol(symbol))];
    for (const { owner, amount } of splitAmount(negate(charge.amount), parts))
      this.#rows.push({ at, kind: 'funding', currency, owner, amount, symbol, value, ...idOf(id) });
  }

  #charge(charge: FeeReport): void {
    const { kind, currency, symbol, createdAt: at, value, id, gst } = charge;
    const isFee = kind === 'transaction';
    const { order, shares } = this.#chargedShares(charge);
    const amounts = splitAmount(isFee ? negate(charge.amount) : charge.amount, shares);
    const taxes = new Map(
      gst === undefined ? [] : splitAmount(gst, shares).map((part) => [part.owner, part.amount]),
    );
    const side = charge.order?.side;
    for (const { owner, amount } of amounts) {
      const tax = taxes.get(owner);
      this.#rows.push({
        ...(order !== undefined && orderFields(order)),
        at,
        kind: isFee ? 'fee' : 'rebate',
        currency,
        owner,
        amount,
        symbol,
        value,
        ...(side !== undefined && { side }),
        ...(tax !== undefined && { gst: tax }),
        ...idOf(id),
      });
    }
  }

  /** A stop, a target or a liquidation is charged to the owners of the shares that it closed. */
  #chargedShares(charge: FeeReport): {
    readonly order?: FilledOrder;
    readonly shares: readonly OwnerShare[];
  } {
    const { symbol, createdAt } = charge;
    const closed = this.#closed.get(keyOf(symbol, createdAt));
    const charged = this.#chargeOwners.chargedBy(charge);
    const order = charged?.order;
    const isTrade = charge.order?.role === 'trade' && !this.#liquidations.has(order?.orderId);
    const shares = isTrade && charged !== undefined ? this.#tradedShares(charged) : closed;
    return {
      ...(order !== undefined && { order }),
      shares: shares ?? [this.#whole(UNATTRIBUTED)],
    };
  }

  #tradedShares({ owner, order }: ChargedBy): readonly OwnerShare[] {
    const traded = order && this.#traded.get(order.orderId);
    return traded ?? [this.#whole(owner)];
  }

  #addTraded(orderId: string, shares: readonly OwnerShare[]): void {
    const traded = this.#traded.get(orderId) ?? [];
    this.#traded.set(orderId, shares.reduce<OwnerShare[]>(withShare, traded));
  }

  #transfer({ id, currency, direction, amount, createdAt: at }: TransferRow): void {
    this.#rows.push({
      at,
      kind: 'transfer',
      currency,
      owner: UNATTRIBUTED,
      amount: direction === 'deposit' ? amount : negate(amount),
      rowId: id,
    });
  }

  #whole(owner: Owner): OwnerShare {
    return { owner, quantity: ONE_SHARE };
  }

  #sharesOf(symbol: string): PositionShares {
    let shares = this.#shares.get(symbol);
    if (shares === undefined) this.#shares.set(symbol, (shares = new PositionShares()));
    return shares;
  }
}

const ONE_SHARE = ONE as Quantity;

/** Of rows of one second. */
const KIND_ORDER: Readonly<Record<LedgerKind, number>> = {
  fill: 0,
  liquidation: 1,
  fee: 2,
  rebate: 3,
  funding: 4,
  transfer: 5,
  gap: 6,
};

function orderFields({ symbol, side, orderId, clientOrderId, positionId, hedgeRate }: FilledOrder) {
  return {
    symbol,
    orderId,
    ...(side !== undefined && { side }),
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(positionId !== undefined && { positionId }),
    ...(hedgeRate !== undefined && { hedgeRate }),
  };
}

const idOf = (id: string | undefined): Pick<LedgerRow, 'rowId'> =>
  id === undefined ? {} : { rowId: id };
const keyOf = (symbol: string, at: number): string => `${symbol} ${at}`;
const byTime = (a: FeeReport, b: FeeReport): number => a.createdAt - b.createdAt;
