import type { ExchangeState } from './exchange-state.js';
import type { Matcher } from './matcher.js';
import type { PriceWalk } from './price-walk.js';
import type { BookOrder, SymbolBook } from './symbol-book.js';

/** The first match of accepted orders: fills are asynchronous (interface, v2 order). */
export class Settling {
  readonly #state: ExchangeState;
  readonly #matcher: Matcher;
  readonly #walk: PriceWalk;

  constructor(state: ExchangeState, matcher: Matcher, walk: PriceWalk) {
    this.#state = state;
    this.#matcher = matcher;
    this.#walk = walk;
  }

  settle(books: readonly SymbolBook[]): void {
    let matched: boolean;
    do {
      matched = false;
      // A listener may place on a book that had its turn.
      for (const book of books) matched = this.#settleBook(book) || matched;
    } while (matched);
  }

  /** Listeners may place: what they place can match at this same price. */
  #settleBook(book: SymbolBook): boolean {
    if (book.last === 0 || book.waiting.length === 0) return false;
    for (let order = book.waiting.shift(); order !== undefined; order = book.waiting.shift()) {
      this.#firstMatch(order);
      this.#walk.stand(book);
      this.#state.announcer.tell();
    }
    return true;
  }

  /** A limit order that the price has reached takes, at that price; any other rests. */
  #firstMatch(order: BookOrder): void {
    const { book, side, type } = order;
    if (type === 'market') {
      this.#matcher.fill(order, this.#matcher.takerPrice(book.last, side), false);
    } else if (order.crosses(book.last) || this.#isPointless(order)) {
      this.#matcher.fill(order, book.last, false);
    } else {
      book.rest(order);
    }
  }

  /** Its position is gone: at rest it would wait for the next, and reduce that. */
  #isPointless({ book, currency, reduceOnly, side }: BookOrder): boolean {
    if (!reduceOnly || this.#state.assumptions.reduceOnlyAtClose === 'keep') return false;
    const position = book.positions.get(currency);
    return position === undefined || (position.longSign === 1) === (side === 'buy');
  }
}
