// The floor of a backtest in JavaScript: one loop over the columns with two running sums, a position that
// reverses at the next open, fees, equity at each close and the drawdown. No gate, no orders, no record.

/** @returns the equity at the last close */
export function bareLoop({ open, close, length }, fast, slow, feeRate) {
  const quantity = 0.01;
  let [cash, position, wanted, peak, deepest] = [10_000, 0, 0, 10_000, 0];
  let [fastSum, slowSum, equity] = [0, 0, 10_000];
  // Of the candle before; no cross is known at the first one.
  let previous = Number.NaN;
  for (let index = 0; index < length; index += 1) {
    if (wanted !== position) {
      const change = (wanted - position) * quantity;
      const price = open[index];
      cash -= change * price + Math.abs(change) * price * feeRate;
      position = wanted;
    }
    const price = close[index];
    fastSum += price;
    slowSum += price;
    if (index >= fast) fastSum -= close[index - fast];
    if (index >= slow) slowSum -= close[index - slow];
    if (index >= slow - 1) {
      const difference = fastSum / fast - slowSum / slow;
      if (previous <= 0 && difference > 0) wanted = 1;
      else if (previous >= 0 && difference < 0) wanted = -1;
      previous = difference;
    }
    equity = cash + position * quantity * price;
    if (equity > peak) peak = equity;
    if (peak - equity > deepest) deepest = peak - equity;
  }
  return deepest < 0 ? Number.NaN : equity;
}
