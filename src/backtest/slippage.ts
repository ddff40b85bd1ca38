import {
  fixedFromNumber,
  multiply,
  subtract,
  ZERO,
  type Price,
  type Ratio,
  type Usdt,
} from '../core/fixed/fixed.js';
import {
  fixedSlippage,
  rangeSlippage,
  volumeSlippage,
  type FillCandle,
  type SlippageModel,
} from '../exchange/order/slippage.js';
import type { Execution } from '../exchange/simulated-exchange.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';

/** Model of the slippage of market fills and of triggered stops. */
export type Slippage =
  /** A share of the price. */
  | { readonly kind: 'fixed'; readonly bps: number }
  /** The larger of `bps` of the price and `share` of the candle's high − low. */
  | { readonly kind: 'range'; readonly bps: number; readonly share: number }
  /** `impact` × price × (quantity ÷ volume of the candle)². */
  | { readonly kind: 'volume'; readonly impact: number };

/** `--slippage auto`: 1 bps, or 5 % of the candle's range where that is more. */
export const AUTO_SLIPPAGE: Slippage = { kind: 'range', bps: 1, share: 0.05 };

const BPS = 10_000;
/** Share of a size that a full wallet leaves for the slippage of a volatile candle: a chosen margin. */
const RANGE_ALLOWANCE = 0.005;

/**
 * @param columnsOf candles of each symbol
 * @param nowMs the exchange's time, venue ms: the candle of a fill is the last one that opened by then
 */
export function slippageModelOf(
  slippage: Slippage,
  columnsOf: ReadonlyMap<string, CandleColumns>,
  nowMs: () => number,
): SlippageModel | undefined {
  if (slippage.kind === 'fixed') return fixedSlippage(slippage.bps);
  const candleOf = (symbol: string): FillCandle =>
    fillCandle(columnsOf.get(symbol) as CandleColumns, nowMs());
  if (slippage.kind === 'volume') return volumeSlippage(slippage.impact, candleOf);
  const price = fixedFromNumber<'ratio'>(slippage.bps / BPS);
  const range = fixedFromNumber<'ratio'>(slippage.share);
  return rangeSlippage({ price, range } satisfies Record<string, Ratio>, candleOf);
}

function fillCandle(columns: CandleColumns, nowMs: number): FillCandle {
  const index = Math.max(0, columns.indexFrom(nowMs + 1) - 1);
  const price = (value: number | undefined): Price => fixedFromNumber(value as number);
  // A difference of floats is not that of the printed prices.
  const range = subtract(price(columns.high[index]), price(columns.low[index]));
  return { range, volume: columns.volume[index] as number };
}

/** USDT; half-even at 8 places. */
export const slippageCost = ({
  execution: { slippage, quantity },
}: {
  readonly execution: Execution;
}): Usdt => (slippage === undefined ? ZERO : multiply(slippage, quantity));

/** The share of the price that a full wallet must leave for it. */
export function slippageAllowance(slippage: Slippage): number {
  if (slippage.kind === 'fixed') return slippage.bps / BPS;
  return slippage.kind === 'range' ? RANGE_ALLOWANCE : slippage.impact;
}

/** Slippage of a purchase at the open of a candle, as a share of the price. */
export function slippageShare(
  slippage: Slippage,
  columns: CandleColumns,
  index: number,
  quantity: number,
): number {
  if (slippage.kind === 'fixed') return slippage.bps / BPS;
  if (slippage.kind === 'volume') {
    const volume = columns.volume[index] as number;
    return slippage.impact * (quantity < volume ? quantity / volume : 1) ** 2;
  }
  const range = (columns.high[index] as number) - (columns.low[index] as number);
  return Math.max(slippage.bps / BPS, (slippage.share * range) / (columns.open[index] as number));
}

/** `auto`, `2 bps` or `volume 0.1`, as the summary and the inputs of a run show it. */
export function slippageText(slippage: Slippage): string {
  if (slippage.kind === 'fixed') return `${slippage.bps} bps`;
  if (slippage.kind === 'volume') return `volume=${slippage.impact}`;
  return `auto: the larger of ${slippage.bps} bps and ${slippage.share * 100} % of the candle's range`;
}
