import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/** An EMA, its EMA, and the EMA of that. Each is seeded when the previous one is warm, and NaN before. */
class EmaCascade {
  readonly #first: ExponentialSmoothing;
  readonly #second: ExponentialSmoothing;
  readonly #third: ExponentialSmoothing;
  once = NaN;
  twice = NaN;
  thrice = NaN;

  constructor(period: number) {
    this.#first = new ExponentialSmoothing(period);
    this.#second = new ExponentialSmoothing(period);
    this.#third = new ExponentialSmoothing(period);
  }

  push(input: number): void {
    this.once = this.#first.push(input);
    if (this.once === this.once) this.twice = this.#second.push(this.once);
    if (this.twice === this.twice) this.thrice = this.#third.push(this.twice);
  }
}

/**
 * Mulloy's double EMA: 2 × EMA − EMA of the EMA. Warm from input 2 × `period` − 1 on, as in TA-Lib.
 * Stock.Indicators seeds both at once and is warm earlier; the difference fades.
 */
export class DoubleExponentialMovingAverage implements Indicator {
  readonly name = 'dema';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #first: ExponentialSmoothing;
  #second: ExponentialSmoothing;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('dema', period);
    this.period = period;
    this.warmup = 2 * period - 1;
    this.#first = new ExponentialSmoothing(period);
    this.#second = new ExponentialSmoothing(period);
  }

  update(input: number): void {
    checkFinite('dema', input);
    this.#push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return this.value;
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#first = new ExponentialSmoothing(this.period);
    this.#second = new ExponentialSmoothing(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('dema', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const run = new DoubleExponentialMovingAverage(this.period);
    for (let row = first; row < inputs.length; row++) {
      run.#push(inputs[row] as number);
      column[row] = run.#value;
    }
    return column;
  }

  #push(input: number): void {
    const once = this.#first.push(input);
    if (once === once) this.#value = 2 * once - this.#second.push(once);
  }
}

/**
 * Mulloy's triple EMA: 3 × EMA − 3 × EMA of the EMA + EMA of that. Warm from input 3 × `period` − 2 on,
 * as in TA-Lib. Stock.Indicators seeds all three at once.
 */
export class TripleExponentialMovingAverage implements Indicator {
  readonly name = 'tema';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #cascade: EmaCascade;

  constructor(period: number) {
    checkPeriod('tema', period);
    this.period = period;
    this.warmup = 3 * period - 2;
    this.#cascade = new EmaCascade(period);
  }

  update(input: number): void {
    checkFinite('tema', input);
    this.#cascade.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return this.value;
  }

  get value(): number | undefined {
    const { once, twice, thrice } = this.#cascade;
    return undefinedIfNaN(3 * once - 3 * twice + thrice);
  }

  reset(): void {
    this.#cascade = new EmaCascade(this.period);
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('tema', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const cascade = new EmaCascade(this.period);
    for (let row = first; row < inputs.length; row++) {
      cascade.push(inputs[row] as number);
      column[row] = 3 * cascade.once - 3 * cascade.twice + cascade.thrice;
    }
    return column;
  }
}

/**
 * Hutson's TRIX: change of the EMA of the EMA of the EMA since the previous input, in percent. Warm from
 * input 3 × `period` − 1 on, as in TA-Lib. A change of 0 gives 0 (technicalindicators: no value).
 */
export class Trix implements Indicator {
  readonly name = 'trix';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #cascade: EmaCascade;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('trix', period);
    this.period = period;
    this.warmup = 3 * period - 1;
    this.#cascade = new EmaCascade(period);
  }

  update(input: number): void {
    checkFinite('trix', input);
    this.#push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return this.value;
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#cascade = new EmaCascade(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('trix', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const run = new Trix(this.period);
    for (let row = first; row < inputs.length; row++) {
      run.#push(inputs[row] as number);
      column[row] = run.#value;
    }
    return column;
  }

  #push(input: number): void {
    const before = this.#cascade.thrice;
    this.#cascade.push(input);
    const change = this.#cascade.thrice - before;
    this.#value = change === 0 ? 0 : (100 * change) / before;
  }
}
