import { isGreater, isLess, type Price } from '../../core/fixed/fixed.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { AccountReads } from '../account/account-reads.js';
import type { ExchangeState } from '../exchange-state.js';
import { createProtectiveOrder } from '../order/protective-order.js';
import type { ExchangeOrderCanceler } from '../order/order-canceler.js';
import { isProtectivePrice } from '../order/placement-checks.js';
import type { OrderAcceptor } from '../order/order-acceptor.js';
import { findOpenPosition } from './position-handler.js';
import type {
  ExchangeResult,
  ExchangePosition,
  ProtectiveOrderChange,
  Bracket,
  ProtectiveOrderTerms,
} from '../simulated-exchange.js';
import type { ExchangeOrderState, ExchangePositionState } from '../price/symbol-state.js';

type ProtectionKey = keyof Bracket<unknown>;
type Keyed<T> = T & { readonly key: ProtectionKey };

/** Sets and moves stops and targets of open positions (interface: riskorder). */
export class BracketHandler {
  readonly #state: ExchangeState;
  readonly #orderAcceptor: OrderAcceptor;
  readonly #canceler: ExchangeOrderCanceler;
  readonly #reads: AccountReads;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly orderAcceptor: OrderAcceptor;
    readonly canceler: ExchangeOrderCanceler;
    readonly reads: AccountReads;
  }) {
    this.#state = parts.state;
    this.#orderAcceptor = parts.orderAcceptor;
    this.#canceler = parts.canceler;
    this.#reads = parts.reads;
  }

  protect(
    positionId: string,
    bracket: Bracket<ProtectiveOrderTerms>,
  ): ExchangeResult<ExchangePosition> {
    const requested = entriesOf(bracket);
    const ids = requested.map(({ clientOrderId }) => clientOrderId);
    const identifier = this.#checkIdentifiers(ids);
    if (identifier !== undefined) return { ok: false, code: identifier };
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return this.#orderAcceptor.reject(found.code, ids);
    const position = found.value;
    const refusal = firstRejection(requested, (terms) => this.#setRejection(position, terms));
    if (refusal !== undefined || requested.length === 0) {
      return this.#orderAcceptor.reject(refusal ?? 'invalid-request', ids);
    }
    for (const terms of requested) this.#setProtectiveOrder(position, terms);
    return this.#changed(position);
  }

  moveProtection(
    positionId: string,
    bracket: Bracket<ProtectiveOrderChange>,
  ): ExchangeResult<ExchangePosition> {
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const requested = entriesOf(bracket);
    const refusal = firstRejection(requested, (change) => this.#moveRejection(position, change));
    if (refusal !== undefined || requested.length === 0) {
      return { ok: false, code: refusal ?? 'invalid-request' };
    }
    for (const { key, price, type } of requested) {
      const order = position[key];
      if (order === undefined) continue;
      if (type === 'market') position.symbolState.removeResting(order);
      order.moveTrigger(price, type, this.#state.nowMs);
      this.#state.queueOrderEvent(order);
    }
    return this.#changed(position);
  }

  /** Checks the ids of both orders; the two must also differ from each other. */
  #checkIdentifiers(ids: readonly (string | undefined)[]): RejectionCode | undefined {
    for (const [index, id] of ids.entries()) {
      const refusal = this.#orderAcceptor.checkIdentifier(id);
      if (refusal !== undefined) return refusal;
      if (id !== undefined && ids.indexOf(id) < index) return 'client-order-id-exists';
    }
    return undefined;
  }

  #setRejection(
    position: ExchangePositionState,
    terms: Keyed<ProtectiveOrderTerms>,
  ): RejectionCode | undefined {
    const { legOnExisting } = this.#state.assumptions;
    const priceRejection = this.#priceRejection(position, terms);
    if (priceRejection !== undefined) return priceRejection;
    if (position[terms.key] !== undefined && legOnExisting === 'refuse')
      return 'protection-refused';
    return this.#isBeyondLiquidation(position, terms) ? 'protection-refused' : undefined;
  }

  #moveRejection(
    position: ExchangePositionState,
    change: Keyed<ProtectiveOrderChange>,
  ): RejectionCode | undefined {
    if (change.order === undefined) return 'protection-order-missing';
    const order = this.#state.orders.find(change.order);
    if (order === undefined || order.positionId !== position.id) return 'order-not-found';
    if (order.role !== ROLE[change.key]) return 'order-not-found';
    if (position[change.key] !== order) return 'order-not-open';
    const priceRejection = this.#priceRejection(position, change);
    if (priceRejection !== undefined) return priceRejection;
    const isBounded = this.#state.assumptions.movedStop === 'liquidation';
    return isBounded && this.#isBeyondLiquidation(position, change)
      ? 'protection-refused'
      : undefined;
  }

  /** In range, and not at a price that triggers at once (assumption). */
  #priceRejection(
    { symbolState, longSign }: ExchangePositionState,
    { key, price }: Keyed<{ readonly price: Price }>,
  ): RejectionCode | undefined {
    const { assumptions } = this.#state;
    const market = symbolState[assumptions.stopTrigger];
    const above = (key === 'takeProfit') === (longSign === 1);
    const rightSide =
      assumptions.legBeyondMarket === 'fires' ||
      (above ? isGreater(price, market) : isLess(price, market));
    if (rightSide && isProtectivePrice(symbolState, price, assumptions)) return undefined;
    return key === 'stopLoss' ? 'invalid-stop-loss' : 'invalid-take-profit';
  }

  /** Compares with the printed liquidation price. A stop exactly at it is allowed. */
  #isBeyondLiquidation(
    position: ExchangePositionState,
    { key, price }: Keyed<{ readonly price: Price }>,
  ): boolean {
    const { liquidationPrice } = this.#reads.position(position);
    if (key === 'takeProfit' || liquidationPrice === undefined) return false;
    return position.longSign === 1
      ? isLess(price, liquidationPrice)
      : isGreater(price, liquidationPrice);
  }

  #setProtectiveOrder(
    position: ExchangePositionState,
    { key, price, clientOrderId }: Keyed<ProtectiveOrderTerms>,
  ): void {
    const current: ExchangeOrderState | undefined = position[key];
    const { symbolState, currency, leverage, quantity, longSign } = position;
    const side = longSign === 1 ? 'buy' : 'sell';
    const terms = { symbolState, currency, leverage, positionId: position.id };
    const init = { role: ROLE[key], price, clientOrderId };
    position[key] = createProtectiveOrder(this.#state, { terms, side, quantity }, init);
    if (current !== undefined) this.#canceler.cancel(current, 'system-canceled');
  }

  #changed(position: ExchangePositionState): ExchangeResult<ExchangePosition> {
    position.symbolState.idleBand = undefined;
    this.#state.queuePositionEvent(position);
    const row = this.#reads.position(position);
    this.#state.eventQueue.flush();
    return { ok: true, value: row };
  }
}

const ROLE = { stopLoss: 'stop-loss', takeProfit: 'take-profit' } as const;

function entriesOf<T>({ stopLoss, takeProfit }: Bracket<T>): readonly Keyed<T>[] {
  return [
    ...(stopLoss === undefined ? [] : [{ ...stopLoss, key: 'stopLoss' as const }]),
    ...(takeProfit === undefined ? [] : [{ ...takeProfit, key: 'takeProfit' as const }]),
  ];
}

function firstRejection<T>(
  items: readonly T[],
  rejectionOf: (item: T) => RejectionCode | undefined,
): RejectionCode | undefined {
  for (const item of items) {
    const refusal = rejectionOf(item);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
