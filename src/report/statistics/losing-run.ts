/** Losing trades in a row. */
export interface LosingRun {
  readonly trades: number;
  readonly net: number;
  /** ISO 8601: exit of the first and of the last of them. */
  readonly from: string;
  readonly to: string;
}

/**
 * The longest run of trades with a net PnL of 0 or below, by exit; of equally long ones that of the largest loss.
 * @returns undefined while none has lost
 */
export function longestLosingRun(
  trades: readonly { readonly net: number; readonly exitTime: number }[],
): LosingRun | undefined {
  let longest: LosingRun | undefined;
  for (let first = 0; first < trades.length; first += 1) {
    let [end, net] = [first, 0];
    while (end < trades.length && (trades[end]?.net ?? 1) <= 0) net += trades[end++]?.net ?? 0;
    if (end === first) continue;
    const count = end - first;
    if (count > (longest?.trades ?? 0) || (count === longest?.trades && net < longest.net))
      longest = {
        trades: count,
        net,
        from: instant(trades[first]?.exitTime),
        to: instant(trades[end - 1]?.exitTime),
      };
    first = end;
  }
  return longest;
}

const instant = (ms: number | undefined): string => new Date(ms ?? 0).toISOString();
