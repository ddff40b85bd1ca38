import fc from 'fast-check';
import { createGate, type Gate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits/risk-limits.js';
import { d, factsOf } from '../support/builders/risk-case.js';
import {
  exposureOf,
  intentArbitrary,
  intentIn,
  landingsOf,
  waiting,
  type Book,
  type BookIntent,
  type BookOrder,
} from './exposure-book.js';
import { landed, reachOf, type Reach } from './landing-model.js';

/** Allowed position, whole base units. */
export const LIMIT = 12;

/** The gate holds more orders than an oracle can enumerate. */
const MOST_ORDERS = 8;

export type WalkStep =
  | { readonly kind: 'intent'; readonly intent: BookIntent }
  | { readonly kind: 'fill'; readonly order: number; readonly quantity: number }
  | { readonly kind: 'cancel'; readonly order: number }
  | { readonly kind: 'close' };

const order = fc.nat(MOST_ORDERS - 1);
export const walkArbitrary: fc.Arbitrary<readonly WalkStep[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('intent'), intent: intentArbitrary }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('fill'),
        order,
        quantity: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), order }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('close') }) },
  ),
  { minLength: 5, maxLength: 25 },
);

/** Orders that the gate approves one after the other, while others fill, end, or their position is closed. */
export class LimitWalk {
  readonly #gate: Gate = createGate({
    preset: 'standard',
    limits: {
      ...DEFAULT_LIMITS,
      maxOrderNotional: d('1000000'),
      maxPositionNotional: d(String(60_000 * LIMIT)),
      duplicateWindowMs: 0,
      breakers: { ...DEFAULT_LIMITS.breakers, maxEntriesPerMinute: 10_000 },
      loss: { ...DEFAULT_LIMITS.loss, maxDayTurnover: d('1000000'), maxDayOrders: 10_000 },
      exposure: {
        maxGrossShare: d('10000'),
        maxNetShare: d('10000'),
        maxMarginShare: d('10000'),
        minLiquidationDistance: d('0.0001'),
      },
    },
  });
  #book: Book = { position: 0, reported: undefined, orders: [], external: [] };
  #intents = 0;

  reach(): Reach {
    return reachOf([this.#book.position], landingsOf(this.#book));
  }

  take(step: WalkStep): string {
    switch (step.kind) {
      case 'intent':
        return this.#judge(step.intent);
      case 'fill':
        return this.#fill(step.order, step.quantity);
      case 'cancel':
        return this.#replace(step.order, undefined, 'canceled');
      case 'close':
        return this.#close();
    }
  }

  #judge(intent: BookIntent): string {
    if (this.#book.orders.length >= MOST_ORDERS) return 'a full book';
    this.#intents += 1;
    const facts = factsOf({ equity: '100000000' });
    const exposure = exposureOf(this.#book);
    const verdict = this.#gate.judge(intentIn(intent, this.#intents), { ...facts, exposure });
    if (!verdict.ok) return `refused by ${verdict.control}`;
    this.#book = { ...this.#book, orders: [...this.#book.orders, waiting(intent)] };
    return 'approved';
  }

  #fill(at: number, most: number): string {
    const order = this.#book.orders[at];
    if (order === undefined) return 'no such order';
    const { side, quantity, filled, reduceOnly } = order;
    const part = Math.min(most, quantity - filled);
    const { position } = this.#book;
    const trade = { quantity: side === 'buy' ? part : -part, reduceOnly };
    this.#book = { ...this.#book, position: landed(position, trade) };
    const ends = filled + part === quantity || (reduceOnly && this.#book.position === 0);
    const next = ends ? undefined : { ...order, filled: filled + part, state: 'accepted' as const };
    return this.#replace(at, next, 'filled');
  }

  #close(): string {
    if (this.#book.position === 0) return 'nothing to close';
    this.#book = { ...this.#book, position: 0 };
    return 'closed';
  }

  #replace(at: number, by: BookOrder | undefined, outcome: string): string {
    if (this.#book.orders[at] === undefined) return 'no such order';
    const orders = this.#book.orders.flatMap((each, index) =>
      index === at ? (by === undefined ? [] : [by]) : [each],
    );
    this.#book = { ...this.#book, orders };
    return outcome;
  }
}
