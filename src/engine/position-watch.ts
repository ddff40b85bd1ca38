import type { CloseReport, PositionReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import { textFromFixed, type Quantity } from '../core/fixed.js';
import { CONFIRMING_MS, READ_VISIBILITY_MS } from '../execution/constants.js';
import type { Desk } from '../execution/desk.js';
import type { OrderLedger } from '../execution/order-ledger.js';
import type { OrderProtocol } from '../execution/order-protocol.js';
import type { OwnOrder } from '../execution/own-order.js';
import type { Discrepancy, PositionBook } from '../execution/position-book.js';

/** Rows of position history that are asked for as evidence. */
const CLOSES_LIMIT = 100;

/**
 * Compares what the venue shows with what we believe, and asks for evidence before it believes more:
 * a close row proves that a position is gone (a stop fired, a liquidation, somebody's hand); without
 * one the venue must repeat itself (hazards G1, G5, G12).
 */
export class PositionWatch {
  readonly #parts: WatchParts;
  #asking = false;
  #rows: readonly PositionReport[] = [];

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** One poll. @returns whether everything that we believe is what the venue shows */
  see(positions: readonly PositionReport[], currency: Currency, startedAt: number): boolean {
    this.#rows = positions;
    const { equal, discrepancies } = this.#parts.positions.observe(
      positions,
      { currency, startedAt },
      (symbol, claimed) =>
        this.#explained(symbol, currency, claimed, isAtVenue) ? READ_VISIBILITY_MS : CONFIRMING_MS,
    );
    for (const discrepancy of discrepancies) this.#meet(discrepancy, currency);
    return equal;
  }

  #meet(discrepancy: Discrepancy, currency: Currency): void {
    const { symbol, confirmed, since } = discrepancy;
    this.#parts.protocol.hurry(symbol, currency);
    if (confirmed && this.#lookedSince(since, symbol, currency)) {
      this.#believe(discrepancy, currency, 'the venue repeats it');
    } else if (Math.abs(discrepancy.claimed) < Math.abs(discrepancy.believed)) {
      this.#askForCloses(currency);
    }
  }

  /** Orders of ours can be the reason: their own answers will say so. */
  #explained(
    symbol: string,
    currency: Currency,
    claimed: Quantity,
    counts: (order: OwnOrder) => boolean,
  ): boolean {
    let low = this.#parts.positions.quantity(symbol, currency) as number;
    let high = low;
    for (const order of this.#parts.ledger.active(symbol, currency)) {
      if (!counts(order)) continue;
      if (order.terms.side === 'buy') high += order.remaining;
      else low -= order.remaining;
    }
    return claimed >= low && claimed <= high;
  }

  /** Otherwise a fill that is not yet told would be counted twice: in the claim, and by its report. */
  #lookedSince(since: number, symbol: string, currency: Currency): boolean {
    return this.#parts.ledger
      .active(symbol, currency)
      .every((order) => !isAtVenue(order) || order.lookedAt >= since);
  }

  #askForCloses(currency: Currency): void {
    if (this.#asking) return;
    this.#asking = true;
    this.#parts.desk.ask<'read-closes'>({
      request: { kind: 'read-closes', currency, limit: CLOSES_LIMIT },
      priority: 'verify',
      answered: (outcome) => {
        this.#asking = false;
        if (outcome.kind === 'yes') this.#weigh(outcome.value, currency);
      },
    });
  }

  #weigh(closes: readonly CloseReport[], currency: Currency): void {
    for (const { symbol, quantity } of [...this.#parts.positions.open()]) {
      const still = this.#rows.some((row) => row.symbol === symbol);
      if (still || !this.#parts.positions.provesClosed(symbol, currency, closes)) continue;
      const flat = 0 as Quantity;
      if (this.#explained(symbol, currency, flat, isInFlight)) continue;
      this.#believe(
        { symbol, believed: quantity, claimed: flat },
        currency,
        'position history has its close',
      );
    }
  }

  #believe(
    discrepancy: Pick<Discrepancy, 'symbol' | 'believed' | 'claimed'>,
    currency: Currency,
    evidence: string,
  ): void {
    const row = this.#rows.find((candidate) => candidate.symbol === discrepancy.symbol);
    this.#parts.positions.accept(discrepancy.symbol, currency, row, this.#parts.stamp.monotonic);
    this.#parts.moved(
      discrepancy.symbol,
      `position of ${discrepancy.symbol} moved from ${textFromFixed(discrepancy.believed)} to ${textFromFixed(discrepancy.claimed)} without an order of ours: ${evidence}`,
    );
  }
}

/** It may have reached the venue. */
const isAtVenue = (order: OwnOrder): boolean => order.attempts > 0;

/** It can fill at any moment; a limit order that rests need not for ever. */
const isInFlight = (order: OwnOrder): boolean =>
  order.state !== 'accepted' || order.terms.type === 'market';

export interface WatchParts {
  readonly stamp: Readonly<Stamp>;
  readonly desk: Desk;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  /** A position moved for a cause that is not ours. */
  readonly moved: (symbol: string, text: string) => void;
}
