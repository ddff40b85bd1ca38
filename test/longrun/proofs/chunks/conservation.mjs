// The books of a backtest from its files alone, without code of Sluice and without floats.
const UNIT = 10n ** 18n;
/** Each booked amount is rounded once, to 1e-8: a fill books a profit and a fee. */
const ROUNDING = (2n * UNIT) / 10n ** 8n;

/** A decimal in 1e-18. */
export function units(text) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text);
  const value = BigInt(whole + fraction.padEnd(18, '0'));
  return sign === '-' ? -value : value;
}

/**
 * Compares the books of a run in USDT with its fills. Exactly: fees, slippage and parts of the profit are the sums of the rows,
 * and the held quantities are those of the fills. But for the rounding of each fill: what sells earned and buys paid, and
 * what is held at the last prices, less fees and funding, is the net profit.
 *
 * @param result the content of result.json
 * @param csv the text of fills.csv
 * @param prices the last close of each symbol, as decimal text
 */
export function conservationOf(result, csv, prices) {
  const [head, ...rows] = csv.trimEnd().split('\n');
  const names = head.split(',');
  const held = new Map();
  let [fees, slipped, flow] = [0n, 0n, 0n];
  for (const row of rows) {
    const cells = row.split(',');
    const of = (name) => cells[names.indexOf(name)];
    const sign = of('side') === 'buy' ? 1n : -1n;
    fees += units(of('fee'));
    slipped += units(of('slippage'));
    flow -= sign * times(units(of('quantity')), units(of('price')));
    held.set(of('symbol'), (held.get(of('symbol')) ?? 0n) + sign * units(of('quantity')));
  }
  for (const [symbol, quantity] of held) flow += times(quantity, units(prices[symbol]));
  const net = units(result.net_profit);
  const exact = [
    units(result.final_equity) - units(result.inputs.cash) - net,
    fees - units(result.fees),
    slipped - units(result.slippage),
    sumOf(Object.values(result.profit_split).map(units)) - net,
    differenceOf(held, result.open_trades),
  ];
  const flowError = magnitude(flow - fees - units(result.funding) - net);
  const conserved =
    exact.every((each) => each === 0n) && flowError <= ROUNDING * BigInt(rows.length + 1);
  return { conserved, exact: text(sumOf(exact.map(magnitude))), rounding: text(flowError) };
}

/** Held quantities by the fills against those of the result. */
function differenceOf(held, openTrades) {
  const left = new Map(held);
  for (const { symbol, side, quantity } of openTrades)
    left.set(symbol, (left.get(symbol) ?? 0n) - units(quantity) * (side === 'long' ? 1n : -1n));
  return sumOf([...left.values()].map(magnitude));
}

const times = (a, b) => (a * b) / UNIT;
const sumOf = (values) => values.reduce((sum, each) => sum + each, 0n);
const magnitude = (value) => (value < 0n ? -value : value);
const text = (value) =>
  `${value / UNIT}.${String(value % UNIT)
    .padStart(18, '0')
    .slice(0, 10)}`;
