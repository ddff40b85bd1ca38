/** An error of a strategy's own code, as `--json` shows it (design part 8). */
export interface StrategyError {
  /** Id of the strategy. */
  readonly strategy: string;
  /** The hook and what it threw, without the place. */
  readonly message: string;
  /** In the strategy's own code; null where the stack tells none. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  /** Open time of the candle that the strategy saw last, ISO 8601; null before the first. */
  readonly candle: string | null;
  /** Symbol and interval of that candle. */
  readonly symbol: string | null;
  readonly interval: string | null;
  /** How often the same was thrown at the same place; the candle is the first one's. */
  readonly count: number;
}

/** For people: who, what, where, on which candle, how often. */
export function strategyErrorText(error: StrategyError): string {
  const { strategy, message, file, line, count } = error;
  const place = file === null || line === null ? '' : ` at ${file}:${line}`;
  const { symbol, interval, candle } = error;
  const on = candle === null ? '' : `, candle ${symbol} ${interval} ${candle}`;
  return `${strategy}: ${message}${place}${on}${count > 1 ? ` (${count} times)` : ''}`;
}
