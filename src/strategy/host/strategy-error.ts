/** An error of a strategy's own code, as `--json` prints it. */
export interface StrategyError {
  /** Id of the strategy. */
  readonly strategy: string;
  /** The hook and the thrown error, without its location. */
  readonly message: string;
  /** File of the strategy's own code; null where the stack has none. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  /** Open time of the last handled candle, ISO 8601; null before the first. */
  readonly candle: string | null;
  /** Symbol and interval of that candle. */
  readonly symbol: string | null;
  readonly interval: string | null;
  /** Number of equal errors at the same place; the candle is the first one's. */
  readonly count: number;
}

/** For people: strategy, error, place, candle and count. */
export function strategyErrorText(error: StrategyError): string {
  const { strategy, message, file, line, count } = error;
  const place = file === null || line === null ? '' : ` at ${file}:${line}`;
  const { symbol, interval, candle } = error;
  const on = candle === null ? '' : `, candle ${symbol} ${interval} ${candle}`;
  return `${strategy}: ${message}${place}${on}${count > 1 ? ` (${count} times)` : ''}`;
}
