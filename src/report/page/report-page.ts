import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { OpenTrade } from '../round-trips.js';
import { entryValue, type MeasuredTrade } from '../statistics/trade-statistics.js';
import type { EquityBand, EquityCurve } from '../statistics/equity-curve.js';
import type { ComparisonPage } from './comparison-data.js';
import { pageCandles, type MarketCandles } from './page-candles.js';
import type { PageData, PageFigures } from './page-data.js';
import { pageEquity } from './page-equity.js';
import { histogramOf } from './page-histogram.js';
import { pageTrades, type DecidedTrades } from './page-trades.js';

/** Limits that keep the page of any run below 3 MB. */
const MAX_TRADES = 24_000;
const MAX_CANDLES = 12_000;
/** A run of many trades has room for fewer candles and decisions. */
const MANY_TRADES = 12_000;
const MAX_CANDLES_OF_MANY = 5_000;
const MAX_EQUITY_ROWS = 4_000;
const MAX_DECIDED_TRADES = 1_000;
const MAX_DECIDED_OF_MANY = 200;

/** A run for its report page. */
export interface ReportInput extends Pick<
  PageData,
  'kind' | 'title' | 'interval' | 'origin' | 'currency' | 'rate' | 'cash' | 'warnings'
> {
  readonly figures: PageFigures;
  readonly curve: EquityCurve;
  readonly benchmark?: EquityCurve;
  /** The equity under the other orders of prices inside candles. */
  readonly bounds?: EquityBand | undefined;
  readonly markets: readonly MarketCandles[];
  readonly trades: readonly MeasuredTrade[];
  readonly openTrades: readonly OpenTrade[];
  /** The decisions at the ends of a trade. */
  readonly decisionsOf?: DecidedTrades['decisionsOf'];
  readonly checks?: PageData['checks'];
  readonly evidence?: PageData['evidence'];
  readonly inputs?: unknown;
  readonly repeat?: string;
  readonly runHash?: string;
}

/** Shapes a run for its page: thinned where it is large, with a sentence for each part that is. */
export function pageDataOf(input: ReportInput): PageData {
  const { kind, title, interval, origin, currency, rate, cash, warnings, figures } = input;
  const isMany = input.trades.length > MANY_TRADES;
  const maxCandles = isMany ? MAX_CANDLES_OF_MANY : MAX_CANDLES;
  const perMarket = Math.floor(maxCandles / Math.max(1, input.markets.length));
  const markets = input.markets.map((market) => pageCandles(market, Math.max(200, perMarket)));
  const equity = pageEquity(input, MAX_EQUITY_ROWS);
  const { decisionsOf } = input;
  const maxDecided = isMany ? MAX_DECIDED_OF_MANY : MAX_DECIDED_TRADES;
  const decided = decisionsOf && { decisionsOf, maxTrades: maxDecided };
  const trades = pageTrades(input.trades, MAX_TRADES, decided);
  const merged = Math.max(1, ...markets.map((market) => market.merged));
  return {
    version: 1,
    kind,
    title,
    symbols: input.markets.map(({ symbol }) => symbol),
    interval,
    origin,
    currency,
    rate,
    cash,
    figures: withoutMachine(figures),
    equity,
    markets,
    trades,
    distribution: histogramOf(
      input.trades.map((trade) => (numberFromFixed(trade.netPnl) / entryValue(trade, rate)) * 100),
    ),
    warnings,
    thinned: [
      ...(merged > 1 ? [`The price chart merges ${merged} candles into each bar.`] : []),
      ...(equity.times.length < input.curve.length
        ? [
            `The equity chart shows ${equity.times.length} of ${input.curve.length} rows; peaks, lows and ends of days are among them.`,
          ]
        : []),
      ...(trades.rows === null
        ? []
        : [
            `The page lists ${trades.rows.length} of ${trades.total} trades: those of the largest profit or loss, and an even part of the rest. Every figure counts all trades; trades.csv has them all.`,
          ]),
      ...(trades.decisions === null || trades.decisions.rows.length === trades.net.length
        ? []
        : [
            `It has the decisions of ${trades.decisions.rows.length} of ${trades.total} trades: those of the largest profit or loss, and an even part of the rest.`,
          ]),
    ],
    checks: input.checks ?? null,
    evidence: input.evidence ?? null,
    inputs: input.inputs ?? null,
    repeat: input.repeat ?? null,
    runHash: input.runHash ?? null,
  };
}

/** Keys of `result.json` that depend on the machine or the folder, not on the run. */
const MACHINE_KEYS = new Set(['run', 'report', 'engine_ns_per_bar', 'load_ms']);

const withoutMachine = (figures: PageFigures): PageFigures =>
  Object.fromEntries(
    Object.entries(figures).filter(([key]) => !MACHINE_KEYS.has(key)),
  ) as unknown as PageFigures;

/** Stands in the built page for its data. */
const PLACEHOLDER = '"__SLUICE_PAGE_DATA__"';

/**
 * The page of a run or of a comparison: one HTML file that needs no other file and no network.
 * @param template the built page
 * @throws Error when the template has no place for the data
 */
export function reportPage(template: string, data: PageData | ComparisonPage): string {
  const at = template.indexOf(PLACEHOLDER);
  if (at < 0) throw new Error('the template of the report page has no place for its data');
  return template.slice(0, at) + scriptJson(data) + template.slice(at + PLACEHOLDER.length);
}

/** JSON inside a script element: no text of a run can end the element. Numbers that JSON lacks become null. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c');
