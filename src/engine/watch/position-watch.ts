import type { CloseReport, PositionMove, PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Stamp } from '../../core/events.js';
import { isLess, absolute, textFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import { CONFIRMING_MS, CONFIRMING_READS, READ_VISIBILITY_MS } from '../../execution/constants.js';
import type { Desk } from '../../execution/desk.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { Discrepancy, PositionBook } from '../../execution/position-book.js';
import type { ForeignBook } from '../reconciliation/foreign-book.js';
import {
  furthestOf,
  judgePosition,
  reachOf,
  type PositionVerdict,
} from '../reconciliation/reconcile-positions.js';
import type { MovedBy } from '../../strategy/world.js';
import type { UnreadableSymbols } from '../unreadable-symbols.js';
import { moveOf, moverOf, moveText } from './move-cause.js';
import { Rounds } from '../reconciliation/rounds.js';

/** Rows of position history that are asked for as evidence, a page. */
const CLOSES_LIMIT = 100;
/** Disputes of one symbol that never end: after so many polls, over so long, a person must look (G13). */
const MAX_DISPUTED = { polls: 30, ms: 120_000 };
/** Growth without an intent may stand so long (R22): at polls every 2 s, within 10 s of it. */
const MAX_GROWN = { polls: CONFIRMING_READS, ms: CONFIRMING_MS };

/**
 * Compares what the venue shows with what we believe, and asks for evidence before it believes more:
 * a close row proves that a position is gone (a stop fired, a liquidation, somebody's hand); without
 * one the venue must repeat itself (hazards G1, G5, G12). Growth that nothing of ours explains stops
 * the symbol while that goes on.
 */
export class PositionWatch {
  readonly #parts: WatchParts;
  readonly #disputed = new Rounds(MAX_DISPUTED);
  readonly #grown = new Rounds(MAX_GROWN);
  #asking = false;
  #rows: readonly PositionReport[] = [];
  /** As each symbol was last shown. */
  readonly #shown = new Map<string, PositionReport>();
  /** Monotonic ms from which on a symbol has been shown otherwise than we believe. */
  readonly #since = new Map<string, number>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  readonly #isHidden = (symbol: string): boolean =>
    this.#parts.unreadable.reason(symbol) !== undefined;

  /** One poll. @returns whether everything that reads is what we believe */
  see(positions: readonly PositionReport[], currency: Currency, startedAt: number): boolean {
    this.#rows = positions;
    for (const position of positions) this.#shown.set(position.symbol, position);
    const { equal, discrepancies } = this.#parts.positions.observe(
      positions,
      { currency, startedAt },
      (symbol, claimed) =>
        // What closes a position leaves a row of history: without one, empty lists are what is wrong (G1).
        claimed === 0 || this.#mayBeOurs(symbol, currency) ? READ_VISIBILITY_MS : CONFIRMING_MS,
      this.#isHidden,
    );
    const disputed = new Set(discrepancies.map(({ symbol }) => symbol));
    this.#disputed.keep(disputed);
    this.#grown.keep(disputed);
    for (const discrepancy of discrepancies) this.#meet(discrepancy, currency, startedAt);
    return equal;
  }

  #meet(discrepancy: Discrepancy, currency: Currency, startedAt: number): void {
    const { symbol, confirmed, since } = discrepancy;
    this.#since.set(symbol, since);
    this.#parts.protocol.hurry(symbol, currency);
    this.#meetGrowth(discrepancy, currency, startedAt);
    // What a lookup shows may lag as much as a list.
    const lag = this.#mayBeOurs(symbol, currency) ? READ_VISIBILITY_MS : 0;
    if (confirmed && this.#lookedSince(since + lag, symbol, currency)) {
      this.#believe(discrepancy, currency, 'the venue repeats it');
      return;
    }
    if (isLess(absolute(discrepancy.claimed), absolute(discrepancy.believed))) {
      this.#askForCloses(currency);
    }
    if (this.#disputed.count(symbol, startedAt)) {
      this.#parts.unsettled(symbol, this.#difference(discrepancy, currency));
    }
  }

  /** Judged with all that a list which lags may still show, so that no last fill of ours is growth. */
  #meetGrowth({ symbol, claimed }: Discrepancy, currency: Currency, startedAt: number): void {
    const { positions, foreign } = this.#parts;
    const visible = positions.visible(symbol, currency, startedAt);
    const verdict = judgePosition({
      believed: positions.quantity(symbol, currency),
      claimed,
      ours: furthestOf(visible, this.#atVenue(symbol, currency)),
      foreign: foreign.reach(symbol, currency),
    });
    const isKnown = positions.pastIsKnown(symbol, currency, startedAt);
    if (verdict.kind !== 'grown' || !isKnown) this.#grown.forget(symbol);
    else if (this.#grown.count(symbol, startedAt)) this.#grew({ symbol, claimed }, verdict.beyond);
  }

  #grew({ symbol, claimed }: Pick<Discrepancy, 'symbol' | 'claimed'>, beyond: Quantity): void {
    const [shown, theirs] = [textFromFixed(claimed), textFromFixed(beyond)];
    const text = `the venue shows a position of ${shown}, ${theirs} of it by no order of ours`;
    this.#parts.grown(symbol, text);
  }

  /** Orders of ours can be a reason of any claim, if not the only one: their own answers will say so. */
  #mayBeOurs(symbol: string, currency: Currency): boolean {
    return this.#atVenue(symbol, currency).length > 0;
  }

  /** Every order of ours has told by now what it did: the rest is not theirs. */
  #judge(symbol: string, currency: Currency, claimed: Quantity): PositionVerdict {
    const { positions, foreign } = this.#parts;
    const believed = positions.quantity(symbol, currency);
    const ours = { low: believed, high: believed };
    return judgePosition({ believed, claimed, ours, foreign: foreign.reach(symbol, currency) });
  }

  #atVenue(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#parts.ledger.active(symbol, currency).filter(isAtVenue);
  }

  /** Otherwise a fill that is not yet told would be counted twice: in the claim, and by its report. */
  #lookedSince(since: number, symbol: string, currency: Currency): boolean {
    return this.#atVenue(symbol, currency).every(
      // What waits for another attempt was looked up, is not there, and is not looked at meanwhile.
      ({ state, lookedAt }) => state === 'retrying' || lookedAt >= since,
    );
  }

  #askForCloses(currency: Currency): void {
    if (this.#asking) return;
    this.#asking = true;
    const from = this.#oldestMissing(currency);
    this.#parts.desk.ask<'read-closes'>({
      request: {
        kind: 'read-closes',
        currency,
        limit: CLOSES_LIMIT,
        ...(from !== undefined && { from }),
      },
      priority: 'verify',
      answered: (outcome) => {
        this.#asking = false;
        if (outcome.kind === 'yes') this.#weigh(outcome.value, currency);
      },
    });
  }

  /** Closes are listed by when their positions were opened, however late they were closed (G7). */
  #oldestMissing(currency: Currency): number | undefined {
    const { positions } = this.#parts;
    const missing = [...positions.open()]
      .filter((each) => this.#rows.every((row) => row.symbol !== each.symbol))
      .map(({ symbol }) => positions.report(symbol, currency)?.openedAt);
    const known = missing.filter((openedAt) => openedAt !== undefined);
    return known.length === 0 || known.length < missing.length ? undefined : Math.min(...known);
  }

  #weigh(closes: readonly CloseReport[], currency: Currency): void {
    const { positions, ledger } = this.#parts;
    // What an order of ours closed its own answer tells of, or has told: it is no news.
    const byOthers = closes.filter(
      ({ orderId }) => orderId === undefined || !ledger.hasOrderId(orderId),
    );
    for (const { symbol, quantity } of [...positions.open()]) {
      const still = this.#isHidden(symbol) || this.#rows.some((row) => row.symbol === symbol);
      if (still || !positions.provesClosed(symbol, currency, byOthers)) continue;
      // The believed one is closed, but another took its place, and a blip hides it.
      if (!hasEnded(this.#shown.get(symbol)?.positionId, closes)) continue;
      const inFlight = ledger.active(symbol, currency).filter(isInFlight);
      if (canClose(quantity, inFlight) || this.#mayHaveFilled(symbol, currency, quantity)) continue;
      this.#believe(
        { symbol, believed: quantity, claimed: ZERO as Quantity },
        currency,
        'position history has its close',
        positions.closeOf(symbol, currency, byOthers),
      );
    }
  }

  /**
   * Whether what rests can have closed it, and has not been seen resting for a while since: its own
   * answer may still tell of the fill, which must not count twice.
   */
  #mayHaveFilled(symbol: string, currency: Currency, quantity: Quantity): boolean {
    if (!canClose(quantity, this.#atVenue(symbol, currency))) return false;
    const since = this.#since.get(symbol) ?? Number.POSITIVE_INFINITY;
    return !this.#lookedSince(since + CONFIRMING_MS, symbol, currency);
  }

  #believe(
    { symbol, believed, claimed }: Pick<Discrepancy, 'symbol' | 'believed' | 'claimed'>,
    currency: Currency,
    evidence: string,
    close?: CloseReport,
  ): void {
    const { positions, stamp, moved } = this.#parts;
    const verdict = this.#judge(symbol, currency, claimed);
    const beyond = 'beyond' in verdict ? verdict.beyond : (ZERO as Quantity);
    const row = this.#rows.find((candidate) => candidate.symbol === symbol);
    if (verdict.kind === 'grown') this.#grew({ symbol, claimed }, verdict.beyond);
    const share = beyond === 0 ? '' : `, ${textFromFixed(beyond)} of it not ours`;
    positions.accept(symbol, currency, row, stamp.monotonic, beyond);
    this.#disputed.forget(symbol);
    const shown = this.#shown.get(symbol);
    const cause = moveOf(close, shown);
    const text = moveText(cause, close, { symbol, believed, claimed, share, evidence });
    moved(symbol, text, cause, moverOf(cause, { close, shown, claimed }));
  }

  /** What a person must know of a dispute that does not end. */
  #difference({ symbol, believed, claimed }: Discrepancy, currency: Currency): string {
    const orders = this.#parts.ledger
      .active(symbol, currency)
      .map(({ clientOrderId, state, remaining }) => {
        return `${clientOrderId} ${state}, ${textFromFixed(remaining)} left`;
      });
    return (
      `we believe ${textFromFixed(believed)} and the venue shows ${textFromFixed(claimed)}, ` +
      `and it does not settle; our orders there: ${orders.length === 0 ? 'none' : orders.join('; ')}`
    );
  }
}

/** It may have reached the venue. */
const isAtVenue = (order: OwnOrder): boolean => order.attempts > 0;

/** It can fill at any moment; a limit order that rests need not for ever. */
const isInFlight = (order: OwnOrder): boolean =>
  order.state !== 'accepted' || order.terms.type === 'market';

function canClose(quantity: Quantity, orders: readonly OwnOrder[]): boolean {
  const { low, high } = reachOf(quantity, orders);
  return low <= 0 && high >= 0;
}

export interface WatchParts {
  readonly stamp: Readonly<Stamp>;
  readonly desk: Desk;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly foreign: ForeignBook;
  readonly unreadable: UnreadableSymbols;
  /** A position moved for a cause that is not ours. */
  readonly moved: (symbol: string, text: string, cause: PositionMove, by: MovedBy) => void;
  /** Exposure stands that no order of ours and no listed order of others explains. */
  readonly grown: (symbol: string, text: string) => void;
  /** Both sides differ and go on doing so. */
  readonly unsettled: (symbol: string, text: string) => void;
}

const hasEnded = (positionId: string | undefined, closes: readonly CloseReport[]): boolean =>
  positionId === undefined ||
  closes.some((row) => row.positionId === positionId && row.kind !== 'partial');
