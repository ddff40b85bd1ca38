import {
  absolute,
  fixedFromNumber,
  isGreater,
  sign,
  subtract,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { isReached, type SizeChange } from '../contract/entry-settings.js';
import type { ExternalChangeSource, OrderEnd, StrategyPort } from '../contract/strategy-port.js';
import { timerCause, type Decision, type DecisionContext } from '../host/decision-context.js';
import type { OrderFactory } from './order-factory.js';
import { PersistedTarget, type TargetValue } from './persisted-target.js';
import { isReduction } from './size/next-leg.js';
import { TargetExecutor } from './target-executor.js';
import { TargetLog, type TargetChange } from './target-log.js';

/**
 * One symbol's target, from the strategy's request until another one replaces it.
 *
 * - The same target requested again after a failure is a new decision, with its own key, price and age.
 * - A target is *held* when the position moves away from it and no order of the strategy did it. No
 *   order then trades against a stop, an operator or a liquidation until the strategy requests another
 *   target or an operator resumes it. After a manual change, an `enter` of the same side does not act
 *   either. The hold survives restarts.
 */
export class TargetTracker {
  readonly symbol: string;
  readonly #orderFactory: OrderFactory;
  readonly #persisted: PersistedTarget;
  readonly #log: TargetLog;
  readonly #executor: TargetExecutor;
  #targetValue: TargetValue | undefined;
  /** `open`: reached or in progress. */
  #outcome: 'open' | 'failed' | 'held' = 'open';
  /** The target repeats one that failed, and the failure has been logged. */
  #repeats = false;
  /** Set while held. */
  #suspendedBy: ExternalChangeSource | undefined;
  /** Reason of the last hold. */
  #heldBecause = '';
  /** Position at the last event; the next event compares with it. */
  #position: Quantity = ZERO;

  constructor(symbol: string, orderFactory: OrderFactory) {
    const log = new TargetLog(symbol, orderFactory);
    this.symbol = symbol;
    this.#orderFactory = orderFactory;
    this.#persisted = new PersistedTarget(orderFactory.port, symbol);
    this.#log = log;
    this.#executor = new TargetExecutor({
      symbol,
      orderFactory,
      log,
      onAccepted: () => {
        if (this.#repeats) this.#persist();
      },
      onFailed: (reason) => this.#fail(reason),
    });
  }

  /** Signed quantity; undefined before the first target, and once the target has failed or is held. */
  get desired(): Quantity | undefined {
    return this.#executor.desired;
  }

  /** Last target, in the unit of the strategy's request. */
  get targetValue(): TargetValue | undefined {
    return this.#targetValue;
  }

  /** Reason of the hold; undefined: the target is not held. */
  get heldBecause(): string | undefined {
    return this.#outcome === 'held' ? this.#heldBecause : undefined;
  }

  /** The target is not reached and no order is in flight: `retry` may help. */
  get needsRetry(): boolean {
    return this.#executor.needsRetry;
  }

  /** The request equals the current target, which has not failed. */
  isCurrentTarget(unit: TargetValue['unit'], value: number): boolean {
    return this.#outcome !== 'failed' && this.#isSameTarget({ unit, value });
  }

  /**
   * Restores the target of a previous run, or its hold. Where the size setting has changed, an open
   * position keeps its size, or is sized again when its target is requested again.
   */
  restore(sizeChange: SizeChange = 'unchanged'): void {
    const persisted = this.#persisted.read();
    const position = this.#orderFactory.port.position(this.symbol);
    this.#position = position;
    // A hold of this run has been persisted already.
    if (persisted === undefined || this.#outcome === 'held') return;
    const { desired, held, by, ...targetValue } = persisted;
    if (held !== undefined) {
      this.#targetValue = targetValue;
      this.#outcome = 'held';
      this.#suspendedBy = by ?? 'venue';
      this.#heldBecause = held;
      this.#log.heldBeforeRestart(held, this.#suspendedBy);
    } else if (desired !== undefined && isReached(desired, position, sizeChange)) {
      this.#targetValue = targetValue;
      this.#executor.restore(position);
    } else if (desired !== undefined && isReduction(desired, position)) {
      this.#resumeReduction(desired, position);
    } else {
      // An increase of a previous run is not continued: the next request is a new decision.
      this.#persisted.write({ ...targetValue, desired: undefined });
    }
  }

  /**
   * Continues a reduction of a previous run. The second leg of a reversal is not opened: its decision is
   * too old, and the next request is a new decision.
   */
  #resumeReduction(desired: Quantity, position: Quantity): void {
    const decision = restartDecision(this.#orderFactory.port, this.symbol);
    if (decision === undefined) return;
    this.#outcome = 'failed';
    const isSameSide = sign(desired) === sign(position);
    this.#executor.restore(isSameSide ? desired : (ZERO as Quantity), decision);
  }

  /** An operator ends the hold: the target may be traded to again. */
  resume(): void {
    if (this.#outcome !== 'held') return;
    this.#outcome = 'failed';
    this.#suspendedBy = undefined;
    if (this.#targetValue !== undefined)
      this.#persisted.write({ ...this.#targetValue, desired: undefined });
    this.#log.resumed();
  }

  /** A position of that side was reduced manually, and no other target has been requested since. */
  refusesEntry(sign: 1 | -1): boolean {
    const value = this.#targetValue?.value ?? 0;
    return this.#outcome === 'held' && this.#suspendedBy === 'hand' && value * sign > 0;
  }

  setTarget(desired: Quantity, targetValue: TargetValue, decision: Decision): void {
    this.#orderFactory.counts.decisions++;
    const repeats = this.#outcome === 'failed' && this.#isSameTarget(targetValue);
    this.#repeats = repeats;
    this.#targetValue = targetValue;
    this.#outcome = 'open';
    this.#suspendedBy = undefined;
    const { unit, value } = targetValue;
    if (!repeats) this.#persisted.write({ unit, value, desired });
    this.#position = this.#orderFactory.port.position(this.symbol);
    this.#executor.start(desired, repeats ? { ...decision, repeats } : decision);
  }

  /** Retries on a candle of the symbol, with this candle as cause. */
  retry(decisionContext: DecisionContext): void {
    this.#executor.retry(decisionContext);
  }

  /** An increase waits for a refusal of a passing cause to end. */
  get isPostponed(): boolean {
    return this.#executor.isPostponed;
  }

  /** Before the strategy decides on a candle, so that its request is a new decision if the old one has expired. */
  retryPostponed(): void {
    this.#executor.retryPostponed();
  }

  /** The strategy has ended: a reduction that it has decided goes on, and nothing is opened. */
  onlyReduce(): void {
    this.#executor.onlyReduce();
  }

  onTimer(): void {
    this.#executor.onTimer();
  }

  /** An order of this symbol has ended. */
  onOrderEnded(end: OrderEnd, isTargetOrder: boolean): void {
    this.#position = this.#orderFactory.port.position(this.symbol);
    if (!this.#continuesRestored()) this.#executor.onOrderEnded(end, isTargetOrder);
  }

  /** An order of this target has filled, partly or fully. */
  onFill(): void {
    this.#position = this.#orderFactory.port.position(this.symbol);
    this.#executor.onFill();
    this.#continuesRestored();
  }

  /** A resting order that was withdrawn has filled before its cancel: the target corrects it. */
  onWithdrawnFill(): void {
    this.#position = this.#orderFactory.port.position(this.symbol);
    if (!this.#continuesRestored()) this.#executor.onMoved();
  }

  /**
   * An order of a previous run has filled late, beyond a target that this run found reached.
   * @returns whether its reduction begins
   */
  #continuesRestored(): boolean {
    const { desired } = this;
    if (!this.#executor.lacksDecision || desired === undefined) return false;
    if (!isReduction(desired, this.#position)) return false;
    this.#resumeReduction(desired, this.#position);
    return true;
  }

  /** The position changed without an order of this target. `own`: by a resting order of the strategy. */
  onPositionChanged(by: ExternalChangeSource | 'own'): void {
    const before = this.#position;
    const now = this.#orderFactory.port.position(this.symbol);
    this.#position = now;
    if (now === before) return;
    const { desired } = this;
    const cause = by === 'own' ? 'venue' : by;
    if (desired === undefined) {
      if (cause === 'hand' && isReduction(now, before)) this.#suspendWithoutTarget(before);
    } else if (isGreater(absolute(subtract(desired, now)), absolute(subtract(desired, before))))
      this.#suspend(MOVED_AWAY, cause);
    else this.#executor.needsRetry = desired !== now;
  }

  /** A manual reduction of a position that no target covers. */
  #suspendWithoutTarget(before: Quantity): void {
    const side = sign(before);
    if ((this.#targetValue?.value ?? side) * side <= 0) return;
    this.#targetValue ??= { unit: 'conviction', value: side };
    this.#suspend(MOVED_AWAY, 'hand');
  }

  /**
   * The position changed while the bot was down, or before this strategy was started.
   * @param before signed position in the journal
   */
  onPositionChangedWhileDown(
    before: Quantity,
    why = 'the position changed while the bot was down',
  ): void {
    const persisted = this.#persisted.read();
    if (this.#outcome === 'held' || persisted?.held !== undefined) return;
    const unknown: TargetValue = { unit: 'conviction', value: sign(before) };
    this.#targetValue =
      persisted === undefined ? unknown : { unit: persisted.unit, value: persisted.value };
    this.#executor.restore(persisted?.desired ?? before);
    // The source is not known: a quantity that an operator may have sold is not bought back.
    this.#suspend(why, 'hand');
  }

  /** Ends the decision; the same target requested again is a new one. */
  #fail(why: string): void {
    const change = this.#stop('failed');
    this.#persist();
    if (change !== undefined && !this.#repeats) this.#log.failed(change, why);
  }

  #suspend(why: string, by: ExternalChangeSource): void {
    // After a restart the strategy may not have requested a target yet.
    const targetValue = this.#targetValue ?? this.#persisted.read();
    if (targetValue !== undefined) {
      const { unit, value } = targetValue;
      this.#persisted.write({ unit, value, desired: this.desired, held: why, by });
    }
    this.#suspendedBy = by;
    this.#heldBecause = why;
    this.#log.held(this.#stop('held'), why, by);
  }

  #persist(): void {
    if (this.#targetValue !== undefined)
      this.#persisted.write({ ...this.#targetValue, desired: this.desired });
  }

  #stop(outcome: 'failed' | 'held'): TargetChange | undefined {
    this.#position = this.#orderFactory.port.position(this.symbol);
    this.#outcome = outcome;
    return this.#executor.stop();
  }

  #isSameTarget({ unit, value }: TargetValue): boolean {
    return this.#targetValue?.unit === unit && this.#targetValue.value === value;
  }
}

const MOVED_AWAY = 'the position moved away from it';

/** Decision of a reduction that a restart continues; undefined where no price is known. */
function restartDecision(port: StrategyPort, symbol: string): Decision | undefined {
  const last = port.lastPrice(symbol);
  const reference = last === undefined ? port.entryPrice(symbol) : fixedFromNumber<'price'>(last);
  if (reference === undefined) return undefined;
  return {
    cause: timerCause(port, `restart:${symbol}`),
    ordinal: 0,
    decidedAt: port.venueTime,
    decidedMonotonic: port.monotonic,
    reference,
    prices: {},
    leg: 0,
  };
}
