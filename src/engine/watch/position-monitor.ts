import type {
  CloseReport,
  PositionChangeReason,
  PositionReport,
  ProtectiveOrderReport,
} from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import {
  absolute,
  isLess,
  sign,
  subtract,
  textFromFixed,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { CONFIRMING_MS, CONFIRMING_READS, READ_VISIBILITY_MS } from '../../execution/constants.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { Discrepancy, PositionLedger } from '../../execution/position-ledger.js';
import type { ExternalActivity } from '../reconciliation/external-activity.js';
import {
  widestPositionRange,
  judgePosition,
  possiblePositionRange,
  type PositionVerdict,
} from '../reconciliation/reconcile-positions.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';
import type { ExternalClose } from '../account/trade-results.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';
import { causeOf, moverOf, moveText, namesItsCause, type ShownProtection } from './move-cause.js';
import { RepeatedPollCounter } from '../reconciliation/repeated-poll-counter.js';

/** Rows per page of the position history that serves as evidence. */
const CLOSES_LIMIT = 100;
/** A dispute over one symbol that lasts this long needs a person (hazard G13). */
const MAX_DISPUTED = { polls: 30, ms: 120_000 };
/**
 * Growth without an intent that lasts this long halts the symbol (control R22): polls come every 2 s, so
 * within 10 s.
 */
const MAX_GROWN = { polls: CONFIRMING_READS, ms: CONFIRMING_MS };

/**
 * Compares the venue's positions with ours, and requires evidence for a difference. A close row proves that a
 * position is gone: a stop, a liquidation, a manual trade. Without one the venue must repeat its claim
 * (hazards G1, G5, G12). Unexplained growth halts the symbol.
 */
export class PositionMonitor {
  readonly #parts: PositionMonitorParts;
  readonly #disputeCounter = new RepeatedPollCounter(MAX_DISPUTED);
  readonly #growthCounter = new RepeatedPollCounter(MAX_GROWN);
  #isQueryingCloses = false;
  #rows: readonly PositionReport[] = [];
  /** Last row of each symbol. */
  readonly #shown = new Map<string, PositionReport>();
  /** Monotonic ms since which the venue differs from our position, by symbol. */
  readonly #since = new Map<string, number>();

  constructor(parts: PositionMonitorParts) {
    this.#parts = parts;
  }

  readonly #isUnreadable = (symbol: string): boolean =>
    this.#parts.unreadable.reason(symbol) !== undefined;

  /** One poll. @returns whether every readable row equals our position */
  onPositions(
    positions: readonly PositionReport[],
    currency: Currency,
    startedAt: number,
  ): boolean {
    this.#rows = positions;
    for (const position of positions) this.#shown.set(position.symbol, position);
    const { equal, discrepancies } = this.#parts.positions.observe(
      positions,
      { currency, startedAt },
      (symbol, reported) =>
        // Every close adds a position-history row. Without one an empty list may be transient (hazard G1).
        reported === 0 || this.#mayBeOurs(symbol, currency) ? READ_VISIBILITY_MS : CONFIRMING_MS,
      this.#isUnreadable,
    );
    const disputed = new Set(discrepancies.map(({ symbol }) => symbol));
    this.#disputeCounter.retainOnly(disputed);
    this.#growthCounter.retainOnly(disputed);
    for (const discrepancy of discrepancies) this.#onDiscrepancy(discrepancy, currency, startedAt);
    return equal;
  }

  #onDiscrepancy(discrepancy: Discrepancy, currency: Currency, startedAt: number): void {
    const { symbol, confirmed, since } = discrepancy;
    this.#since.set(symbol, since);
    this.#parts.protocol.queryNow(symbol, currency);
    this.#checkGrowth(discrepancy, currency, startedAt);
    // An order query may lag as much as a list.
    const lag = this.#mayBeOurs(symbol, currency) ? READ_VISIBILITY_MS : 0;
    if (confirmed && this.#readSince(since + lag, symbol, currency)) {
      this.#acceptClaim(discrepancy, currency, 'the venue repeats it');
      return;
    }
    if (isLess(absolute(discrepancy.reported), absolute(discrepancy.tracked))) {
      this.#queryCloses(currency);
    }
    if (this.#disputeCounter.count(symbol, startedAt)) {
      this.#parts.onUnsettled(symbol, this.#difference(discrepancy, currency));
    }
  }

  /** Allows for everything that a lagging list may still show, so that our last fill is not growth. */
  #checkGrowth({ symbol, reported }: Discrepancy, currency: Currency, startedAt: number): void {
    const { positions, external } = this.#parts;
    const visible = positions.acceptableQuantities(symbol, currency, startedAt);
    const verdict = judgePosition({
      believed: positions.quantity(symbol, currency),
      reported,
      own: widestPositionRange(visible, this.#atVenue(symbol, currency)),
      external: external.exposureRange(symbol, currency),
    });
    const isKnown = positions.isPastKnown(symbol, currency, startedAt);
    if (verdict.kind !== 'grown' || !isKnown) this.#growthCounter.forget(symbol);
    else if (this.#growthCounter.count(symbol, startedAt))
      this.#reportGrowth({ symbol, reported }, verdict.beyond);
  }

  #reportGrowth(
    { symbol, reported }: Pick<Discrepancy, 'symbol' | 'reported'>,
    beyond: Quantity,
  ): void {
    const [shown, unexplained] = [textFromFixed(reported), textFromFixed(beyond)];
    const text = `the venue shows a position of ${shown}, ${unexplained} of it by no order of ours`;
    this.#parts.onGrown(symbol, text);
  }

  /** Orders of ours may explain any claim: their own reports will show it. */
  #mayBeOurs(symbol: string, currency: Currency): boolean {
    return this.#atVenue(symbol, currency).length > 0;
  }

  /** Every order of ours has reported by now: the rest is external. */
  #judge(symbol: string, currency: Currency, reported: Quantity): PositionVerdict {
    const { positions, external } = this.#parts;
    const believed = positions.quantity(symbol, currency);
    const ours = { low: believed, high: believed };
    return judgePosition({
      believed,
      reported,
      own: ours,
      external: external.exposureRange(symbol, currency),
    });
  }

  #atVenue(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#parts.ledger.openOrders(symbol, currency).filter(isAtVenue);
  }

  /** Otherwise an unreported fill would count twice: in the claim, and by its report. */
  #readSince(since: number, symbol: string, currency: Currency): boolean {
    return this.#atVenue(symbol, currency).every(
      // A retrying order was queried and not found; it is not queried meanwhile.
      ({ state, lastReadAt }) => state === 'retrying' || lastReadAt >= since,
    );
  }

  #queryCloses(currency: Currency): void {
    if (this.#isQueryingCloses) return;
    this.#isQueryingCloses = true;
    const from = this.#oldestMissing(currency);
    this.#parts.requests.enqueue<'read-closes'>({
      request: {
        kind: 'read-closes',
        currency,
        limit: CLOSES_LIMIT,
        ...(from !== undefined && { from }),
      },
      priority: 'verify',
      onReply: (outcome) => {
        this.#isQueryingCloses = false;
        if (outcome.kind === 'yes') this.#applyCloses(outcome.value, currency);
      },
    });
  }

  /** The venue lists closes by the open time of their position, however late they closed (hazard G7). */
  #oldestMissing(currency: Currency): number | undefined {
    const { positions } = this.#parts;
    const missing = [...positions.openPositions()]
      .filter((each) => this.#rows.every((row) => row.symbol !== each.symbol))
      .map(({ symbol }) => positions.report(symbol, currency)?.openedAt);
    const known = missing.filter((openedAt) => openedAt !== undefined);
    return known.length === 0 || known.length < missing.length ? undefined : Math.min(...known);
  }

  #applyCloses(closes: readonly CloseReport[], currency: Currency): void {
    const { positions, ledger } = this.#parts;
    // An order of ours reports its own close.
    const externalCloses = closes.filter(
      ({ orderId }) => orderId === undefined || !ledger.hasOrderId(orderId),
    );
    for (const { symbol, quantity } of [...positions.openPositions()]) {
      const isShown = this.#isUnreadable(symbol) || this.#rows.some((row) => row.symbol === symbol);
      if (isShown || !positions.provesClosed(symbol, currency, externalCloses)) continue;
      // Our position has closed, but another one replaced it, and a transient gap hides that one.
      if (!hasEnded(this.#shown.get(symbol)?.positionId, closes)) continue;
      const inFlight = ledger.openOrders(symbol, currency).filter(isInFlight);
      if (canClose(quantity, inFlight) || this.#mayHaveFilled(symbol, currency, quantity)) continue;
      this.#acceptClaim(
        { symbol, tracked: quantity, reported: ZERO as Quantity },
        currency,
        'position history has its close',
        positions.closeOf(symbol, currency, externalCloses),
      );
    }
  }

  /**
   * Whether a resting order can have closed it and was not seen resting since: its own report of the fill may
   * follow, and must not count twice.
   */
  #mayHaveFilled(symbol: string, currency: Currency, quantity: Quantity): boolean {
    if (!canClose(quantity, this.#atVenue(symbol, currency))) return false;
    const since = this.#since.get(symbol) ?? Number.POSITIVE_INFINITY;
    return !this.#readSince(since + CONFIRMING_MS, symbol, currency);
  }

  #acceptClaim(
    { symbol, tracked, reported }: Pick<Discrepancy, 'symbol' | 'tracked' | 'reported'>,
    currency: Currency,
    evidence: string,
    close?: CloseReport,
  ): void {
    const { positions, stamp, onPositionChanged } = this.#parts;
    const verdict = this.#judge(symbol, currency, reported);
    const beyond = 'beyond' in verdict ? verdict.beyond : (ZERO as Quantity);
    const row = this.#rows.find((candidate) => candidate.symbol === symbol);
    if (verdict.kind === 'grown') this.#reportGrowth({ symbol, reported }, verdict.beyond);
    const share = beyond === 0 ? '' : `, ${textFromFixed(beyond)} of it not ours`;
    const shown = this.#protectionOf(symbol, tracked, close);
    const cause = causeOf(close, shown);
    this.#reportClose({ symbol, tracked, reported }, currency, close, cause);
    positions.acceptReport(symbol, currency, row, stamp.monotonic, beyond);
    this.#disputeCounter.forget(symbol);
    const text = moveText(cause, close, { symbol, believed: tracked, reported, share, evidence });
    onPositionChanged(symbol, text, cause, moverOf(cause, { close, shown, reported }));
  }

  /**
   * As the venue showed it last. A stop or target that it did not show has the price that we decided, because a list
   * may show a position before its stop. Without a close row the last list alone decides: a person may have canceled
   * the stop.
   */
  #protectionOf(
    symbol: string,
    tracked: Quantity,
    close: CloseReport | undefined,
  ): ShownProtection | undefined {
    const last = this.#shown.get(symbol);
    const isDecisive = close === undefined ? last !== undefined : namesItsCause(close);
    if (isDecisive) return last;
    const shown = last?.positionId === close?.positionId ? last : undefined;
    const stopLoss = shown?.stopLoss ?? this.#decided(symbol, 'stopLoss');
    const takeProfit = shown?.takeProfit ?? this.#decided(symbol, 'takeProfit');
    return {
      side: tracked > 0 ? 'long' : 'short',
      ...(stopLoss !== undefined && { stopLoss }),
      ...(takeProfit !== undefined && { takeProfit }),
    };
  }

  #decided(symbol: string, slot: ProtectiveOrderSlot): ProtectiveOrderReport | undefined {
    const price = this.#parts.decidedTrigger(symbol, slot);
    return price === undefined ? undefined : { price, orderId: '' };
  }

  #reportClose(
    { symbol, tracked, reported }: Pick<Discrepancy, 'symbol' | 'tracked' | 'reported'>,
    currency: Currency,
    close: CloseReport | undefined,
    reason: PositionChangeReason,
  ): void {
    const isKept = sign(reported) === sign(tracked);
    if (tracked === 0 || (isKept && !isLess(absolute(reported), absolute(tracked)))) return;
    this.#parts.onExternalClose({
      symbol,
      currency,
      quantity: isKept ? subtract(tracked, reported) : tracked,
      ...(close !== undefined && { price: close.closePrice }),
      reason,
    });
  }

  /** Description of an endless dispute, for a person. */
  #difference({ symbol, tracked, reported }: Discrepancy, currency: Currency): string {
    const orders = this.#parts.ledger
      .openOrders(symbol, currency)
      .map(({ clientOrderId, state, remaining }) => {
        return `${clientOrderId} ${state}, ${textFromFixed(remaining)} left`;
      });
    return (
      `we believe ${textFromFixed(tracked)} and the venue shows ${textFromFixed(reported)}, ` +
      `and it does not settle; our orders there: ${orders.length === 0 ? 'none' : orders.join('; ')}`
    );
  }
}

/** It may have reached the venue. */
const isAtVenue = (order: OwnOrder): boolean => order.attempts > 0;

/** It can fill at any moment; a resting limit order may never fill. */
const isInFlight = (order: OwnOrder): boolean =>
  order.state !== 'accepted' || order.terms.type === 'market';

function canClose(quantity: Quantity, orders: readonly OwnOrder[]): boolean {
  const { low, high } = possiblePositionRange(quantity, orders);
  return low <= 0 && high >= 0;
}

export interface PositionMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly requests: RequestTracker;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly external: ExternalActivity;
  readonly unreadable: UnreadableSymbols;
  /** The stop or target that our position should have; undefined: none was decided. */
  readonly decidedTrigger: (symbol: string, slot: ProtectiveOrderSlot) => Price | undefined;
  /** Called before a position closes, in part or in full, without an order of ours. */
  readonly onExternalClose: (close: ExternalClose) => void;
  /** A position changed for an external cause. */
  readonly onPositionChanged: (
    symbol: string,
    text: string,
    cause: PositionChangeReason,
    by: ExternalChangeSource,
  ) => void;
  /** Exposure that no order of ours and no listed external order explains. */
  readonly onGrown: (symbol: string, text: string) => void;
  /** Both sides still differ after the bound. */
  readonly onUnsettled: (symbol: string, text: string) => void;
}

const hasEnded = (positionId: string | undefined, closes: readonly CloseReport[]): boolean =>
  positionId === undefined ||
  closes.some((row) => row.positionId === positionId && row.kind !== 'partial');
