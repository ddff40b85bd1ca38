import type { Candle } from '../core/candle.js';
import { numberFromFixed } from '../core/fixed.js';
import { hashPair, hashText, mix, signedUnit, unit } from './integer-hash.js';
import type { SandboxListing } from './listings.js';
import { cleanVolume, MINUTE_MS, SECOND_MS, type Market, type PriceKind } from './market.js';

/** Octave k changes over 2^k minutes: from one minute to eleven days. */
const OCTAVES = 15;
const SECONDS_PER_MINUTE = 60;
const TEN_SECONDS = 10;
/** Weights of the noise inside a minute, relative to the one-minute octave. */
const LAST_FINE = { tenSeconds: 0.35, second: 0.12 };
const MARK_FINE = { tenSeconds: 0.15, second: 0 };
/** The mark price strays from the last by up to this fraction, over about an hour. */
const MARK_OFFSET = 0.0001;
const MARK_OFFSET_MINUTES = 64;
/** Average turnover of a minute, USDT. */
const MINUTE_TURNOVER = 1_200_000;
const LISTED_SINCE_MS = Date.UTC(2017, 0, 1);
const MEMO_LIMIT = 200_000;

/**
 * A market that is a pure function of (seed, symbol, time): a sum of hashed value noise at fifteen time
 * scales with amplitudes that grow with the square root of the scale (as a random walk's do), plus
 * noise inside the minute. Only + − × ÷ and integer hashes; any second costs the same.
 */
export function createSyntheticMarket(seed: number, listings: readonly SandboxListing[]): Market {
  const paths = new Map<string, PricePath>();
  for (const listing of listings) {
    const { symbol } = listing.instrument;
    paths.set(`last ${symbol}`, new PricePath(seed, listing, 'last'));
    paths.set(`mark ${symbol}`, new PricePath(seed, listing, 'mark'));
  }
  const memo = new Map<string, Candle>();
  const pathOf = (kind: PriceKind, symbol: string): PricePath | undefined =>
    paths.get(`${kind} ${symbol}`);

  return {
    symbols: listings.map((listing) => listing.instrument.symbol),
    firstMs: LISTED_SINCE_MS,
    priceAt: (kind, symbol, timeMs) =>
      timeMs < LISTED_SINCE_MS
        ? undefined
        : pathOf(kind, symbol)?.price(Math.floor(timeMs / SECOND_MS)),
    second: (kind, symbol, openMs) =>
      openMs < LISTED_SINCE_MS ? undefined : pathOf(kind, symbol)?.second(openMs / SECOND_MS),
    span(kind, symbol, fromMs, toMs) {
      const first = Math.max(fromMs, LISTED_SINCE_MS);
      const path = pathOf(kind, symbol);
      if (path === undefined || first >= toMs) return undefined;
      const key = `${kind} ${symbol} ${first} ${toMs}`;
      const known = memo.get(key);
      if (known !== undefined) return known;
      const candle = path.span(first / MINUTE_MS, toMs / MINUTE_MS);
      if (memo.size >= MEMO_LIMIT) memo.clear();
      memo.set(key, candle);
      return candle;
    },
  };
}

/** One symbol's last or mark price. Times are whole seconds or minutes since the epoch. */
class PricePath {
  readonly #listing: SandboxListing;
  /** 1 / price step: steps are powers of ten, so prices print as short decimals. */
  readonly #ticks: number;
  readonly #lotsPerUnit: number;
  readonly #meanLots: number;
  readonly #amplitudes: readonly number[];
  readonly #keys: readonly number[];
  readonly #tenSeconds: number;
  readonly #oneSecond: number;
  readonly #keyTenSeconds: number;
  readonly #keySecond: number;
  readonly #keyOffset: number;
  readonly #keyVolume: number;
  readonly #isMark: boolean;
  #memoMinute = -1;
  #memoStart = 0;
  #memoEnd = 0;

  constructor(seed: number, listing: SandboxListing, kind: PriceKind) {
    const { instrument, volatility } = listing;
    const key = hashPair(mix(seed), hashText(instrument.symbol));
    const fine = kind === 'last' ? LAST_FINE : MARK_FINE;
    const tickSize = numberFromFixed(instrument.priceStep);
    const lot = numberFromFixed(instrument.quantityStep);
    this.#listing = listing;
    this.#ticks = Math.round(1 / tickSize);
    this.#lotsPerUnit = Math.round(1 / lot);
    this.#meanLots = Math.max(60, Math.round(MINUTE_TURNOVER / listing.referencePrice / lot));
    this.#keys = Array.from({ length: OCTAVES }, (_, octave) => hashPair(key, octave));
    this.#amplitudes = this.#keys.map((_, octave) => volatility * Math.sqrt(1 << octave));
    this.#tenSeconds = volatility * fine.tenSeconds;
    this.#oneSecond = volatility * fine.second;
    this.#keyTenSeconds = hashPair(key, 100);
    this.#keySecond = hashPair(key, 101);
    this.#keyOffset = hashPair(key, 102);
    this.#keyVolume = hashPair(key, 103);
    this.#isMark = kind === 'mark';
  }

  price(second: number): number {
    return this.#round(this.#level(second));
  }

  second(second: number): Candle {
    const open = this.price(second - 1);
    const close = this.price(second);
    const minute = Math.floor(second / SECONDS_PER_MINUTE);
    const index = second - minute * SECONDS_PER_MINUTE;
    const volume = this.#cumulativeLots(minute, index) - this.#cumulativeLots(minute, index - 1);
    return {
      openTime: second * SECOND_MS,
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volume: cleanVolume(volume / this.#lotsPerUnit),
    };
  }

  /**
   * Candle of the minutes `from ≤ m < to`. The noise inside a minute is bounded, so only minutes
   * that could hold the extreme are walked second by second.
   */
  span(from: number, to: number): Candle {
    const starts = this.#coarseStarts(from, to);
    const open = this.#level(from * SECONDS_PER_MINUTE - 1);
    const close = this.#level(to * SECONDS_PER_MINUTE - 1);
    let high = Math.max(open, close);
    let low = Math.min(open, close);
    let lots = 0;
    for (let minute = from; minute < to; minute += 1) {
      lots += this.#lots(minute);
      const start = starts[minute - from] as number;
      const level = start + this.#fine(minute * SECONDS_PER_MINUTE);
      if (level > high) high = level;
      if (level < low) low = level;
    }
    const reach = this.#tenSeconds + this.#oneSecond;
    for (let index = 0; index < to - from; index += 1) {
      const start = starts[index] as number;
      const end = starts[index + 1] as number;
      if (Math.max(start, end) + reach <= high && Math.min(start, end) - reach >= low) continue;
      const firstSecond = (from + index) * SECONDS_PER_MINUTE;
      for (let step = 0; step < SECONDS_PER_MINUTE; step += 1) {
        const level = start + ((end - start) * step) / SECONDS_PER_MINUTE;
        const total = level + this.#fine(firstSecond + step);
        if (total > high) high = total;
        if (total < low) low = total;
      }
    }
    return {
      openTime: from * MINUTE_MS,
      open: this.#round(open),
      high: this.#round(high),
      low: this.#round(low),
      close: this.#round(close),
      volume: cleanVolume(lots / this.#lotsPerUnit),
    };
  }

  /** Relative distance from the reference price. */
  #level(second: number): number {
    const minute = Math.floor(second / SECONDS_PER_MINUTE);
    if (minute !== this.#memoMinute) {
      this.#memoStart = minute === this.#memoMinute + 1 ? this.#memoEnd : this.#coarse(minute);
      this.#memoEnd = this.#coarse(minute + 1);
      this.#memoMinute = minute;
    }
    const step = second - minute * SECONDS_PER_MINUTE;
    const start = this.#memoStart;
    const level = start + ((this.#memoEnd - start) * step) / SECONDS_PER_MINUTE;
    return level + this.#fine(second);
  }

  /** The slow part at a minute's start; linear until the next, as every octave's knots are minutes. */
  #coarse(minute: number): number {
    let sum = 0;
    for (let octave = 0; octave < OCTAVES; octave += 1) {
      const amplitude = this.#amplitudes[octave] as number;
      sum += amplitude * valueNoise(this.#keys[octave] as number, minute, 1 << octave);
    }
    if (!this.#isMark) return sum;
    return sum + MARK_OFFSET * valueNoise(this.#keyOffset, minute, MARK_OFFSET_MINUTES);
  }

  /** `#coarse` of every minute from `from` to `to` inclusive, bit for bit, at a fraction of the hashes. */
  #coarseStarts(from: number, to: number): Float64Array {
    const sums = new Float64Array(to - from + 1);
    for (let octave = 0; octave < OCTAVES; octave += 1) {
      const amplitude = this.#amplitudes[octave] as number;
      addNoise(sums, amplitude, this.#keys[octave] as number, from, 1 << octave);
    }
    if (this.#isMark) addNoise(sums, MARK_OFFSET, this.#keyOffset, from, MARK_OFFSET_MINUTES);
    return sums;
  }

  #fine(second: number): number {
    const slow = this.#tenSeconds * valueNoise(this.#keyTenSeconds, second, TEN_SECONDS);
    if (this.#oneSecond === 0) return slow;
    return slow + this.#oneSecond * valueNoise(this.#keySecond, second, 1);
  }

  /** Whole lots traded in a minute: 0.25 to 1.75 of the mean. */
  #lots(minute: number): number {
    if (this.#isMark) return 0;
    return Math.floor(this.#meanLots * (0.25 + 1.5 * unit(keyed(this.#keyVolume, minute))));
  }

  #cumulativeLots(minute: number, index: number): number {
    return Math.floor((this.#lots(minute) * (index + 1)) / SECONDS_PER_MINUTE);
  }

  /** Monotone, so that the extreme of the levels is the extreme of the prices. */
  #round(level: number): number {
    const price = this.#listing.referencePrice * (1 + level);
    return Math.max(1, Math.round(price * this.#ticks)) / this.#ticks;
  }
}

const keyed = (key: number, index: number): number => mix(key ^ Math.imul(index, 0x9e3779b1));

/** Linear between hashed knots every `period`; in −1 … 1. */
function valueNoise(key: number, at: number, period: number): number {
  const knot = Math.floor(at / period);
  const start = signedUnit(keyed(key, knot));
  const share = (at - knot * period) / period;
  if (share === 0) return start;
  return start + (signedUnit(keyed(key, knot + 1)) - start) * share;
}

/** Adds amplitude × `valueNoise` at `from`, `from` + 1, …: a knot is hashed once for its whole period. */
function addNoise(
  sums: Float64Array,
  amplitude: number,
  key: number,
  from: number,
  period: number,
): void {
  let knot = -1;
  let start = 0;
  let end = 0;
  for (let index = 0; index < sums.length; index += 1) {
    const at = from + index;
    if (knot < 0 || at >= (knot + 1) * period) {
      knot = Math.floor(at / period);
      start = signedUnit(keyed(key, knot));
      end = signedUnit(keyed(key, knot + 1));
    }
    const share = (at - knot * period) / period;
    const noise = share === 0 ? start : start + (end - start) * share;
    sums[index] = (sums[index] as number) + amplitude * noise;
  }
}
