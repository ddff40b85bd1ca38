import { Decimal } from '../core/decimal.js';
import {
  add,
  decimalFromFixed,
  fixed,
  isAtLeast,
  isAtMost,
  isLess,
  isMore,
  PRODUCT_PLACES,
  times,
  type Amount,
  type Ratio,
} from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { AccountReads } from './account-reads.js';
import type { Affordability } from './affordability.js';
import type { ExchangeState } from './exchange-state.js';
import { bankruptcyValueOf, collateralOfMargin, liquidationTriggerOf } from './margin.js';
import { checkClose, checkPartialClose, isActionLocked } from './placement-checks.js';
import type { Placing } from './placing.js';
import type {
  Answer,
  ExchangeOrder,
  ExchangePosition,
  PartialCloseTerms,
} from './simulated-exchange.js';
import type { BookPosition, SymbolBook } from './symbol-book.js';

/** Margin and ways out of open positions (interface, positions endpoints). */
export class PositionDesk {
  readonly #state: ExchangeState;
  readonly #placing: Placing;
  readonly #affordability: Affordability;
  readonly #reads: AccountReads;
  readonly #stand: (book: SymbolBook) => void;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly placing: Placing;
    readonly affordability: Affordability;
    readonly reads: AccountReads;
    /** Sets off what the present price meets. */
    readonly stand: (book: SymbolBook) => void;
  }) {
    this.#state = parts.state;
    this.#placing = parts.placing;
    this.#affordability = parts.affordability;
    this.#reads = parts.reads;
    this.#stand = parts.stand;
  }

  closePartially(positionId: string, close: PartialCloseTerms): Answer<ExchangeOrder> {
    const { clientOrderId } = close;
    const identifier = this.#placing.checkIdentifier(clientOrderId);
    if (identifier !== undefined) return { ok: false, code: identifier };
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return this.#placing.refuse(found.code, [clientOrderId]);
    const position = found.value;
    const { type, quantity, price } = close;
    const terms: OrderTerms = {
      ...wayOut(position),
      type,
      quantity,
      ...(price !== undefined && { price }),
      reduceOnly: true,
    };
    const refusal =
      this.#judge(position, terms, checkPartialClose) ?? this.#exceeds(position, terms);
    if (refusal !== undefined) return this.#placing.refuse(refusal, [clientOrderId]);
    return this.#placing.submit({ terms, clientOrderId });
  }

  close(positionId: string): Answer<ExchangeOrder> {
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const { quantity } = position;
    const terms: OrderTerms = { ...wayOut(position), type: 'market', quantity, reduceOnly: true };
    const refusal = this.#limits(position, terms);
    return refusal === undefined ? this.#placing.submit({ terms }) : { ok: false, code: refusal };
  }

  /** Judged for the half that opens; delisted pairs open nothing. */
  reverse(positionId: string): Answer<ExchangeOrder> {
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const { book, currency } = position;
    const quantity = times(position.quantity, 2);
    const terms: OrderTerms = { ...wayOut(position), type: 'market', quantity, reduceOnly: false };
    const refusal = this.#limits(position, terms) ?? this.#refusesReverse(position, terms);
    if (refusal !== undefined) return { ok: false, code: refusal };
    const leverage = book.leverage.get(currency) ?? position.leverage;
    const prospect = { terms, book, price: book.last, leverage, unsettled: false, reverses: true };
    if (!this.#affordability.covers(prospect)) return { ok: false, code: 'insufficient-balance' };
    return this.#placing.submit({ terms, reverses: true });
  }

  /** Money between the free balance and what is locked; it moves the liquidation price. */
  adjustMargin(positionId: string, change: Amount): Answer<ExchangePosition> {
    const found = openPosition(this.#state, positionId);
    if (!found.ok) return found;
    if (change === 0) return { ok: false, code: 'params-error' };
    const position = found.value;
    const collateral = this.#collateralOf(position, change);
    if (!this.#allowsMargin(position, change, collateral)) {
      return { ok: false, code: 'insufficient-funds' };
    }
    this.#state.wallets[position.currency].lock(change);
    position.changeMargin(change, collateral, this.#state.nowMs);
    position.book.quiet = undefined;
    this.#state.tellPosition(position);
    const row = this.#reads.position(position);
    this.#stand(position.book);
    this.#state.announcer.tell();
    return { ok: true, value: row };
  }

  /** USDT, unrounded; 0 where no price liquidates it (supplement part 12). */
  liquidationPriceWith(positionId: string, extraMargin: Amount): Answer<Decimal> {
    const found = openPosition(this.#state, positionId, 'read');
    if (!found.ok) return found;
    const position = found.value;
    const { cost, collateral, longSign, quantity, maintenanceRate } = position;
    const margin = collateral + this.#collateralOf(position, extraMargin);
    const value = new Decimal(bankruptcyValueOf(cost, margin, longSign).toString());
    const kept = decimalFromFixed(maintenanceRate).times(-longSign).plus(1);
    const price = value.div(PRODUCT).div(decimalFromFixed(quantity)).div(kept);
    return { ok: true, value: price.isNegative() ? new Decimal(0) : price };
  }

  #judge(
    position: BookPosition,
    terms: OrderTerms,
    check: typeof checkClose,
  ): RejectionCode | undefined {
    const { book } = position;
    const { assumptions } = this.#state;
    const price = terms.type === 'limit' ? (terms.price ?? fixed<'price'>(0)) : book.last;
    return check({ terms, book, price, assumptions, affordable: () => true });
  }

  /** A way out must not be barred by size limits (assumption). */
  #limits(position: BookPosition, terms: OrderTerms): RejectionCode | undefined {
    return this.#state.assumptions.closeLimits === 'exempt'
      ? undefined
      : this.#judge(position, terms, checkClose);
  }

  #exceeds(position: BookPosition, terms: OrderTerms): RejectionCode | undefined {
    if (isAtLeast(terms.quantity, position.quantity)) return 'quantity-range';
    if (this.#state.assumptions.pendingReduces === 'unbounded') return undefined;
    const pending = position.book.pending(position.currency);
    const reducing = pending.filter((order) => order.reduceOnly);
    const sum = reducing.reduce((total, order) => add(total, order.remaining), terms.quantity);
    return isMore(sum, position.quantity) ? 'quantity-range' : undefined;
  }

  #refusesReverse(position: BookPosition, terms: OrderTerms): RejectionCode | undefined {
    const { book, currency } = position;
    if (book.delisting) return 'delisting';
    // What waits for its match will change what there is to reverse.
    const moves = book.waiting.some(
      (order) =>
        order.currency === currency && order.side === terms.side && order.type === 'market',
    );
    return moves ? 'position-not-in-sync' : undefined;
  }

  #allowsMargin(position: BookPosition, change: Amount, collateral: bigint): boolean {
    if (change > 0) return isAtMost(change, this.#state.wallets[position.currency].balance);
    if (isLess(add(position.margin, change), position.required)) return false;
    return (
      this.#state.assumptions.marginReduction === 'initial' || !this.#dies(position, collateral)
    );
  }

  /** Whether the present price would liquidate it with so much less collateral. */
  #dies(position: BookPosition, change: bigint): boolean {
    const { cost, quantity, longSign, book, maintenanceRate } = position;
    const terms = {
      cost,
      quantity,
      longSign,
      collateral: position.collateral + change,
      maintenanceRate,
    };
    const trigger = liquidationTriggerOf(terms, book.listing.instrument.priceStep);
    if (trigger === 0) return false;
    const price = book[this.#state.assumptions.liquidationTrigger];
    return longSign === 1 ? isAtMost(price, trigger) : isAtLeast(price, trigger);
  }

  /** 1e-36 USDT of an amount in the position's currency: over the hedge rate (supplement part 12). */
  #collateralOf(position: BookPosition, amount: Amount): bigint {
    return collateralOfMargin(amount, this.#marginRate(position));
  }

  #marginRate({ currency, entryHedgeRate }: BookPosition): Ratio {
    return this.#state.assumptions.addedMarginRate === 'now'
      ? this.#state.hedgeRate(currency)
      : entryHedgeRate;
  }
}

/** The position, where it is open and nobody else acts on the asset. */
export function openPosition(
  state: ExchangeState,
  positionId: string,
  use: 'act' | 'read' = 'act',
): Answer<BookPosition> {
  const position = state.position(positionId);
  if (position === undefined) {
    const code = state.knowsPosition(positionId) ? 'position-not-open' : 'position-not-found';
    return { ok: false, code };
  }
  const locked =
    use === 'act' && isActionLocked(position.book, position.currency, state.assumptions);
  return locked ? { ok: false, code: 'locked' } : { ok: true, value: position };
}

const wayOut = ({
  book,
  currency,
  longSign,
}: BookPosition): Pick<OrderTerms, 'symbol' | 'currency' | 'side'> => ({
  symbol: book.symbol,
  currency,
  side: longSign === 1 ? 'sell' : 'buy',
});

/** 1, in units of 1e-36. */
const PRODUCT = new Decimal(10).pow(PRODUCT_PLACES);
