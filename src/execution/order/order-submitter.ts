import type { Outcome, Placement, Priority, RequestOf } from '../../core/request.js';
import type { RefusalCode } from '../../core/rejection.js';
import {
  HELD_EXIT_RETRY_MS,
  MAX_LOCK_REFUSALS,
  RETRY_BACKOFF_MS,
  backoffDelay,
} from '../constants.js';
import type { OrderStatusResolver } from './order-status-resolver.js';
import type { OrderHold, ProtocolParts } from '../protocol-parts.js';
import { symbolLockOf } from '../operation/operation.js';
import type { TrackedRequest } from '../request-tracker.js';
import type { OwnOrder } from './own-order.js';

/** Submits an order: attempt, reply, and the same bytes again while that is safe. */
export class OrderSubmitter {
  readonly #parts: ProtocolParts;
  readonly #statusResolver: OrderStatusResolver;
  /**
   * While paused, attempts wait here until orders of a previous run, or of a refused API key, are
   * proved.
   */
  #paused: Set<OwnOrder> | undefined;

  constructor(parts: ProtocolParts, statusResolver: OrderStatusResolver) {
    this.#parts = parts;
    this.#statusResolver = statusResolver;
  }

  pauseSubmission(): void {
    this.#paused ??= new Set();
  }

  resumeSubmission(): void {
    const paused = this.#paused ?? [];
    this.#paused = undefined;
    for (const order of paused) {
      if (order.state !== 'verifying') this.requestAttempt(order);
      // A lookup in flight decides.
      else if (order.active && !order.queryInFlight) this.resend(order);
    }
  }

  /** It was not found and waits to be sent again. */
  isPaused(order: OwnOrder): boolean {
    return order.state === 'verifying' && this.#paused?.has(order) === true;
  }

  /**
   * Sends an order again that was not found. @returns false while paused: the order stays unproved,
   * since an earlier attempt may land meanwhile and move the position
   */
  resend(order: OwnOrder): boolean {
    if (this.#paused !== undefined) {
      this.#paused.add(order);
      return false;
    }
    order.apply('not-found-wanted');
    this.#parts.requests.cancelTimer(order.timer);
    order.timer = undefined;
    this.requestAttempt(order);
    return true;
  }

  requestAttempt(order: OwnOrder): void {
    if (this.#paused !== undefined) {
      this.#paused.add(order);
      return;
    }
    if (!awaitsAttempt(order)) {
      this.#parts.locks.wakeNext(symbolLockOf(order.terms));
      return;
    }
    this.#parts.requests.enqueue<'place'>(new Attempt(order, this));
  }

  /** The order is not sent again. The outcome of an attempt that may have left stays unproved. */
  withdraw(order: OwnOrder, reason: string): void {
    if (!order.unknownSeen) {
      order.active = false;
      this.#parts.end(order, 'drop', reason);
      return;
    }
    this.#statusResolver.withdraw(order, reason);
    this.#statusResolver.quarantine(order, reason);
  }

  /** The attempt may have taken effect: lookups decide before anything else is sent. */
  onUnknownOutcome(order: OwnOrder, cause: string): void {
    order.unknownSeen = true;
    order.unprovedSince ??= this.#parts.engine.stamp.monotonic;
    order.queries = 0;
    order.apply('unknown');
    this.#parts.journal.note(order, `outcome unknown: ${cause}`);
    this.#statusResolver.lookups.queryAfterUnclear(order);
  }

  /** The permit of an attempt is here. @returns whether it leaves */
  onPermit(order: OwnOrder): boolean {
    if (!this.#maySend(order)) {
      if (!order.terms.reduceOnly) this.#parts.locks.wakeNext(symbolLockOf(order.terms));
      return false;
    }
    if (!this.#acquiresLock(order)) return false;
    order.attempts += 1;
    order.apply('attempt');
    this.#parts.journal.attempt(order);
    return true;
  }

  /** The recheck right before sending: validity, risk, and whether submission is paused. */
  #maySend(order: OwnOrder): boolean {
    if (!awaitsAttempt(order)) return false;
    const { engine } = this.#parts;
    const isExit = order.terms.reduceOnly;
    if (order.active && isExit && this.#paused !== undefined) {
      this.#paused.add(order);
      return false;
    }
    const hold = order.active ? engine.holdReason(order) : WITHDRAWN;
    if (hold !== undefined) {
      if (isExit && hold.temporary) this.#retryHeldExit(order);
      else {
        order.heldTemporarily = hold.temporary;
        this.withdraw(order, hold.reason);
      }
      return false;
    }
    this.#paused?.add(order);
    return this.#paused === undefined;
  }

  /** A temporary hold does not drop a reduction: it asks for another permit. */
  #retryHeldExit(order: OwnOrder): void {
    this.#parts.requests.cancelTimer(order.timer);
    order.timer = this.#parts.requests.after(HELD_EXIT_RETRY_MS, () => {
      this.requestAttempt(order);
    });
  }

  /** One change per symbol in flight; a reduction overtakes. */
  #acquiresLock(order: OwnOrder): boolean {
    const { locks } = this.#parts;
    const lock = symbolLockOf(order.terms);
    if (order.terms.reduceOnly || locks.tryStartRequest(lock, order, true)) return true;
    locks.whenFree(lock, order, true, () => {
      this.requestAttempt(order);
    });
    return false;
  }

  onReply(order: OwnOrder, outcome: Outcome<Placement>): void {
    if (!order.terms.reduceOnly) this.#parts.locks.finishRequest(symbolLockOf(order.terms));
    this.#parts.journal.outcome(order, outcome);
    switch (outcome.kind) {
      case 'yes':
        order.apply('yes');
        order.orderId = outcome.value.orderId;
        order.positionId = outcome.value.positionId;
        this.#statusResolver.trackUntilEnd(order);
        return;
      case 'no':
        this.#onRefused(order, outcome.code, outcome.text);
        return;
      case 'unknown':
        this.#statusResolver.checkResponseOrigin(outcome);
        if (outcome.sent || order.unknownSeen) this.onUnknownOutcome(order, outcome.cause);
        else this.#scheduleRetry(order);
    }
  }

  #onRefused(order: OwnOrder, code: RefusalCode, text: string): void {
    const { engine } = this.#parts;
    const temporary = code === 'locked' || code === 'rate-limited';
    if (code === 'client-order-id-exists') {
      if (isFirstAttempt(order)) engine.warn(duplicateIdText(order));
      order.conflictSeen = true;
      order.conflictAt ??= engine.stamp.monotonic;
      this.onUnknownOutcome(order, text);
    } else if (order.unknownSeen) {
      // The refusal may be caused by an attempt of this order that landed, so that it proves
      // nothing.
      if (!temporary) order.active = false;
      this.onUnknownOutcome(order, `${text}, after an attempt without a clear answer`);
    } else if (temporary && !this.#exceededLockRefusals(order, code)) {
      this.#scheduleRetry(order);
    } else {
      order.rejection = code;
      this.#parts.end(order, 'no', text);
    }
    if (code === 'delisting') engine.onDelisting(order);
    if (code === 'leverage-not-set') engine.onLeverageNotSet(order);
    if (code === 'locked' || code.startsWith('reduce-only')) engine.onPositionUnverified(order);
  }

  /** An exit is retried for as long as it is valid; an entry is given up. */
  #exceededLockRefusals(order: OwnOrder, code: RefusalCode): boolean {
    if (code === 'locked') order.lockRefusals += 1;
    return order.lockRefusals >= MAX_LOCK_REFUSALS && !order.terms.reduceOnly;
  }

  /** The attempt had no effect: the same bytes are sent again after a pause, unless withdrawn. */
  #scheduleRetry(order: OwnOrder): void {
    order.apply('no-for-now');
    const delay = backoffDelay(RETRY_BACKOFF_MS, order.temporaryRefusals);
    order.temporaryRefusals += 1;
    if (!order.active) this.withdraw(order, 'it is no longer wanted');
    else
      order.timer = this.#parts.requests.after(delay, () => {
        this.requestAttempt(order);
      });
  }
}

/** A request of an order, from its permit to its reply. */
class Attempt implements TrackedRequest<'place'> {
  readonly request: RequestOf<'place'>;
  readonly #order: OwnOrder;
  readonly #submitter: OrderSubmitter;

  constructor(order: OwnOrder, submitter: OrderSubmitter) {
    this.request = order.placeRequest();
    this.#order = order;
    this.#submitter = submitter;
  }

  get priority(): Priority {
    return this.#order.terms.reduceOnly ? 'protect' : 'place';
  }

  ready(): boolean {
    return this.#submitter.onPermit(this.#order);
  }

  onReply(outcome: Outcome<Placement>): void {
    this.#submitter.onReply(this.#order, outcome);
  }
}

/** No earlier attempt in any run: the journal would have it. */
const isFirstAttempt = ({ attempts, unknownSeen }: OwnOrder): boolean =>
  attempts === 1 && !unknownSeen;

/** The reply is the same for both causes (hazard A19): the order is queried, and its terms decide. */
const duplicateIdText = ({ clientOrderId }: OwnOrder): string =>
  `the venue had order ${clientOrderId} before it answered our first request for it: either the request ` +
  'was delivered twice on its way, or another bot with this account name decides the same';

const WITHDRAWN: OrderHold = { reason: 'it is no longer wanted', temporary: false };

const awaitsAttempt = ({ state }: OwnOrder): boolean => state === 'waiting' || state === 'retrying';
