import type { Quantity } from '../../core/fixed/fixed.js';
import type { OrderEnd, SubmitResult } from '../contract/strategy-port.js';
import { isSameDecision, type Decision, type DecisionContext } from '../host/decision-context.js';
import { LegSubmitter, referenceOf, renewedDecision } from './leg-submitter.js';
import type { OrderFactory } from './order-factory.js';
import { isReduction, nextLeg, type OrderLeg, type TargetFacts } from './size/next-leg.js';
import type { TargetChange, TargetLog } from './target-log.js';
import { TargetTimer } from './target-timer.js';

/** Monotonic ms until an increase is tried again after a transient refusal. */
const RETRY_ENTRY_MS = 250;
/** Monotonic ms until a failed reduction is tried again, by its failures in a row. */
const RETRY_EXIT_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];
/** Monotonic ms until a reduction in flight is checked again. */
const EXIT_RECHECK_MS = 5_000;

export interface TargetExecutorParts {
  readonly symbol: string;
  readonly orderFactory: OrderFactory;
  readonly log: TargetLog;
  readonly onAccepted: () => void;
  /** Must call `stop`. */
  readonly onFailed: (reason: string) => void;
}

/**
 * Moves one symbol's position to the desired quantity, one order at a time.
 *
 * - A reduction is retried until it is done: at each candle, and by a timer where no candles come.
 * - An increase that fails ends its decision. After a transient refusal it is retried while the decision
 *   is young enough.
 */
export class TargetExecutor {
  /** The target is not reached and no order is in flight: the next candle tries again. */
  needsRetry = false;
  readonly #parts: TargetExecutorParts;
  readonly #orderFactory: OrderFactory;
  readonly #submitter: LegSubmitter;
  readonly #timer: TargetTimer;
  #desired: Quantity | undefined;
  #decision: Decision | undefined;
  /** An increase waits for its transient refusal to pass. */
  #postponed = false;
  /** Failed reductions since the last fill. */
  #exitAttempts = 0;
  /** Nothing is opened any more. */
  #onlyReduces = false;

  constructor(parts: TargetExecutorParts) {
    const { symbol, orderFactory } = parts;
    this.#parts = parts;
    this.#orderFactory = orderFactory;
    this.#submitter = new LegSubmitter(symbol, orderFactory);
    this.#timer = new TargetTimer(orderFactory.port, symbol);
  }

  /** Signed quantity; undefined before the first target and after `stop`. */
  get desired(): Quantity | undefined {
    return this.#desired;
  }

  /** A restored target, reached when it was restored: no event of this run has decided it. */
  get lacksDecision(): boolean {
    return this.#desired !== undefined && this.#decision === undefined;
  }

  /** Replaces the target and every order of the previous one. */
  start(desired: Quantity, decision: Decision): void {
    const { symbol } = this.#parts;
    this.#desired = desired;
    this.#decision = decision;
    this.#postponed = false;
    this.#exitAttempts = 0;
    this.needsRetry = false;
    this.#orderFactory.resetCancels(symbol);
    this.#orderFactory.cancelEntries(symbol);
    this.#orderFactory.cancelResting(symbol);
    this.#advance();
  }

  /** Restores the target of a previous run; without a decision it places no order. */
  restore(desired: Quantity, decision?: Decision): void {
    this.#desired = desired;
    if (decision === undefined) return;
    this.#decision = decision;
    this.#advance();
  }

  /** The strategy has ended: a reduction that it has decided goes on, and nothing is opened. */
  onlyReduce(): void {
    this.#onlyReduces = true;
    this.#postponed = false;
  }

  /** @returns the change that is not made; undefined: the target was reached, or there was none */
  stop(): TargetChange | undefined {
    const desired = this.#desired;
    const position = this.#orderFactory.port.position(this.#parts.symbol);
    this.#desired = undefined;
    this.#postponed = false;
    this.needsRetry = false;
    return desired === undefined || desired === position ? undefined : { desired, position };
  }

  /** Retries on a candle of the symbol, with this candle as cause. */
  retry(decisionContext: DecisionContext): void {
    if (this.#decision === undefined || decisionContext.isFromCurrentEvent(this.#decision)) return;
    this.#orderFactory.resetCancels(this.#parts.symbol);
    this.#advance(decisionContext);
  }

  onTimer(): void {
    this.#timer.onFired();
    const waits = this.#postponed || this.#reduces();
    this.#postponed = false;
    if (!waits) return;
    this.#orderFactory.resetCancels(this.#parts.symbol);
    this.#advance();
  }

  /** An increase waits for a refusal of a passing cause to end. */
  get isPostponed(): boolean {
    return this.#postponed;
  }

  /**
   * A candle of the strategy has closed while an increase waits: it is tried once more under its old decision,
   * whose age ends it as a rule. Where timers fire that has happened before; in a backtest none does.
   */
  retryPostponed(): void {
    if (!this.#postponed) return;
    this.#postponed = false;
    this.#orderFactory.resetCancels(this.#parts.symbol);
    this.#advance();
  }

  /** An order of this target has filled, partly or fully. */
  onFill(): void {
    this.#exitAttempts = 0;
  }

  /** The position moved by an order that does not count any more. */
  onMoved(): void {
    if (this.#reduces()) this.#advance();
    else if (this.#desired !== undefined)
      this.needsRetry = this.#desired !== this.#orderFactory.port.position(this.#parts.symbol);
  }

  /** An order of this symbol has ended. */
  onOrderEnded(end: OrderEnd, isTargetOrder: boolean): void {
    if (this.#desired === undefined) return;
    const { intent } = end;
    const current =
      isTargetOrder && this.#decision !== undefined && isSameDecision(intent, this.#decision);
    const why = `${end.end}${end.reason === undefined ? '' : `: ${end.reason}`}`;
    if (!isTargetOrder && !this.needsRetry)
      this.needsRetry = this.#desired !== this.#orderFactory.port.position(this.#parts.symbol);
    else if (!current || end.end === 'filled') this.#advance();
    else if (intent.terms.reduceOnly) this.#retryLater(why);
    else if (end.isTransient === true) this.#postpone();
    else this.#parts.onFailed(`the order was ${why}`);
  }

  /** @param decisionContext of a new decision; undefined: the order is the decision's next leg */
  #advance(decisionContext?: DecisionContext): void {
    const decision = this.#decision;
    if (decision === undefined || this.#desired === undefined) return;
    const reference = referenceOf(this.#parts.symbol, decision, decisionContext);
    const facts = this.#submitter.facts(this.#desired, reference);
    if (facts === undefined) return;
    const leg = nextLeg(facts);
    const isRefused = this.#onlyReduces && leg.kind === 'open';
    if (leg.kind === 'nothing' || isRefused) this.needsRetry = false;
    else if (leg.kind === 'wait') this.#wait(leg.reason, facts.hasAbandonedOrder === true);
    else this.#submitLeg(leg, facts, renewedDecision(decision, reference, decisionContext));
    if (leg.kind !== 'nothing' && this.#reduces()) this.#timer.set(EXIT_RECHECK_MS);
  }

  /** The target is below the position, or on the other side. */
  #reduces(): boolean {
    const { symbol } = this.#parts;
    return (
      this.#desired !== undefined &&
      isReduction(this.#desired, this.#orderFactory.port.position(symbol))
    );
  }

  #submitLeg(leg: OrderLeg, facts: TargetFacts, decision: Decision): void {
    this.#decision = decision;
    const verdict = this.#submitter.submit(leg, facts, decision);
    if (verdict === 'in-flight') this.#wait('in-flight', false);
    else if (verdict === 'expired')
      this.#parts.onFailed('the decision expired before the order was sent');
    else this.#onSubmitted(leg.kind === 'reduce', verdict);
  }

  #onSubmitted(reduces: boolean, verdict: SubmitResult): void {
    this.needsRetry = false;
    if (verdict === 'accepted') this.#parts.onAccepted();
    else if (reduces) this.#retryLater('refused');
    else if (verdict === 'refused-for-now') this.#postpone();
    else this.#parts.onFailed('the order was refused');
  }

  #wait(reason: 'in-flight' | 'below-minimum', hasAbandonedOrder: boolean): void {
    if (this.needsRetry) return;
    const { symbol, log } = this.#parts;
    this.needsRetry = true;
    this.#orderFactory.counts.waited++;
    if (hasAbandonedOrder) log.waitsForAbandonedOrder();
    if (reason === 'in-flight' || this.#desired === undefined) return;
    const position = this.#orderFactory.port.position(symbol);
    log.waitsForMinimum({ desired: this.#desired, position });
  }

  /** A reduction is never given up. */
  #retryLater(why: string): void {
    this.needsRetry = true;
    this.#orderFactory.counts.waited++;
    const attempts = (this.#exitAttempts += 1);
    this.#timer.set(RETRY_EXIT_MS[Math.min(attempts, RETRY_EXIT_MS.length) - 1] ?? EXIT_RECHECK_MS);
    this.#parts.log.reductionFailed(attempts, why);
  }

  /** The refusal is transient: the increase is retried while its decision is young enough. */
  #postpone(): void {
    this.#postponed = true;
    if (this.#decision !== undefined) this.#decision = { ...this.#decision, repeats: true };
    this.#timer.set(RETRY_ENTRY_MS);
  }
}
