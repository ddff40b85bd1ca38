import { fixedFromNumber } from '../core/fixed.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { SECOND_MS, type Market } from './market.js';

export interface PricePump {
  /** Venue ms that the exchange has been told. */
  readonly nowMs: number;
  /** The next whole second, not yet told. */
  readonly nextSecondMs: number;
  /** Visits every second up to `nowMs` in order, so that whatever a price triggers, triggers there. */
  run(nowMs: number): void;
  /** Tells the present price of one symbol again: a hand has moved it. */
  refresh(symbol: string): void;
}

/** Carries the market's prices to the exchange. `onSecond` runs after each second was told. */
export function createPricePump(
  market: Market,
  exchange: SimulatedExchange,
  startMs: number,
  onSecond: (boundaryMs: number) => void,
): PricePump {
  let toldMs = startMs;
  let boundaryMs = Math.floor(startMs / SECOND_MS) * SECOND_MS;

  const tell = (symbol: string): void => {
    const last = market.priceAt('last', symbol, toldMs);
    const mark = market.priceAt('mark', symbol, toldMs) ?? last;
    if (last === undefined || mark === undefined) return;
    exchange.jump(symbol, fixedFromNumber(last), fixedFromNumber(mark));
  };

  market.symbols.forEach(tell);

  return {
    get nowMs() {
      return toldMs;
    },
    get nextSecondMs() {
      return boundaryMs + SECOND_MS;
    },
    run(nowMs) {
      while (boundaryMs + SECOND_MS <= nowMs) {
        boundaryMs += SECOND_MS;
        toldMs = boundaryMs;
        exchange.setTime(boundaryMs);
        const isLatest = boundaryMs + SECOND_MS > nowMs;
        for (const symbol of market.symbols) {
          // On a symbol without orders or positions only the latest price matters.
          if (isLatest || exchange.isActive(symbol)) tell(symbol);
        }
        onSecond(boundaryMs);
      }
      if (nowMs > toldMs) {
        toldMs = nowMs;
        exchange.setTime(nowMs);
      }
    },
    refresh: tell,
  };
}
