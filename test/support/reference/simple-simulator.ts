/**
 * A deliberately simple simulator of market orders, written from docs/simulation.md alone: it shares no code with src/.
 * A decision on a close fills at the next open, worsened by the slippage. A reversal closes and opens at one price.
 * Funding is paid at the close of a candle that ends at a settlement, at that close.
 */
export interface SimpleCandle {
  /** s UTC */
  readonly time: number;
  readonly open: number;
  readonly close: number;
}

export interface SimpleOptions {
  readonly candles: readonly SimpleCandle[];
  /** s between two candles. */
  readonly step: number;
  /** Rate by settlement, s UTC. */
  readonly funding: ReadonlyMap<number, number>;
  readonly cash: number;
  readonly quantity: number;
  readonly takerFee: number;
  readonly slippage: number;
  /** Target from −1 to 1 after the close of each candle; undefined: as before. */
  readonly target: (close: number) => number | undefined;
}

export interface SimpleResult {
  readonly equity: number;
  readonly fees: number;
  readonly funding: number;
  /** Σ of the payments and of the receipts. */
  readonly moved: number;
  readonly fills: number;
}

export function simulateSimply(options: SimpleOptions): SimpleResult {
  const { candles, step, funding, cash, quantity, takerFee, slippage } = options;
  let [wallet, position, entry, wanted] = [cash, 0, 0, 0];
  let [fees, paid, moved, fills] = [0, 0, 0, 0];
  const trade = (change: number, open: number): void => {
    const price = open * (1 + Math.sign(change) * slippage);
    if (position !== 0) wallet += position * (price - entry);
    else entry = price;
    const fee = Math.abs(change) * price * takerFee;
    fees += fee;
    wallet -= fee;
    position += change;
    fills += 1;
  };
  for (const { time, open, close } of candles) {
    if (wanted !== position && position !== 0) trade(-position, open);
    if (wanted !== position) trade(wanted - position, open);
    const rate = funding.get(time + step);
    if (rate !== undefined && position !== 0) {
      paid += position * close * rate;
      moved += Math.abs(position * close * rate);
      wallet -= position * close * rate;
    }
    const target = options.target(close);
    if (target !== undefined) wanted = target * quantity;
  }
  const last = candles.at(-1)?.close ?? entry;
  return { equity: wallet + position * (last - entry), fees, funding: paid, moved, fills };
}

/** Long while the fast average of closes is above the slow one, else short: acts on a crossing. */
export function crossing(fast: number, slow: number): SimpleOptions['target'] {
  const closes: number[] = [];
  let before = Number.NaN;
  const mean = (count: number): number =>
    closes.slice(-count).reduce((sum, close) => sum + close, 0) / count;
  return (close) => {
    closes.push(close);
    if (closes.length < slow) return undefined;
    const difference = mean(fast) - mean(slow);
    const was = before;
    before = difference;
    if (was <= 0 && difference > 0) return 1;
    return was >= 0 && difference < 0 ? -1 : undefined;
  };
}
