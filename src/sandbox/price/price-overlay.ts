import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import {
  mergeCandles,
  SECOND_MS,
  type Market,
  type PriceKind,
} from '../../market/synthetic/market.js';

/** Ranges with an override are split into parts of these lengths, longest first. */
const STEPS_MS = [86_400_000, 3_600_000, MINUTE_MS, SECOND_MS];

interface PriceOverride {
  readonly atMs: number;
  /** undefined ends the override. */
  readonly price: number | undefined;
}

/**
 * A market with price overrides. A price set by `POST /sandbox/price` holds until it is released, and
 * every candle of that time shows it.
 */
export interface PriceOverlay extends Market {
  setOverride(symbol: string, atMs: number, price: number): void;
  clearOverride(symbol: string, atMs: number): void;
  /** The override at a time; undefined when there is none. */
  overrideAt(symbol: string, timeMs: number): number | undefined;
}

export const createPriceOverlay = (base: Market): PriceOverlay => new OverriddenMarket(base);

class OverriddenMarket implements PriceOverlay {
  readonly symbols: readonly string[];
  readonly firstMs: number;
  readonly #base: Market;
  /** By symbol, ordered by time. */
  readonly #overrides = new Map<string, PriceOverride[]>();

  constructor(base: Market) {
    this.#base = base;
    this.symbols = base.symbols;
    this.firstMs = base.firstMs;
  }

  setOverride(symbol: string, atMs: number, price: number): void {
    this.#add(symbol, { atMs, price });
  }

  clearOverride(symbol: string, atMs: number): void {
    if (this.overrideAt(symbol, atMs) !== undefined) this.#add(symbol, { atMs, price: undefined });
  }

  /** Decided by the last change up to `timeMs`. */
  overrideAt(symbol: string, timeMs: number): number | undefined {
    const moves = this.#overrides.get(symbol);
    return moves === undefined ? undefined : moves[indexFrom(moves, timeMs + 1) - 1]?.price;
  }

  priceAt(kind: PriceKind, symbol: string, timeMs: number): number | undefined {
    return this.overrideAt(symbol, timeMs) ?? this.#base.priceAt(kind, symbol, timeMs);
  }

  secondCandle(kind: PriceKind, symbol: string, openMs: number): Candle | undefined {
    const candle = this.#base.secondCandle(kind, symbol, openMs);
    if (candle === undefined || !this.#isOverridden(symbol, openMs, openMs + SECOND_MS))
      return candle;
    const points = this.#pathOf(candle, kind, symbol);
    return {
      ...candle,
      open: points[0] as number,
      high: Math.max(...points),
      low: Math.min(...points),
      close: points.at(-1) as number,
    };
  }

  /** Ranges without overrides come unchanged from the market. */
  rangeCandle(kind: PriceKind, symbol: string, fromMs: number, toMs: number): Candle | undefined {
    if (!this.#isOverridden(symbol, fromMs, toMs))
      return this.#base.rangeCandle(kind, symbol, fromMs, toMs);
    const override = this.#constantOverride(symbol, fromMs, toMs);
    if (override !== undefined) return this.#flat(kind, symbol, fromMs, toMs, override);
    const step = STEPS_MS.find((stepMs) => stepMs < toMs - fromMs) ?? SECOND_MS;
    let candle: Candle | undefined;
    for (let at = fromMs; at < toMs; at += step) {
      const part =
        step === SECOND_MS
          ? this.secondCandle(kind, symbol, at)
          : this.rangeCandle(kind, symbol, at, Math.min(toMs, at + step));
      candle = mergeCandles(candle, part);
    }
    return candle;
  }

  /** The override that holds from before `fromMs` to `toMs`; undefined when it changes or there is none. */
  #constantOverride(symbol: string, fromMs: number, toMs: number): number | undefined {
    const override = this.overrideAt(symbol, fromMs - SECOND_MS);
    const isStill = this.#overridesIn(symbol, fromMs - SECOND_MS, toMs).length === 0;
    return isStill ? override : undefined;
  }

  #flat(kind: PriceKind, symbol: string, fromMs: number, toMs: number, price: number) {
    const candle = this.#base.rangeCandle(kind, symbol, fromMs, toMs);
    if (candle === undefined) return undefined;
    return { ...candle, open: price, high: price, low: price, close: price };
  }

  #add(symbol: string, move: PriceOverride): void {
    const moves = this.#overrides.get(symbol);
    if (moves === undefined) this.#overrides.set(symbol, [move]);
    else moves.push(move);
  }

  #overridesIn(symbol: string, fromMs: number, toMs: number): readonly PriceOverride[] {
    const moves = this.#overrides.get(symbol);
    return moves === undefined ? [] : moves.slice(indexFrom(moves, fromMs), indexFrom(moves, toMs));
  }

  /** A release in the second before counts, since its price is the open of the next second. */
  #isOverridden(symbol: string, fromMs: number, toMs: number): boolean {
    const wasOverridden = this.overrideAt(symbol, fromMs - 1) !== undefined;
    return wasOverridden || this.#overridesIn(symbol, fromMs - SECOND_MS, toMs).length > 0;
  }

  /** The prices of one second, in order. */
  #pathOf(candle: Candle, kind: PriceKind, symbol: string): number[] {
    const openMs = candle.openTime;
    const override = this.overrideAt(symbol, openMs - 1);
    const wasTouched = this.#isOverridden(symbol, openMs - SECOND_MS, openMs);
    const before = wasTouched ? this.priceAt(kind, symbol, openMs - 1) : undefined;
    const points = override === undefined ? [before ?? candle.open, candle.close] : [override];
    for (const override of this.#overridesIn(symbol, openMs, openMs + SECOND_MS)) {
      points.push(override.price ?? candle.close);
    }
    return points;
  }
}

/** Index of the first change at or after a time. */
function indexFrom(overrides: readonly PriceOverride[], timeMs: number): number {
  let low = 0;
  let high = overrides.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((overrides[middle] as PriceOverride).atMs < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
