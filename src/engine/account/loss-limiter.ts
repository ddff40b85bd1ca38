import type { EventTime } from '../../core/events.js';
import {
  fixed,
  ONE,
  SCALE,
  textFromFixed,
  type Fixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import { controlCommandId, type ControlId } from '../../risk/control-id.js';
import type { LossLimits } from '../../risk/limits/loss-limits.js';
import type { LossMeasure } from '../../risk/loss/loss-ledger.js';
import { tradingDayText } from '../../risk/loss/trading-day.js';
import { compareProducts, proportionText } from '../../risk/product-text.js';
import type { Flatten } from '../operator/flatten.js';
import type { TradingState } from '../trading-state.js';
import type { LossMonitor } from './loss-monitor.js';

export interface LossLimiterParts {
  readonly stamp: Readonly<EventTime>;
  /** In force now. */
  readonly limits: () => LossLimits;
  readonly requests: RequestTracker;
  readonly tradingState: TradingState;
  readonly losses: LossMonitor;
  readonly positions: PositionLedger;
  readonly flatten: () => Flatten;
  /** Cancels entries that have not filled. */
  readonly cancelEntries: () => void;
  /** false: losses are measured, and nothing follows. */
  readonly isEnforced: boolean;
  /** A backtest: a candle is longer than the hold, and a latched limit may end with the venue day. */
  readonly isBacktest: boolean;
}

/** A limit of a loss: `share` of `base`. */
interface LossLimit {
  readonly name: 'soft' | 'hard' | 'drawdown';
  readonly control: ControlId;
  readonly flattens: boolean;
  readonly what: string;
  readonly loss: (measure: LossMeasure) => Fixed;
  readonly base: (measure: LossMeasure) => Fixed;
  readonly share: (limits: LossLimits) => Ratio;
}

/** 100 %. */
const WHOLE_PERCENT: Fixed = fixed(100 * SCALE);

/**
 * Enforces the limits of the day's loss (R19) and of the drawdown (R21). Exceeded for the hold time, each stops
 * entries until a person resumes; the hard limit and the drawdown also flatten. Exits always leave.
 */
export class LossLimiter {
  readonly #parts: LossLimiterParts;
  /** Monotonic ms since which a limit is exceeded. */
  readonly #since = new Map<LossLimit['name'], number>();
  #day: number | undefined;

  constructor(parts: LossLimiterParts) {
    this.#parts = parts;
  }

  /** After every event that may change equity or prices. */
  check(): void {
    const { losses, isEnforced } = this.#parts;
    const isSafe = isEnforced && this.#isSafe();
    const measure = isSafe ? undefined : losses.measure();
    if (!isEnforced) return;
    if (isSafe || measure !== undefined) this.#continueFlatten();
    if (measure !== undefined) this.#judge(measure);
  }

  #judge(measure: LossMeasure): void {
    const { losses } = this.#parts;
    if (this.#hasResumed()) {
      losses.rebase();
      this.#since.clear();
      return;
    }
    const limits = this.#parts.limits();
    if (this.#since.size === 0 && isWithin(measure, limits)) {
      losses.setSafe(limits);
      return;
    }
    for (const limit of LIMITS) {
      if (this.#isHeld(limit, measure, limits)) this.#enforce(limit, measure, limits);
    }
  }

  /** Nothing is exceeded or latched, and the limits that held before hold at the present equity. */
  #isSafe(): boolean {
    const { losses, limits } = this.#parts;
    return this.#since.size === 0 && losses.latched.length === 0 && losses.isSafe(limits());
  }

  /** A person, or in a backtest a new day, has ended a latched limit. */
  #hasResumed(): boolean {
    const { losses, tradingState, limits, isBacktest } = this.#parts;
    const { day, latched } = losses;
    const isNewDay = day !== this.#day;
    this.#day = day;
    if (latched.length === 0) return false;
    if (isBacktest && limits().rearm === 'next_day' && isNewDay) {
      for (const control of latched) tradingState.lift(control, undefined, 'a new venue day');
    }
    return latched.some((control) => tradingState.restriction(control) === undefined);
  }

  #isHeld(limit: LossLimit, measure: LossMeasure, limits: LossLimits): boolean {
    const { stamp, requests, isBacktest } = this.#parts;
    const { name } = limit;
    if (!isExceeded(limit, measure, limits)) {
      this.#since.delete(name);
      return false;
    }
    const holdMs = isBacktest ? 0 : limits.hardHoldMs;
    const since = this.#since.get(name);
    if (since !== undefined) return stamp.monotonic - since >= holdMs;
    this.#since.set(name, stamp.monotonic);
    if (holdMs === 0) return true;
    requests.after(holdMs, () => {
      this.check();
    });
    return false;
  }

  /** The text is built once for each stop: a backtest meets an exceeded limit at each later candle. */
  #enforce(limit: LossLimit, measure: LossMeasure, limits: LossLimits): void {
    const { tradingState, losses, cancelEntries } = this.#parts;
    const { control } = limit;
    const restriction = tradingState.restriction(control);
    if (restriction?.class !== 'latching') {
      const cause = textOf(limit, measure, limits);
      tradingState.restrict({ control, to: 'REDUCE_ONLY', class: 'latching', cause });
      losses.onLatched(control);
      cancelEntries();
      // The journal keeps the text alone: by it a restart knows which limit has latched the control.
    } else if (limit.flattens && !restriction.cause.startsWith(limit.what))
      tradingState.replaceCause(control, textOf(limit, measure, limits));
    if (limit.flattens && this.#hasToFlatten()) {
      const commandId = controlCommandId(control, tradingDayText(this.#day ?? 0));
      this.#parts.flatten().start(commandId, `${control}: ${textOf(limit, measure, limits)}`);
    }
  }

  #hasToFlatten(): boolean {
    const flatten = this.#parts.flatten();
    return !flatten.isActive && this.#parts.positions.ownPositions().length > 0;
  }

  /** The retries of a flatten are monotonic timers, which a backtest has not. */
  #continueFlatten(): void {
    if (!this.#parts.isBacktest) return;
    const flatten = this.#parts.flatten();
    if (!flatten.isActive) return;
    flatten.checkFlat();
    flatten.continueClosing();
  }
}

/** The hard limit comes before the soft one: a loss beyond both is latched with the cause of its flatten. */
const LIMITS: readonly LossLimit[] = [
  {
    name: 'hard',
    control: 'R19',
    flattens: true,
    what: 'loss of the venue day (hard limit)',
    loss: ({ dayLoss }) => dayLoss,
    base: ({ dayStart }) => dayStart,
    share: ({ maxDayShare }) => maxDayShare.hard,
  },
  {
    name: 'soft',
    control: 'R19',
    flattens: false,
    what: 'loss of the venue day (soft limit)',
    loss: ({ dayLoss }) => dayLoss,
    base: ({ dayStart }) => dayStart,
    share: ({ maxDayShare }) => maxDayShare.soft,
  },
  {
    name: 'drawdown',
    control: 'R21',
    flattens: true,
    what: 'drawdown from the highest equity',
    loss: ({ drawdown }) => drawdown,
    base: ({ highWater }) => highWater,
    share: ({ maxDrawdownShare }) => maxDrawdownShare,
  },
];

const isExceeded = (limit: LossLimit, measure: LossMeasure, limits: LossLimits): boolean =>
  compareProducts(limit.loss(measure), ONE, limit.share(limits), limit.base(measure)) > 0;

/** Every limit holds, as at nearly every event. */
function isWithin(measure: LossMeasure, limits: LossLimits): boolean {
  for (const limit of LIMITS) if (isExceeded(limit, measure, limits)) return false;
  return true;
}

const textOf = (limit: LossLimit, measure: LossMeasure, limits: LossLimits): string => {
  const [loss, base] = [limit.loss(measure), limit.base(measure)];
  const percent = (part: Fixed, whole: Fixed): string =>
    whole <= 0 ? '100' : proportionText(part, WHOLE_PERCENT, whole);
  return (
    `${limit.what}: ${textFromFixed(loss)} of ${textFromFixed(base)}, ` +
    `${percent(loss, base)} %, limit ${percent(limit.share(limits), ONE)} %` +
    (limit.flattens ? '; the positions are closed' : '')
  );
};
