import { signedUnit } from '../../core/integer-hash.js';
import { keyedHash, valueNoise } from './market-noise.js';

/** Noise that is linear between knots every 2^power minutes. */
export interface Wave {
  readonly key: number;
  readonly amplitude: number;
  readonly power: number;
}

interface FineNoise {
  readonly key: number;
  readonly amplitude: number;
}

export interface MinuteExtremesOptions {
  readonly waves: readonly Wave[];
  /** Inside the minute: knots every ten seconds, and one a second. */
  readonly tenSeconds: FineNoise;
  readonly second: FineNoise;
  /** The sum of the waves at a minute's start; linear until the next. */
  readonly coarse: (minute: number) => number;
}

const TOP = 15;
const TEN_SECONDS = 10;
const SEGMENTS = 6;
const SECONDS_PER_MINUTE = 60;
/** So few minutes are scanned one by one, which is cheaper than branch and bound. */
const FEW_MINUTES = 8;
/** Bounds and levels are summed in another order. Far above the rounding error of that. */
const SLACK = 1e-12;

/**
 * Finds the highest and lowest level of a range, to the second, without scanning it (branch and bound).
 * In a block of 2^k minutes every wave of period 2^k or more is linear. So the ends of the block and
 * the amplitudes of the shorter waves bound its levels. A block that cannot exceed the best level so
 * far is skipped, any other is halved.
 */
export class ExtremesFinder {
  readonly #parts: MinuteExtremesOptions;
  /** By power. */
  readonly #waves: readonly (readonly Wave[])[];
  /** By power: the amplitude of all shorter waves and of the noise inside the minute. */
  readonly #residualAmplitude: readonly number[];
  #from = 0;
  #to = 0;
  #sign = 1;
  #best = 0;

  constructor(parts: MinuteExtremesOptions) {
    this.#parts = parts;
    this.#waves = Array.from({ length: TOP + 1 }, (_, power) =>
      parts.waves.filter((wave) => wave.power === power),
    );
    const inside = parts.tenSeconds.amplitude + parts.second.amplitude;
    this.#residualAmplitude = this.#waves.map((_, power) =>
      parts.waves
        .filter((wave) => wave.power < power)
        .reduce((sum, wave) => sum + wave.amplitude, inside),
    );
  }

  /** Highest level of the minutes `from ≤ m < to`; at least `atLeast`. */
  highest(from: number, to: number, atLeast: number): number {
    return this.#search(from, to, 1, atLeast);
  }

  lowest(from: number, to: number, atMost: number): number {
    return -this.#search(from, to, -1, -atMost);
  }

  /** The noise inside the minute at a second. */
  fine(second: number): number {
    const { tenSeconds, second: one } = this.#parts;
    const slow = tenSeconds.amplitude * valueNoise(tenSeconds.key, second, TEN_SECONDS);
    if (one.amplitude === 0) return slow;
    return slow + one.amplitude * valueNoise(one.key, second, 1);
  }

  #search(from: number, to: number, sign: number, known: number): number {
    this.#from = from;
    this.#to = to;
    this.#sign = sign;
    this.#best = known;
    if (to - from <= FEW_MINUTES) {
      for (let minute = from; minute < to; minute += 1) this.#minute(minute);
      return this.#best;
    }
    const size = 1 << TOP;
    for (let at = Math.floor(from / size) * size; at < to; at += size) this.#block(TOP, at, 0, 0);
    return this.#best;
  }

  /** @param first, last sums of the longer waves at the two ends of the block */
  #block(power: number, at: number, first: number, last: number): void {
    const size = 1 << power;
    if (at + size <= this.#from || at >= this.#to) return;
    const start = first + this.#knot(power, at);
    const end = last + this.#knot(power, at + size);
    if (Math.max(start, end) + (this.#residualAmplitude[power] as number) + SLACK <= this.#best)
      return;
    if (power === 0) {
      this.#minute(at);
      return;
    }
    const middle = (start + end) / 2;
    const half = size / 2;
    if (start >= end) {
      this.#block(power - 1, at, start, middle);
      this.#block(power - 1, at + half, middle, end);
    } else {
      this.#block(power - 1, at + half, middle, end);
      this.#block(power - 1, at, start, middle);
    }
  }

  /** Sum of the waves of one power at one of their knots. */
  #knot(power: number, at: number): number {
    let sum = 0;
    for (const { key, amplitude } of this.#waves[power] as readonly Wave[]) {
      sum += amplitude * signedUnit(keyedHash(key, at / (1 << power)));
    }
    return this.#sign * sum;
  }

  #minute(minute: number): void {
    const { coarse, tenSeconds, second } = this.#parts;
    const start = coarse(minute);
    const slope = coarse(minute + 1) - start;
    const firstKnot = minute * SEGMENTS;
    let from = start + tenSeconds.amplitude * signedUnit(keyedHash(tenSeconds.key, firstKnot));
    for (let segment = 0; segment < SEGMENTS; segment += 1) {
      const knot = signedUnit(keyedHash(tenSeconds.key, firstKnot + segment + 1));
      const to = start + (slope * (segment + 1)) / SEGMENTS + tenSeconds.amplitude * knot;
      const bound = Math.max(this.#sign * from, this.#sign * to) + second.amplitude + SLACK;
      if (bound > this.#best) this.#seconds(minute, segment * TEN_SECONDS, start, slope);
      from = to;
    }
  }

  /** Every second, in the same order of additions as the price. */
  #seconds(minute: number, fromStep: number, start: number, slope: number): void {
    for (let step = fromStep; step < fromStep + TEN_SECONDS; step += 1) {
      const level = start + (slope * step) / SECONDS_PER_MINUTE;
      const total = this.#sign * (level + this.fine(minute * SECONDS_PER_MINUTE + step));
      if (total > this.#best) this.#best = total;
    }
  }
}
