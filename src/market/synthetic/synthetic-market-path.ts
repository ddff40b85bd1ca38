import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import { hashPair, hashText, mix, unit } from '../../core/integer-hash.js';
import type { SandboxListing } from './listings.js';
import { ExtremesFinder, type Wave } from './market-extremes.js';
import { keyedHash, valueNoise } from './market-noise.js';
import { cleanVolume, SECOND_MS, type PriceKind } from './market.js';

/** Octave k changes over 2^k minutes: from one minute to eleven days. */
const OCTAVES = 15;
const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_DAY = 1_440;
/** Weights of the noise inside a minute, relative to the one-minute octave. */
const LAST_FINE = { tenSeconds: 0.35, second: 0.12 };
const MARK_FINE = { tenSeconds: 0.15, second: 0 };
/** The mark price deviates from the last price by up to this fraction, over about an hour. */
const MARK_OFFSET = 0.0001;
const MARK_OFFSET_POWER = 6;
/** Average turnover of a minute, USDT. */
const MINUTE_TURNOVER = 1_200_000;

/** Highest and lowest level of a range of minutes, and its volume in lots. */
interface PriceExtent {
  readonly high: number;
  readonly low: number;
  readonly lots: number;
}

/** The last or mark price of one symbol. Times are whole seconds or minutes since the epoch. */
export class PricePath {
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
  readonly #extremes: ExtremesFinder;
  readonly #days = new Map<number, PriceExtent>();
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
    this.#extremes = new ExtremesFinder({
      waves: this.#waves(),
      tenSeconds: { key: this.#keyTenSeconds, amplitude: this.#tenSeconds },
      second: { key: this.#keySecond, amplitude: this.#oneSecond },
      coarse: (minute) => this.#coarse(minute),
    });
  }

  /** The waves whose sum is `#coarse`. */
  #waves(): readonly Wave[] {
    const octaves = this.#keys.map((key, power) => ({
      key,
      amplitude: this.#amplitudes[power] as number,
      power,
    }));
    const offset = { key: this.#keyOffset, amplitude: MARK_OFFSET, power: MARK_OFFSET_POWER };
    return this.#isMark ? [...octaves, offset] : octaves;
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

  /** The candle of the minutes `from ≤ m < to`. */
  span(from: number, to: number): Candle {
    const open = this.#level(from * SECONDS_PER_MINUTE - 1);
    const close = this.#level(to * SECONDS_PER_MINUTE - 1);
    const { high, low, lots } = this.#extentOf(from, to, open, close);
    return {
      openTime: from * MINUTE_MS,
      open: this.#round(open),
      high: this.#round(high),
      low: this.#round(low),
      close: this.#round(close),
      volume: cleanVolume(lots / this.#lotsPerUnit),
    };
  }

  /** Whole days are cached: weeks and months consist of them. */
  #extentOf(from: number, to: number, open: number, close: number): PriceExtent {
    let high = Math.max(open, close);
    let low = Math.min(open, close);
    let lots = 0;
    for (let at = from; at < to;) {
      const day = Math.floor(at / MINUTES_PER_DAY);
      const end = Math.min(to, (day + 1) * MINUTES_PER_DAY);
      const isWhole = at === day * MINUTES_PER_DAY && end === (day + 1) * MINUTES_PER_DAY;
      const part = isWhole ? this.#day(day) : this.#scanMinutes(at, end, high, low);
      high = Math.max(high, part.high);
      low = Math.min(low, part.low);
      lots += part.lots;
      at = end;
    }
    return { high, low, lots };
  }

  #day(day: number): PriceExtent {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const from = day * MINUTES_PER_DAY;
    const level = this.#level(from * SECONDS_PER_MINUTE);
    const extent = this.#scanMinutes(from, from + MINUTES_PER_DAY, level, level);
    this.#days.set(day, extent);
    return extent;
  }

  /** @param high, low levels already known of the range */
  #scanMinutes(from: number, to: number, high: number, low: number): PriceExtent {
    let lots = 0;
    for (let minute = from; minute < to; minute += 1) lots += this.#lots(minute);
    return {
      high: this.#extremes.highest(from, to, high),
      low: this.#extremes.lowest(from, to, low),
      lots,
    };
  }

  /** Level: relative distance from the reference price. */
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

  /** The level without fine noise at a minute's start. Linear until the next: all knots are minutes. */
  #coarse(minute: number): number {
    let sum = 0;
    for (let octave = 0; octave < OCTAVES; octave += 1) {
      const amplitude = this.#amplitudes[octave] as number;
      sum += amplitude * valueNoise(this.#keys[octave] as number, minute, 1 << octave);
    }
    if (!this.#isMark) return sum;
    return sum + MARK_OFFSET * valueNoise(this.#keyOffset, minute, 1 << MARK_OFFSET_POWER);
  }

  #fine(second: number): number {
    return this.#extremes.fine(second);
  }

  /** Whole lots traded in a minute: 0.25 to 1.75 times the mean. */
  #lots(minute: number): number {
    if (this.#isMark) return 0;
    return Math.floor(this.#meanLots * (0.25 + 1.5 * unit(keyedHash(this.#keyVolume, minute))));
  }

  #cumulativeLots(minute: number, index: number): number {
    return Math.floor((this.#lots(minute) * (index + 1)) / SECONDS_PER_MINUTE);
  }

  /** Price of a level. Monotonic, so that the extreme level gives the extreme price. */
  #round(level: number): number {
    const price = this.#listing.referencePrice * (1 + level);
    return Math.max(1, Math.round(price * this.#ticks)) / this.#ticks;
  }
}
