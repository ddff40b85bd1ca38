import type { EventTime } from '../../core/events.js';
import {
  fixed,
  ONE,
  SCALE,
  textFromFixed,
  type Fixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
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
  readonly flatten: () => Flatten;
  /** Cancels entries that have not filled. */
  readonly cancelEntries: () => void;
  /** false: losses are measured, and nothing follows. */
  readonly isEnforced: boolean;
  /** A backtest: a candle is longer than the hold, and a latched limit may end with the venue day. */
  readonly isBacktest: boolean;
}

/** A limit, its value and its base. */
interface LossBreach {
  readonly name: 'soft' | 'hard' | 'drawdown';
  readonly control: ControlId;
  readonly value: Fixed;
  readonly base: Fixed;
  readonly share: Ratio;
  readonly flattens: boolean;
  readonly what: string;
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
  readonly #since = new Map<LossBreach['name'], number>();
  #day: number | undefined;

  constructor(parts: LossLimiterParts) {
    this.#parts = parts;
  }

  /** After every event that may change equity or prices. */
  check(): void {
    const { losses, isEnforced, isBacktest } = this.#parts;
    const measure = losses.measure();
    if (!isEnforced || measure === undefined) return;
    if (isBacktest) this.#continueFlatten();
    if (this.#hasResumed()) {
      losses.rebase();
      this.#since.clear();
      return;
    }
    const limits = this.#parts.limits();
    if (this.#since.size === 0 && isWithin(measure, limits)) return;
    for (const limit of limitsOf(measure, limits)) {
      if (this.#isHeld(limit)) this.#enforce(limit);
    }
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

  #isHeld({ name, value, base, share }: LossBreach): boolean {
    const { stamp, requests, limits, isBacktest } = this.#parts;
    if (compareProducts(value, ONE, share, base) <= 0) {
      this.#since.delete(name);
      return false;
    }
    const holdMs = isBacktest ? 0 : limits().hardHoldMs;
    const since = this.#since.get(name);
    if (since !== undefined) return stamp.monotonic - since >= holdMs;
    this.#since.set(name, stamp.monotonic);
    if (holdMs === 0) return true;
    requests.after(holdMs, () => {
      this.check();
    });
    return false;
  }

  #enforce(limit: LossBreach): void {
    const { tradingState, losses, cancelEntries } = this.#parts;
    const { control } = limit;
    const cause = textOf(limit);
    if (tradingState.restriction(control)?.class !== 'latching') {
      tradingState.restrict({ control, to: 'REDUCE_ONLY', class: 'latching', cause });
      losses.onLatched(control);
      cancelEntries();
    }
    if (limit.flattens) this.#flatten(control, cause);
  }

  /** The retries of a flatten are monotonic timers, which a backtest has not. */
  #continueFlatten(): void {
    const flatten = this.#parts.flatten();
    if (!flatten.isActive) return;
    flatten.checkFlat();
    flatten.continueClosing();
  }

  #flatten(control: ControlId, cause: string): void {
    const flatten = this.#parts.flatten();
    if (flatten.isActive || flatten.remainingPositions().length === 0) return;
    const commandId = controlCommandId(control, tradingDayText(this.#day ?? 0));
    flatten.start(commandId, `${control}: ${cause}`);
  }
}

/** Every limit holds, as at nearly every event: three comparisons, without a list. */
function isWithin(
  { dayLoss, dayStart, drawdown, highWater }: LossMeasure,
  { maxDayShare, maxDrawdownShare }: LossLimits,
): boolean {
  return (
    compareProducts(dayLoss, ONE, maxDayShare.soft, dayStart) <= 0 &&
    compareProducts(dayLoss, ONE, maxDayShare.hard, dayStart) <= 0 &&
    compareProducts(drawdown, ONE, maxDrawdownShare, highWater) <= 0
  );
}

const limitsOf = (measure: LossMeasure, limits: LossLimits): readonly LossBreach[] => {
  const { dayLoss, dayStart, drawdown, highWater } = measure;
  const day = { control: 'R19', value: dayLoss, base: dayStart } as const;
  const { soft, hard } = limits.maxDayShare;
  const what = 'loss of the venue day';
  return [
    { ...day, name: 'soft', share: soft, flattens: false, what: `${what} (soft limit)` },
    { ...day, name: 'hard', share: hard, flattens: true, what: `${what} (hard limit)` },
    {
      name: 'drawdown',
      control: 'R21',
      value: drawdown,
      base: highWater,
      share: limits.maxDrawdownShare,
      flattens: true,
      what: 'drawdown from the highest equity',
    },
  ];
};

const textOf = ({ what, value, base, share }: LossBreach): string => {
  const percent = (part: Fixed, whole: Fixed): string =>
    whole <= 0 ? '100' : proportionText(part, WHOLE_PERCENT, whole);
  return (
    `${what}: ${textFromFixed(value)} of ${textFromFixed(base)}, ` +
    `${percent(value, base)} %, limit ${percent(share, ONE)} %`
  );
};
