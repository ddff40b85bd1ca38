import type { Candle } from '../core/candle.js';
import { fold, MINUTE_MS, SECOND_MS, type Market, type PriceKind } from './market.js';

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
    if (this.#heldAt(symbol, atMs) !== undefined) this.#add(symbol, { atMs, price: undefined });
  }

  priceAt(kind: PriceKind, symbol: string, timeMs: number): number | undefined {
    return this.#heldAt(symbol, timeMs) ?? this.#base.priceAt(kind, symbol, timeMs);
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

  /** Minutes that no hand touched come from the market as they are. */
  span(kind: PriceKind, symbol: string, fromMs: number, toMs: number): Candle | undefined {
    if (!this.#touches(symbol, fromMs, toMs)) return this.#base.span(kind, symbol, fromMs, toMs);
    const isMinute = toMs - fromMs <= MINUTE_MS;
    const step = isMinute ? SECOND_MS : MINUTE_MS;
    let candle: Candle | undefined;
    for (let at = fromMs; at < toMs; at += step) {
      const part = isMinute
        ? this.second(kind, symbol, at)
        : this.span(kind, symbol, at, at + MINUTE_MS);
      candle = fold(candle, part);
    }
    return candle;
  }

  #add(symbol: string, move: Move): void {
    const moves = this.#moves.get(symbol);
    if (moves === undefined) this.#moves.set(symbol, [move]);
    else moves.push(move);
  }

  #movesIn(symbol: string, fromMs: number, toMs: number): readonly Move[] {
    const moves = this.#moves.get(symbol) ?? [];
    return moves.filter((move) => move.atMs >= fromMs && move.atMs < toMs);
  }

  /** By the last move not after a time. */
  #heldAt(symbol: string, timeMs: number): number | undefined {
    return this.#moves.get(symbol)?.findLast((move) => move.atMs <= timeMs)?.price;
  }

  /** A release just before counts: it leaves its price as the next second's open. */
  #touches(symbol: string, fromMs: number, toMs: number): boolean {
    const isHeld = this.#heldAt(symbol, fromMs - 1) !== undefined;
    return isHeld || this.#movesIn(symbol, fromMs - SECOND_MS, toMs).length > 0;
  }

  /** The prices a second went through, in order. */
  #pathOf(candle: Candle, kind: PriceKind, symbol: string): number[] {
    const openMs = candle.openTime;
    const held = this.#heldAt(symbol, openMs - 1);
    const wasTouched = this.#touches(symbol, openMs - SECOND_MS, openMs);
    const before = wasTouched ? this.priceAt(kind, symbol, openMs - 1) : undefined;
    const points = held === undefined ? [before ?? candle.open, candle.close] : [held];
    for (const move of this.#movesIn(symbol, openMs, openMs + SECOND_MS)) {
      points.push(move.price ?? candle.close);
    }
    return points;
  }
}
