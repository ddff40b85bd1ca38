import { assert } from '../core/assert.js';
import {
  absolute,
  add,
  isAtLeast,
  isAtMost,
  isLess,
  isMore,
  larger,
  smaller,
  subtract,
  ZERO,
  type Price,
} from '../core/fixed.js';
import type { Assumptions } from './assumptions.js';
import type { Matcher } from './matcher.js';
import type { BookOrder, BookPosition, QuietBand, SymbolBook } from './symbol-book.js';

/** Something that a price sets off, and where. */
interface Trip {
  /** Set off at or below its level, or at or above it. */
  readonly when: 'below' | 'above';
  readonly level: Price;
  readonly by: 'last' | 'mark';
  /** What protects the venue first, then stops, then targets, then what rests. */
  readonly rank: number;
  /** At the price that is reached. */
  readonly run: (price: Price) => void;
}

/** Moves the price of a book and sets off what it meets. */
export class PriceWalk {
  readonly #matcher: Matcher;
  readonly #assumptions: Assumptions;
  readonly #limitFill: 'through' | 'touch';

  constructor(parts: {
    readonly matcher: Matcher;
    readonly assumptions: Assumptions;
    readonly limitFill: 'through' | 'touch';
  }) {
    this.#matcher = parts.matcher;
    this.#assumptions = parts.assumptions;
    this.#limitFill = parts.limitFill;
  }

  /** No price between: whatever was passed is set off here. */
  jump(book: SymbolBook, last: Price, mark: Price): void {
    assert(last > 0 && mark > 0, 'A price is above 0');
    book.last = last;
    book.mark = mark;
    this.stand(book);
  }

  /** Sets off what the present price meets: a new stop may lie on its wrong side from the start. */
  stand(book: SymbolBook): void {
    while (!this.#isQuiet(book, book.last, book.mark)) {
      const trip = passedFirst(this.#trips(book), book);
      if (trip === undefined) return;
      trip.run(book.last);
    }
  }

  /** Every price between, once: each thing is set off at its own level, the nearest first. */
  sweep(book: SymbolBook, last: Price, mark: Price): void {
    // Two prices that move apart: how they move between is not known, so the mark acts at the end.
    const together = book.mark === book.last && mark === last;
    while (!this.#isQuiet(book, last, mark)) {
      this.stand(book);
      const trip = nearestOnTheWay(this.#trips(book), book.last, last, together);
      if (trip === undefined) break;
      book.last = trip.level;
      if (together) book.mark = trip.level;
      trip.run(trip.level);
    }
    this.jump(book, last, mark);
  }

  /** The common case of a backtest: a few comparisons, and nothing is made. */
  #isQuiet(book: SymbolBook, last: Price, mark: Price): boolean {
    const { lastFrom, lastTo, markFrom, markTo } = (book.quiet ??= this.#quietBand(book));
    return isBetween(last, lastFrom, lastTo) && isBetween(mark, markFrom, markTo);
  }

  #quietBand(book: SymbolBook): QuietBand {
    const band: { -readonly [Edge in keyof QuietBand]: QuietBand[Edge] } = { ...EVERYWHERE };
    for (const { when, by, level } of this.#trips(book)) {
      const edge = `${by}${when === 'below' ? 'From' : 'To'}` as const;
      const present = band[edge] ?? level;
      band[edge] = when === 'below' ? larger(present, level) : smaller(present, level);
    }
    return band;
  }

  /** By rank, then age. */
  #trips(book: SymbolBook): readonly Trip[] {
    const trips: Trip[] = [];
    for (const position of book.positions.values()) this.#addPosition(trips, position);
    for (const order of book.resting) trips.push(this.#limit(order));
    return trips.sort((a, b) => a.rank - b.rank);
  }

  #addPosition(trips: Trip[], position: BookPosition): void {
    const [adverse, favourable] = sidesOf(position);
    const { book, liquidationTrigger: level } = position;
    // One that has triggered and rests is a limit order like any.
    const waiting = (leg: BookOrder | undefined): BookOrder | undefined =>
      leg === undefined || book.resting.includes(leg) ? undefined : leg;
    const [stopLoss, takeProfit] = [waiting(position.stopLoss), waiting(position.takeProfit)];
    if (level > 0) {
      const run = (): void => this.#matcher.liquidate(position);
      trips.push({ when: adverse, level, by: this.#assumptions.liquidationTrigger, rank: 0, run });
    }
    if (stopLoss !== undefined) trips.push(this.#leg(stopLoss, position, adverse, 1));
    if (takeProfit !== undefined) trips.push(this.#leg(takeProfit, position, favourable, 2));
  }

  #leg(leg: BookOrder, position: BookPosition, when: Trip['when'], rank: number): Trip {
    const run = (price: Price): void => this.#matcher.trigger(leg, position, price);
    return { when, level: leg.price, by: this.#assumptions.stopTrigger, rank, run };
  }

  /** A resting limit trades at its own price, however far the market has gone through it. */
  #limit(order: BookOrder): Trip {
    const step = this.#limitFill === 'through' ? order.book.listing.instrument.priceStep : NONE;
    const buys = order.side === 'buy';
    const level = buys ? subtract(order.price, step) : add(order.price, step);
    const run = (): void => this.#matcher.fill(order, order.price, true);
    return { when: buys ? 'below' : 'above', level, by: 'last', rank: 3, run };
  }
}

const NONE = ZERO as Price;
const EVERYWHERE: QuietBand = {
  lastFrom: undefined,
  lastTo: undefined,
  markFrom: undefined,
  markTo: undefined,
};

const isBetween = (price: Price, from: Price | undefined, to: Price | undefined): boolean =>
  (from === undefined || isLess(from, price)) && (to === undefined || isLess(price, to));

const sidesOf = (position: BookPosition): readonly [Trip['when'], Trip['when']] =>
  position.longSign === 1 ? ['below', 'above'] : ['above', 'below'];

/** Of all that the present price has passed: by rank, then the level it passed first, then age. */
function passedFirst(trips: readonly Trip[], book: SymbolBook): Trip | undefined {
  let first: Trip | undefined;
  for (const trip of trips) {
    const price = book[trip.by];
    const passed =
      trip.when === 'below' ? isAtMost(price, trip.level) : isAtLeast(price, trip.level);
    if (!passed) continue;
    const before =
      first === undefined ||
      (first.rank === trip.rank &&
        isMore(absolute(subtract(trip.level, price)), absolute(subtract(first.level, price))));
    if (before) first = trip;
  }
  return first;
}

/** The first level between two prices, both included; ties by rank, then age. */
function nearestOnTheWay(
  trips: readonly Trip[],
  from: Price,
  to: Price,
  together: boolean,
): Trip | undefined {
  let nearest: Trip | undefined;
  for (const trip of trips) {
    if (trip.by === 'mark' && !together) continue;
    const [low, high] = trip.when === 'below' ? [to, from] : [from, to];
    if (isLess(trip.level, low) || isMore(trip.level, high)) continue;
    const distance = absolute(subtract(trip.level, from));
    if (nearest === undefined || isLess(distance, absolute(subtract(nearest.level, from))))
      nearest = trip;
  }
  return nearest;
}
