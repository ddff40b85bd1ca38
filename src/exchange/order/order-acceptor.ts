import { fixed, type Price, type Ratio } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { Affordability } from '../account/affordability.js';
import { RATIO_ONE, type ExchangeState } from '../exchange-state.js';
import { createProtectiveOrder } from './protective-order.js';
import { OrderRecord } from './order-record.js';
import { checkIdentifier, checkPlacement } from './placement-checks.js';
import type { ExchangeResult, ExchangeOrder, PlaceCommand } from '../simulated-exchange.js';
import type { ExchangeOrderState, SymbolState } from '../price/symbol-state.js';

/** An order that has passed every check. */
export interface OrderDraft {
  readonly terms: OrderTerms;
  readonly clientOrderId?: string | undefined;
  readonly reverses?: boolean;
}

/** Rejections before the order's own checks. They never use up the client order id. */
const SOFT_REJECTIONS: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['invalid-client-order-id', 'client-order-id-exists', 'asset-not-found'] as const),
  ...(['position-not-found', 'locked', 'leverage-not-set', 'leverage-range'] as const),
]);

/** Accepts orders, or refuses them by the first failing check in the interface's order. */
export class OrderAcceptor {
  readonly #state: ExchangeState;
  readonly #affordability: Affordability;

  constructor(state: ExchangeState, affordability: Affordability) {
    this.#state = state;
    this.#affordability = affordability;
  }

  place(command: PlaceCommand): ExchangeResult<ExchangeOrder> {
    const { terms, clientOrderId, leverage } = command;
    const refusal = this.#rejectionOf(command);
    if (refusal !== undefined) return this.reject(refusal, [clientOrderId]);
    if (leverage !== undefined) {
      this.#state.symbolState(terms.symbol).leverage.set(terms.currency, leverage);
    }
    return this.submit({ terms, clientOrderId });
  }

  /** Accepts an order, which then waits for its first match. */
  submit(draft: OrderDraft): ExchangeResult<ExchangeOrder> {
    const state = this.#state;
    const order = this.#createOrder(draft);
    order.symbolState.unmatched.push(order);
    state.accept(order);
    order.protectiveOrders = this.#createProtectiveOrders(order);
    const snapshot = order.snapshot();
    state.eventQueue.flush();
    return { ok: true, value: snapshot };
  }

  /** A hard reject may use up its client order ids (assumption). */
  reject(code: RejectionCode, ids: readonly (string | undefined)[]): ExchangeResult<never> {
    if (this.#state.assumptions.idBurn === 'on-hard-reject' && !SOFT_REJECTIONS.has(code)) {
      for (const id of ids) if (id !== undefined) this.#state.orders.burn(id);
    }
    return { ok: false, code };
  }

  checkIdentifier(clientOrderId: string | undefined): RejectionCode | undefined {
    return checkIdentifier(clientOrderId, (id) => this.#state.orders.hasClientOrderId(id));
  }

  #rejectionOf({ terms, clientOrderId, leverage }: PlaceCommand): RejectionCode | undefined {
    const identifier = this.checkIdentifier(clientOrderId);
    if (identifier !== undefined) return identifier;
    const { symbolStates, assumptions } = this.#state;
    const symbolState = symbolStates.get(terms.symbol);
    if (symbolState === undefined) return 'asset-not-found';
    const price = terms.type === 'limit' ? (terms.price ?? fixed<'price'>(0)) : symbolState.last;
    const affordable = (): boolean => this.#affordable({ symbolState, terms, price, leverage });
    return checkPlacement({ terms, symbolState, price, leverage, assumptions, affordable });
  }

  #affordable(order: {
    readonly symbolState: SymbolState;
    readonly terms: OrderTerms;
    readonly price: Price;
    readonly leverage: Ratio | undefined;
  }): boolean {
    const { symbolState, terms, price } = order;
    const leverage = order.leverage ?? symbolState.leverage.get(terms.currency) ?? RATIO_ONE;
    const unsettled =
      order.leverage !== undefined && this.#state.assumptions.v1Available === 'with-unrealised';
    return this.#affordability.covers({
      terms,
      symbolState,
      price,
      leverage,
      unsettled,
      reverses: false,
    });
  }

  #createOrder({ terms, clientOrderId, reverses }: OrderDraft): ExchangeOrderState {
    const { options, nowMs } = this.#state;
    const symbolState = this.#state.symbolState(terms.symbol);
    const { currency, side, type, quantity, reduceOnly, stopLoss, takeProfit } = terms;
    return new OrderRecord({
      orderId: options.nextId(),
      clientOrderId,
      symbolState,
      currency,
      role: 'trade',
      side,
      type,
      quantity,
      price: type === 'limit' ? (terms.price ?? symbolState.last) : symbolState.last,
      reduceOnly,
      reverses: reverses ?? false,
      leverage:
        symbolState.leverage.get(currency) ??
        symbolState.positions.get(currency)?.leverage ??
        RATIO_ONE,
      hedgeRate: this.#state.hedgeRate(currency),
      positionId: symbolState.positionId(currency) ?? options.nextId(),
      nowMs,
      stopLoss: reduceOnly ? undefined : stopLoss,
      takeProfit: reduceOnly ? undefined : takeProfit,
    });
  }

  /** Stops and targets are listed while the entry is still unfilled (supplement: part 6). */
  #createProtectiveOrders(entry: ExchangeOrderState): readonly ExchangeOrderState[] {
    const { stopLossPrice, takeProfitPrice, side, quantity } = entry;
    if (stopLossPrice === undefined && takeProfitPrice === undefined) return NO_PROTECTIVE_ORDERS;
    const specs = [
      { role: 'stop-loss', price: stopLossPrice },
      { role: 'take-profit', price: takeProfitPrice },
    ] as const;
    const exposure = { terms: entry, side, quantity };
    return specs.flatMap(({ role, price }) =>
      price === undefined ? [] : [createProtectiveOrder(this.#state, exposure, { role, price })],
    );
  }
}

const NO_PROTECTIVE_ORDERS: readonly ExchangeOrderState[] = [];
