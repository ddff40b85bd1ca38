import {
  add,
  isGreater,
  isLess,
  larger,
  proportion,
  smaller,
  subtract,
  ZERO,
  type Amount,
  type Usdt,
} from '../../core/fixed/fixed.js';
import type { LossLimits } from '../limits/loss-limits.js';
import type { ControlId } from '../control-id.js';

const NONE = ZERO as Amount;

/** Counters of losses and turnover, as the journal keeps them. Amounts are in the wallet's currency. */
export interface LossCounters {
  /** Start of the venue day that is counted, ms UTC. It never steps back. */
  readonly day: number;
  /** Equity at the start of the day: the base of its limits. */
  readonly dayStart: Amount;
  /** Highest equity, adjusted for transfers. */
  readonly highWater: Amount;
  /** Net deposits of the day, at least 0. They raise no limit before the next day. */
  readonly deposits: Amount;
  /** Notional of our fills of the day, USDT. */
  readonly turnover: Usdt;
  /** Orders of the day that passed the gate. */
  readonly orders: number;
  /** Positions of ours in a row that closed at a loss. */
  readonly losingCloses: number;
  /** Venue ms until which a losing streak pauses entries. */
  readonly pausedUntil?: number;
  /** Controls whose limit was exceeded, until a person resumes. */
  readonly latched: readonly ControlId[];
}

/** Equity against the day's start and against its highest value. */
export interface LossMeasure {
  /** Below 0: a profit. */
  readonly dayLoss: Amount;
  /** Equity at the start of the day. */
  readonly dayStart: Amount;
  /** At least 0. */
  readonly drawdown: Amount;
  readonly highWater: Amount;
}

/**
 * Losses of an account by exact arithmetic, without a clock. Equity is balance, locked margin and
 * unrealised PnL, so that fees, funding and GST are in it as soon as the venue books them.
 *
 * Transfers are neither profit nor loss. A deposit is subtracted until the next day, so that it raises no
 * limit before. A withdrawal first undoes deposits of the day; the rest scales the day's start and the high
 * water with the equity, so that the loss in percent stays, and a withdrawal breaches no limit.
 */
export class LossLedger {
  #day: number;
  #dayStart: Amount;
  #highWater: Amount;
  #deposits: Amount;
  #turnover: Usdt;
  #orders: number;
  #losingCloses: number;
  #pausedUntil: number | undefined;
  #latched: readonly ControlId[];
  /** The lowest adjusted equity within all limits at the present bases; undefined: none is known. */
  #safe: Amount | undefined;
  /** The limits that `#safe` was compared with. */
  #safeLimits: LossLimits | undefined;

  constructor(counters: LossCounters) {
    this.#day = counters.day;
    this.#dayStart = counters.dayStart;
    this.#highWater = counters.highWater;
    this.#deposits = counters.deposits;
    this.#turnover = counters.turnover;
    this.#orders = counters.orders;
    this.#losingCloses = counters.losingCloses;
    this.#pausedUntil = counters.pausedUntil;
    this.#latched = counters.latched;
  }

  /** Counting begins: no loss so far. */
  static begin(equity: Amount, day: number): LossLedger {
    return new LossLedger({
      day,
      dayStart: equity,
      highWater: equity,
      deposits: NONE,
      turnover: ZERO as Usdt,
      orders: 0,
      losingCloses: 0,
      latched: [],
    });
  }

  /** A copy. */
  get counters(): LossCounters {
    const pausedUntil = this.#pausedUntil;
    return {
      day: this.#day,
      dayStart: this.#dayStart,
      highWater: this.#highWater,
      deposits: this.#deposits,
      turnover: this.#turnover,
      orders: this.#orders,
      losingCloses: this.#losingCloses,
      latched: this.#latched,
      ...(pausedUntil !== undefined && { pausedUntil }),
    };
  }

  get day(): number {
    return this.#day;
  }

  get highWater(): Amount {
    return this.#highWater;
  }

  get turnover(): Usdt {
    return this.#turnover;
  }

  get orders(): number {
    return this.#orders;
  }

  get losingCloses(): number {
    return this.#losingCloses;
  }

  get pausedUntil(): number | undefined {
    return this.#pausedUntil;
  }

  get latched(): readonly ControlId[] {
    return this.#latched;
  }

  /**
   * Whether an equity lies between one that was within all limits and the high water: each loss is then smaller than
   * that one's. Most events need no other comparison.
   */
  isSafe(equity: Amount, limits: LossLimits): boolean {
    if (this.#safe === undefined || limits !== this.#safeLimits) return false;
    const adjusted = subtract(equity, this.#deposits);
    return !isLess(adjusted, this.#safe) && !isGreater(adjusted, this.#highWater);
  }

  /** This equity is within all limits. */
  setSafe(equity: Amount, limits: LossLimits): void {
    if (limits !== this.#safeLimits) this.#safe = undefined;
    this.#safeLimits = limits;
    const adjusted = subtract(equity, this.#deposits);
    if (this.#safe === undefined || isLess(adjusted, this.#safe)) this.#safe = adjusted;
  }

  /**
   * Compares an equity; a new highest one becomes the high water.
   * @param lowest the least that an uncertain equity may be: only that can be a new high water. Default: the equity
   */
  measure(equity: Amount, lowest = equity): LossMeasure {
    const adjusted = subtract(equity, this.#deposits);
    const least = lowest === equity ? adjusted : subtract(lowest, this.#deposits);
    if (isGreater(least, this.#highWater)) {
      this.#highWater = least;
      this.#safe = undefined;
    }
    const dayStart = this.#dayStart;
    const highWater = this.#highWater;
    return {
      dayLoss: subtract(dayStart, adjusted),
      dayStart,
      drawdown: isGreater(adjusted, highWater) ? NONE : subtract(highWater, adjusted),
      highWater,
    };
  }

  /** A later venue day begins at this equity. An earlier or equal day changes nothing. */
  startDay(day: number, equity: Amount): void {
    if (day <= this.#day) return;
    this.#day = day;
    this.#dayStart = equity;
    this.#highWater = larger(add(this.#highWater, this.#deposits), equity);
    this.#deposits = NONE;
    this.#safe = undefined;
    this.#turnover = ZERO as Usdt;
    this.#orders = 0;
  }

  deposit(amount: Amount): void {
    this.#deposits = add(this.#deposits, amount);
  }

  /** @param equityBefore equity before the withdrawal */
  withdraw(amount: Amount, equityBefore: Amount): void {
    const undone = smaller(amount, this.#deposits);
    this.#deposits = subtract(this.#deposits, undone);
    const rest = subtract(amount, undone);
    if (rest === 0) return;
    const before = subtract(equityBefore, undone);
    const after = subtract(before, rest);
    if (after <= 0) {
      this.#restart(after);
      return;
    }
    this.#dayStart = proportion(this.#dayStart, after, before);
    this.#highWater = proportion(this.#highWater, after, before);
  }

  /** A limit is exceeded until a person resumes. */
  latch(control: ControlId): void {
    if (!this.#latched.includes(control)) this.#latched = [...this.#latched, control];
  }

  /** A person accepts the losses so far: the day and the high water begin at this equity. */
  rebase(equity: Amount): void {
    this.#restart(equity);
    this.#losingCloses = 0;
    this.#latched = [];
    this.#pausedUntil = undefined;
  }

  /** An order passed the gate. */
  countOrder(): void {
    this.#orders += 1;
  }

  countFill(notional: Usdt): void {
    this.#turnover = add(this.#turnover, notional);
  }

  /**
   * A position of ours is flat.
   * @param profit realised since it was opened, with fees
   * @param pause a streak of this many losses pauses entries until a venue time, ms
   * @returns whether the pause begins
   */
  countClose(
    profit: Usdt,
    pause: { readonly losses: number; readonly until: number } | undefined,
  ): boolean {
    const losing = isLess(profit, ZERO) ? this.#losingCloses + 1 : 0;
    const isPause = pause !== undefined && losing >= pause.losses;
    this.#losingCloses = isPause ? 0 : losing;
    if (isPause) this.#pausedUntil = pause.until;
    return isPause;
  }

  #restart(equity: Amount): void {
    this.#dayStart = equity;
    this.#highWater = equity;
    this.#deposits = NONE;
    this.#safe = undefined;
  }
}
