import { hashPair, unit } from '../../core/integer-hash.js';

/** Paths of the profit: their 5 % and 95 % quantiles are the band. */
const PATHS = 1_000;
const LOW = Math.floor(0.05 * (PATHS - 1));
const HIGH = Math.ceil(0.95 * (PATHS - 1));

/** State of a band after some trades. Money is in the currency of the run. */
export interface BandState {
  readonly trades: number;
  /** Of the closed trades, before fees and funding. */
  readonly profit: number;
  /** Profit of each path, by its number. */
  readonly paths: readonly number[];
  /** The last trades in a row after which the profit lay outside the band. */
  readonly outside: number;
}

/**
 * The profit that closed trades would have if their results came from a backtest: 1,000 paths, each of which draws
 * the result of every trade from those of the backtest, with replacement. The same trades give the same band.
 */
export class ProfitBand {
  readonly #results: Float64Array;
  readonly #paths: Float64Array;
  #trades: number;
  #profit: number;
  #outside: number;

  /**
   * @param results of the backtest's trades, before fees and funding, as shares of their value at entry; not empty
   * @param state where an earlier run ended
   */
  constructor(results: Float64Array, state?: BandState) {
    if (results.length === 0) throw new RangeError('A band needs the result of a trade');
    this.#results = results;
    this.#paths = state === undefined ? new Float64Array(PATHS) : Float64Array.from(state.paths);
    if (this.#paths.length !== PATHS) throw new RangeError(`A band has ${PATHS} paths`);
    this.#trades = state?.trades ?? 0;
    this.#profit = state?.profit ?? 0;
    this.#outside = state?.outside ?? 0;
  }

  /**
   * A closed trade.
   * @param value at entry, above 0
   * @param profit before fees and funding
   */
  add(value: number, profit: number): void {
    for (let path = 0; path < PATHS; path += 1) {
      const drawn = Math.floor(unit(hashPair(path, this.#trades)) * this.#results.length);
      this.#paths[path] = (this.#paths[path] as number) + value * (this.#results[drawn] as number);
    }
    this.#trades += 1;
    this.#profit += profit;
    const { low, high } = this.bounds;
    this.#outside = this.#profit < low || this.#profit > high ? this.#outside + 1 : 0;
  }

  get bounds(): { readonly low: number; readonly high: number } {
    const sorted = this.#paths.slice().sort();
    return { low: sorted[LOW] as number, high: sorted[HIGH] as number };
  }

  get state(): BandState {
    return {
      trades: this.#trades,
      profit: this.#profit,
      paths: [...this.#paths],
      outside: this.#outside,
    };
  }
}
