import { fixed, type Price, type Ratio } from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { Affordability } from './affordability.js';
import { ONE, type ExchangeState } from './exchange-state.js';
import { createLeg } from './leg-order.js';
import { OrderRecord } from './order-record.js';
import { checkIdentifier, checkPlacement } from './placement-checks.js';
import type { Answer, ExchangeOrder, PlaceCommand } from './simulated-exchange.js';
import type { BookOrder, SymbolBook } from './symbol-book.js';

/** An order that nothing speaks against. */
export interface OrderDraft {
  readonly terms: OrderTerms;
  readonly clientOrderId?: string | undefined;
  readonly reverses?: boolean;
}

/** Refused before the order itself is judged: such a reject never uses up its id. */
const SOFT: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['invalid-client-order-id', 'client-order-id-exists', 'asset-not-found'] as const),
  ...(['position-not-found', 'locked', 'leverage-not-set', 'leverage-range'] as const),
]);

/** Accepts orders, or refuses them in the written order of checks (design part 8). */
export class Placing {
  readonly #state: ExchangeState;
  readonly #affordability: Affordability;

  constructor(state: ExchangeState, affordability: Affordability) {
    this.#state = state;
    this.#affordability = affordability;
  }

  place(command: PlaceCommand): Answer<ExchangeOrder> {
    const { terms, clientOrderId, leverage } = command;
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return this.refuse(refusal, [clientOrderId]);
    if (leverage !== undefined) {
      this.#state.book(terms.symbol).leverage.set(terms.currency, leverage);
    }
    return this.submit({ terms, clientOrderId });
  }

  /** Takes an order on: it waits for its first match. */
  submit(draft: OrderDraft): Answer<ExchangeOrder> {
    const state = this.#state;
    const order = this.#createOrder(draft);
    order.book.waiting.push(order);
    state.accept(order);
    order.legs = this.#createLegs(order);
    const snapshot = order.snapshot();
    state.announcer.tell();
    return { ok: true, value: snapshot };
  }

  /** What a hard reject does to the ids that came with it is an assumption. */
  refuse(code: RejectionCode, ids: readonly (string | undefined)[]): Answer<never> {
    if (this.#state.assumptions.idBurn === 'on-hard-reject' && !SOFT.has(code)) {
      for (const id of ids) if (id !== undefined) this.#state.orders.burn(id);
    }
    return { ok: false, code };
  }

  checkIdentifier(clientOrderId: string | undefined): RejectionCode | undefined {
    return checkIdentifier(clientOrderId, (id) => this.#state.orders.hasClientOrderId(id));
  }

  #refusalOf({ terms, clientOrderId, leverage }: PlaceCommand): RejectionCode | undefined {
    const identifier = this.checkIdentifier(clientOrderId);
    if (identifier !== undefined) return identifier;
    const { books, assumptions } = this.#state;
    const book = books.get(terms.symbol);
    if (book === undefined) return 'asset-not-found';
    const price = terms.type === 'limit' ? (terms.price ?? fixed<'price'>(0)) : book.last;
    const affordable = (): boolean => this.#affordable({ book, terms, price, leverage });
    return checkPlacement({ terms, book, price, leverage, assumptions, affordable });
  }

  #affordable(order: {
    readonly book: SymbolBook;
    readonly terms: OrderTerms;
    readonly price: Price;
    readonly leverage: Ratio | undefined;
  }): boolean {
    const { book, terms, price } = order;
    const leverage = order.leverage ?? book.leverage.get(terms.currency) ?? ONE;
    const unsettled =
      order.leverage !== undefined && this.#state.assumptions.v1Available === 'with-unrealised';
    return this.#affordability.covers({ terms, book, price, leverage, unsettled, reverses: false });
  }

  #createOrder({ terms, clientOrderId, reverses }: OrderDraft): BookOrder {
    const { options, nowMs } = this.#state;
    const book = this.#state.book(terms.symbol);
    const { currency, side, type, quantity, reduceOnly, stopLoss, takeProfit } = terms;
    return new OrderRecord({
      orderId: options.nextId(),
      clientOrderId,
      book,
      currency,
      role: 'trade',
      side,
      type,
      quantity,
      price: type === 'limit' ? (terms.price ?? book.last) : book.last,
      reduceOnly,
      reverses: reverses ?? false,
      leverage: book.leverage.get(currency) ?? book.positions.get(currency)?.leverage ?? ONE,
      hedgeRate: this.#state.hedgeRate(currency),
      positionId: book.positionId(currency) ?? options.nextId(),
      nowMs,
      ...(!reduceOnly && { stopLoss, takeProfit }),
    });
  }

  /** Listed from the start, while the entry is unfilled (supplement part 6). */
  #createLegs(entry: BookOrder): readonly BookOrder[] {
    const { stopLossPrice, takeProfitPrice, side, quantity } = entry;
    if (stopLossPrice === undefined && takeProfitPrice === undefined) return NO_LEGS;
    const legs = [
      { role: 'stop-loss', price: stopLossPrice },
      { role: 'take-profit', price: takeProfitPrice },
    ] as const;
    const guarded = { terms: entry, side, quantity };
    return legs.flatMap(({ role, price }) =>
      price === undefined ? [] : [createLeg(this.#state, guarded, { role, price })],
    );
  }
}

const NO_LEGS: readonly BookOrder[] = [];
