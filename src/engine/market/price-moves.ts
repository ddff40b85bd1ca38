import { fixedFromNumber, type Ratio } from '../../core/fixed/fixed.js';
import type { PriceJump } from '../../risk/facts.js';

/** Venue ms. */
const JUMP_WITHIN_MS = 1_000;
const JUMP_KEPT_MS = 60_000;
const MINUTE_MS = 60_000;
const VOLATILE_KEPT_MS = 5 * MINUTE_MS;
const AVERAGED_MINUTES = 60;
/** The averaged minutes before the oldest minute that still counts, and those up to now. */
const MAX_MINUTES = AVERAGED_MINUTES + 2 + VOLATILE_KEPT_MS / MINUTE_MS;
/** A minute with a smaller range, as a fraction of its price, is quiet after any hour. */
const QUIET_RANGE = 0.0025;

interface Tick {
  readonly at: number;
  readonly price: number;
}

interface Jump {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

interface Minute {
  readonly openTime: number;
  high: number;
  low: number;
}

interface SymbolMoves {
  /** Of the last second. */
  readonly ticks: Tick[];
  /** Of the last minute, the largest first; a jump ends each smaller one before it. */
  readonly jumps: Jump[];
  /** Ascending by open time. */
  readonly minutes: Minute[];
  /** Unset after a change of `minutes`. */
  volatility: Volatility | undefined;
}

/** A computed volatility. */
interface Volatility {
  readonly value: Ratio | undefined;
  /** Open time of the first minute that it counts: later venue times count fewer. */
  readonly first: number;
  readonly computedAt: number;
}

/** Jumps and ranges of each symbol's last price, on venue time (controls R38 and R43). */
export class PriceMoves {
  readonly #symbols = new Map<string, SymbolMoves>();

  /** @param price above 0; others are ignored */
  onPrice(symbol: string, price: number, venueTime: number): void {
    if (!(price > 0)) return;
    const { ticks, jumps } = this.#of(symbol);
    const at = Math.max(venueTime, ticks.at(-1)?.at ?? -Infinity);
    dropBefore(ticks, at - JUMP_WITHIN_MS);
    const jump = largestJump(ticks, { at, price });
    ticks.push({ at, price });
    if (jump !== undefined) {
      dropBefore(jumps, at - JUMP_KEPT_MS);
      while ((jumps.at(-1)?.size ?? Infinity) <= jump.size) jumps.pop();
      jumps.push(jump);
    }
    this.#widen(symbol, at - (at % MINUTE_MS), price, price);
  }

  /** A candle of one minute. */
  onMinute(symbol: string, openTime: number, high: number, low: number): void {
    this.#widen(symbol, openTime, high, low);
  }

  /** The largest jump of the last minute; undefined: no two prices within a second. */
  jump(symbol: string, venueTime: number): PriceJump | undefined {
    const jump = this.#symbols.get(symbol)?.jumps.find(({ at }) => at >= venueTime - JUMP_KEPT_MS);
    if (jump === undefined) return undefined;
    return { from: fixedFromNumber(jump.from), to: fixedFromNumber(jump.to) };
  }

  /**
   * The largest range of the running minute and of those that closed within 5 min, each ÷ the average range of
   * the 60 known minutes before it. undefined while fewer are known.
   */
  volatility(symbol: string, venueTime: number): Ratio | undefined {
    const moves = this.#symbols.get(symbol);
    if (moves === undefined || moves.minutes.length <= AVERAGED_MINUTES) return undefined;
    const since = venueTime - VOLATILE_KEPT_MS - MINUTE_MS;
    const { volatility } = moves;
    if (volatility !== undefined && venueTime >= volatility.computedAt && volatility.first > since)
      return volatility.value;
    moves.volatility = { ...volatilityOf(moves.minutes, since), computedAt: venueTime };
    return moves.volatility.value;
  }

  #widen(symbol: string, openTime: number, high: number, low: number): void {
    const moves = this.#of(symbol);
    if (widen(moves.minutes, openTime, high, low)) moves.volatility = undefined;
  }

  #of(symbol: string): SymbolMoves {
    let moves = this.#symbols.get(symbol);
    if (moves === undefined) {
      moves = { ticks: [], jumps: [], minutes: [], volatility: undefined };
      this.#symbols.set(symbol, moves);
    }
    return moves;
  }
}

/** @param since open time, exclusive, from which minutes count */
function volatilityOf(
  minutes: readonly Minute[],
  since: number,
): Pick<Volatility, 'value' | 'first'> {
  let sum = 0;
  let first = Infinity;
  let largest = 0;
  for (const [index, minute] of minutes.entries()) {
    const range = minute.high - minute.low;
    if (index >= AVERAGED_MINUTES && minute.openTime > since) {
      const isQuiet = range < QUIET_RANGE * minute.low;
      const ratio = isQuiet || sum <= 0 ? 0 : (range * AVERAGED_MINUTES) / sum;
      largest = Math.max(largest, ratio);
      first = Math.min(first, minute.openTime);
    }
    const past = minutes[index - AVERAGED_MINUTES];
    sum += range - (past === undefined ? 0 : past.high - past.low);
  }
  return { value: first === Infinity ? undefined : fixedFromNumber(largest), first };
}

function largestJump(ticks: readonly Tick[], { at, price }: Tick): Jump | undefined {
  let jump: Jump | undefined;
  for (const { price: from } of ticks) {
    const size = Math.abs(price - from) / from;
    if (jump === undefined || size > jump.size) jump = { at, from, to: price, size };
  }
  return jump;
}

function dropBefore(list: { readonly at: number }[], at: number): void {
  while (list[0] !== undefined && list[0].at < at) list.shift();
}

/** Candles and prices of one minute arrive in any order. @returns whether anything changes */
function widen(minutes: Minute[], openTime: number, high: number, low: number): boolean {
  let index = minutes.length;
  while (index > 0 && (minutes[index - 1]?.openTime ?? openTime) > openTime) index -= 1;
  const same = minutes[index - 1];
  if (same?.openTime === openTime) {
    if (high <= same.high && low >= same.low) return false;
    same.high = Math.max(same.high, high);
    same.low = Math.min(same.low, low);
    return true;
  }
  minutes.splice(index, 0, { openTime, high, low });
  if (minutes.length > MAX_MINUTES) minutes.shift();
  return true;
}
