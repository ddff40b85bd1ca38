import {
  absolute,
  isLess,
  larger,
  multiplyExact,
  negate,
  ONE,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed/fixed.js';

/** Positions and orders of another symbol in the order's currency. */
export interface OtherBook {
  readonly symbol: string;
  /** Signed extremes of its position, as in `Evidence`. */
  readonly maxPosition: Quantity;
  readonly minPosition: Quantity;
  /** Last price; where none is known, the entry price. */
  readonly price: Price | undefined;
  readonly leverage: Ratio | undefined;
}

/** Sums over books with a known price, each computed once, since several controls of one check compare them. In 1e-36 USDT. */
export class BookTotals {
  readonly books: readonly OtherBook[];
  #long: bigint | undefined;
  #short: bigint | undefined;
  #gross: bigint | undefined;

  constructor(books: readonly OtherBook[]) {
    this.books = books;
  }

  /** Notional of the longest positions: a book that can only be short subtracts. */
  get long(): bigint {
    return (this.#long ??= this.#sum(({ maxPosition }) => maxPosition));
  }

  /** Notional of the shortest positions. */
  get short(): bigint {
    return (this.#short ??= this.#sum(({ minPosition }) => negate(minPosition)));
  }

  /** Notional of the larger side of each book. */
  get gross(): bigint {
    return (this.#gross ??= this.#sum(largest));
  }

  /** The first symbol without a price. */
  get unpriced(): string | undefined {
    return this.books.find(({ price }) => price === undefined)?.symbol;
  }

  /** Whether no book counts more margin than its notional. */
  get isAtLeastOneToOne(): boolean {
    return this.books.every(({ leverage }) => leverage === undefined || !isLess(leverage, ONE));
  }

  #sum(quantityOf: (book: OtherBook) => Quantity): bigint {
    let sum = 0n;
    for (const book of this.books)
      if (book.price !== undefined) sum += multiplyExact(quantityOf(book), book.price);
    return sum;
  }
}

/** The larger side of a book, above 0. */
export const largest = (book: Pick<OtherBook, 'maxPosition' | 'minPosition'>): Quantity =>
  larger(absolute(book.maxPosition), absolute(book.minPosition));

export const NO_BOOKS = new BookTotals([]);
