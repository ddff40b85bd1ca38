/** One closed candle. Prices are numbers: market data, not money. */
export interface Candle {
  /** ms UTC of the bucket's start. */
  readonly openTime: number;
  /** First price, USDT. */
  readonly open: number;
  /** Highest price, USDT. */
  readonly high: number;
  /** Lowest price, USDT. */
  readonly low: number;
  /** Last price, USDT. */
  readonly close: number;
  /** Base units. */
  readonly volume: number;
}

/** The price series of a candle: trades (`last`) or mark prices. */
export type CandlePrice = 'last' | 'mark';

/** The reason why a candle is invalid, or undefined. The venue has sent candles of price 0 (quirk Q42). */
export function candleFault(candle: Candle): string | undefined {
  const { openTime, open, high, low, close, volume } = candle;
  if (!Number.isSafeInteger(openTime)) return 'open time is not an integer';
  // A sum is finite only if each term is; an overflow of finite prices is no price either.
  if (!Number.isFinite(open + high + low + close + volume)) return 'a value is not finite';
  if (low <= 0) return 'low is not above 0';
  if (high < low) return 'high is below low';
  if (open > high || close > high) return 'high is below open or close';
  if (open < low || close < low) return 'low is above open or close';
  if (volume < 0) return 'volume is negative';
  return undefined;
}
