import { fixedFromNumber } from '../../core/fixed/fixed.js';
import type { SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { SECOND_MS, type Market } from '../../market/synthetic/market.js';

export interface PriceDriver {
  /** Venue ms up to which prices are applied to the exchange. */
  readonly nowMs: number;
  /** The next whole second, not yet applied. */
  readonly nextSecondMs: number;
  /** Applies every second up to `nowMs` in order, so that each price triggers at its own time. */
  advanceTo(nowMs: number): void;
  /** Applies the current price of one symbol again after an override. */
  refresh(symbol: string): void;
}

/** Applies the market's prices to the exchange. `onSecond` runs after each second. */
export function createPriceDriver(
  market: Market,
  exchange: SimulatedExchange,
  startMs: number,
  onSecond: (boundaryMs: number) => void,
): PriceDriver {
  let appliedMs = startMs;
  let boundaryMs = Math.floor(startMs / SECOND_MS) * SECOND_MS;

  const applyPrice = (symbol: string): void => {
    const last = market.priceAt('last', symbol, appliedMs);
    const mark = market.priceAt('mark', symbol, appliedMs) ?? last;
    if (last === undefined || mark === undefined) return;
    exchange.gapTo(symbol, fixedFromNumber(last), fixedFromNumber(mark));
  };

  market.symbols.forEach(applyPrice);

  return {
    get nowMs() {
      return appliedMs;
    },
    get nextSecondMs() {
      return boundaryMs + SECOND_MS;
    },
    advanceTo(nowMs) {
      while (boundaryMs + SECOND_MS <= nowMs) {
        boundaryMs += SECOND_MS;
        appliedMs = boundaryMs;
        exchange.setTime(boundaryMs);
        const isLatest = boundaryMs + SECOND_MS > nowMs;
        for (const symbol of market.symbols) {
          // On a symbol without orders or positions only the latest price matters.
          if (isLatest || exchange.isActive(symbol)) applyPrice(symbol);
        }
        onSecond(boundaryMs);
      }
      if (nowMs > appliedMs) {
        appliedMs = nowMs;
        exchange.setTime(nowMs);
      }
    },
    refresh: applyPrice,
  };
}
