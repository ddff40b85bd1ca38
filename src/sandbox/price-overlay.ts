import type { Candle } from '../core/candle.js';
import { fold, MINUTE_MS, SECOND_MS, type Market, type PriceKind } from './market.js';

/** A stretch that a hand touched is looked at in parts of these lengths, longest first. */
const STEPS_MS = [86_400_000, 3_600_000, MINUTE_MS, SECOND_MS];

interface Move {
  readonly atMs: number;
  /** undefined gives the symbol back to the market. */
  readonly price: number | undefined;
}

/**
 * A market on which a hand lies: prices set by `POST /sandbox/price` hold from their moment until the
 * release, and every candle that touches them shows them.
 */
export interface PriceOverlay extends Market {
  hold(symbol: string, atMs: number, price: number): void;
  release(symbol: string, atMs: number): void;
  /** Where a hand holds the price at a time; undefined where none does. */
  heldAt(symbol: string, timeMs: number): number | undefined;
}

export const createPriceOverlay = (base: Market): PriceOverlay => new HeldPrices(base);

class HeldPrices implements PriceOverlay {
  readonly symbols: readonly string[];
  readonly firstMs: number;
  readonly #base: Market;
  /** By symbol, in order of time. */
  readonly #moves = new Map<string, Move[]>();

  constructor(base: Market) {
    this.#base = base;
    this.symbols = base.symbols;
    this.firstMs = base.firstMs;
  }

  hold(symbol: string, atMs: number, price: number): void {
    this.#add(symbol, { atMs, price });
  }

  release(symbol: string, atMs: number): void {
    if (this.heldAt(symbol, atMs) !== undefined) this.#add(symbol, { atMs, price: undefined });
  }

  /** By the last move not after a time. */
  heldAt(symbol: string, timeMs: number): number | undefined {
    const moves = this.#moves.get(symbol);
    return moves === undefined ? undefined : moves[indexFrom(moves, timeMs + 1) - 1]?.price;
  }

  priceAt(kind: PriceKind, symbol: string, timeMs: number): number | undefined {
    return this.heldAt(symbol, timeMs) ?? this.#base.priceAt(kind, symbol, timeMs);
  }

  second(kind: PriceKind, symbol: string, openMs: number): Candle | undefined {
    const candle = this.#base.second(kind, symbol, openMs);
    if (candle === undefined || !this.#touches(symbol, openMs, openMs + SECOND_MS)) return candle;
    const points = this.#pathOf(candle, kind, symbol);
    return {
      ...candle,
      open: points[0] as number,
      high: Math.max(...points),
      low: Math.min(...points),
      close: points.at(-1) as number,
    };
  }

  /** Stretches that no hand touched come from the market as they are. */
  span(kind: PriceKind, symbol: string, fromMs: number, toMs: number): Candle | undefined {
    if (!this.#touches(symbol, fromMs, toMs)) return this.#base.span(kind, symbol, fromMs, toMs);
    const held = this.#heldThroughout(symbol, fromMs, toMs);
    if (held !== undefined) return this.#flat(kind, symbol, fromMs, toMs, held);
    const step = STEPS_MS.find((stepMs) => stepMs < toMs - fromMs) ?? SECOND_MS;
    let candle: Candle | undefined;
    for (let at = fromMs; at < toMs; at += step) {
      const part =
        step === SECOND_MS
          ? this.second(kind, symbol, at)
          : this.span(kind, symbol, at, Math.min(toMs, at + step));
      candle = fold(candle, part);
    }
    return candle;
  }

  /** The one price that stood there from before until the end; undefined when there is none. */
  #heldThroughout(symbol: string, fromMs: number, toMs: number): number | undefined {
    const held = this.heldAt(symbol, fromMs - SECOND_MS);
    const isStill = this.#movesIn(symbol, fromMs - SECOND_MS, toMs).length === 0;
    return isStill ? held : undefined;
  }

  #flat(kind: PriceKind, symbol: string, fromMs: number, toMs: number, price: number) {
    const candle = this.#base.span(kind, symbol, fromMs, toMs);
    if (candle === undefined) return undefined;
    return { ...candle, open: price, high: price, low: price, close: price };
  }

  #add(symbol: string, move: Move): void {
    const moves = this.#moves.get(symbol);
    if (moves === undefined) this.#moves.set(symbol, [move]);
    else moves.push(move);
  }

  #movesIn(symbol: string, fromMs: number, toMs: number): readonly Move[] {
    const moves = this.#moves.get(symbol);
    return moves === undefined ? [] : moves.slice(indexFrom(moves, fromMs), indexFrom(moves, toMs));
  }

  /** A release just before counts: it leaves its price as the next second's open. */
  #touches(symbol: string, fromMs: number, toMs: number): boolean {
    const isHeld = this.heldAt(symbol, fromMs - 1) !== undefined;
    return isHeld || this.#movesIn(symbol, fromMs - SECOND_MS, toMs).length > 0;
  }

  /** The prices a second went through, in order. */
  #pathOf(candle: Candle, kind: PriceKind, symbol: string): number[] {
    const openMs = candle.openTime;
    const held = this.heldAt(symbol, openMs - 1);
    const wasTouched = this.#touches(symbol, openMs - SECOND_MS, openMs);
    const before = wasTouched ? this.priceAt(kind, symbol, openMs - 1) : undefined;
    const points = held === undefined ? [before ?? candle.open, candle.close] : [held];
    for (const move of this.#movesIn(symbol, openMs, openMs + SECOND_MS)) {
      points.push(move.price ?? candle.close);
    }
    return points;
  }
}

/** Of the first move at or after a time; moves are in order of time. */
function indexFrom(moves: readonly Move[], timeMs: number): number {
  let low = 0;
  let high = moves.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((moves[middle] as Move).atMs < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
