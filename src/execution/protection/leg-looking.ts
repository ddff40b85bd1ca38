import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { OrderRef, OrderReport } from '../../core/order.js';
import { readableFor, type Outcome } from '../../core/request.js';
import { spaced, VERIFY_SPACING_MS } from '../constants.js';
import type { LegEvidence } from './leg-judgement.js';
import type { OperationParts } from '../operation/operation-parts.js';
import { operationOf, type ProtectionLeg } from './protection-leg.js';

/** One look: positions first, then the leg's order. */
export interface LegRead {
  readonly row: PositionReport;
  readonly order: LegEvidence['order'];
  /** Monotonic ms at which the read of positions began. */
  readonly startedAt: number;
}

export interface LookNews {
  readonly read: (leg: ProtectionLeg, read: LegRead) => void;
  /** Positions show none, and none is believed. */
  readonly gone: (leg: ProtectionLeg) => void;
}

/** Reads what stands of a leg. */
export class LegLooking {
  readonly #parts: OperationParts & {
    readonly isFlat: (symbol: string, currency: Currency) => boolean;
  };
  readonly #news: LookNews;

  constructor(
    parts: OperationParts & {
      readonly isFlat: (symbol: string, currency: Currency) => boolean;
    },
    news: LookNews,
  ) {
    this.#parts = parts;
    this.#news = news;
  }

  look(leg: ProtectionLeg, delayMs: number): void {
    this.#parts.desk.after(delayMs, () => {
      if (leg.operation !== undefined) this.#readPositions(leg);
    });
  }

  lookAgain(leg: ProtectionLeg): void {
    this.look(leg, spaced(VERIFY_SPACING_MS, leg.looks));
    leg.looks += 1;
  }

  #readPositions(leg: ProtectionLeg): void {
    const { desk, world, isFlat } = this.#parts;
    const { symbol, currency } = leg;
    const startedAt = world.stamp.monotonic;
    desk.ask<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'protect',
      answered: (answer) => {
        const outcome = readableFor(answer, symbol);
        const rows = outcome.kind === 'yes' ? outcome.value : [];
        const row = rows.find((each) => each.symbol === symbol);
        if (row !== undefined) this.#readOrder(leg, row, startedAt);
        else if (outcome.kind === 'yes' && isFlat(symbol, currency)) this.#news.gone(leg);
        else this.lookAgain(leg);
      },
    });
  }

  /** The order that the row shows, else the one of our own id, if it may be there. */
  #readOrder(leg: ProtectionLeg, row: PositionReport, startedAt: number): void {
    const reference = referenceOf(leg, row);
    if (reference === undefined) {
      this.#news.read(leg, { row, order: undefined, startedAt });
      return;
    }
    this.#parts.desk.ask<'find-order'>({
      request: { kind: 'find-order', order: reference },
      priority: 'protect',
      answered: (outcome) => {
        const order = answerOf(outcome);
        if (order === 'not-found') leg.misses += 1;
        this.#news.read(leg, { row, order, startedAt });
      },
    });
  }
}

function referenceOf(leg: ProtectionLeg, row: PositionReport): OrderRef | undefined {
  const orderId = row[leg.slot]?.orderId;
  if (orderId !== undefined) return { orderId };
  const { name } = leg;
  if (name === undefined || operationOf(leg).state === 'looking') return undefined;
  return { clientOrderId: name.clientOrderId };
}

/** Only an explicit 404 counts as "not there". */
function answerOf(outcome: Outcome<OrderReport>): OrderReport | 'not-found' | 'unclear' {
  if (outcome.kind === 'yes') return outcome.value;
  return outcome.kind === 'no' && outcome.code === 'order-not-found' ? 'not-found' : 'unclear';
}
