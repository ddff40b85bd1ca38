import type { BenchmarkComparison } from '../statistics/benchmark.js';
import type { HonestyChecks } from '../run/checks-schema.js';
import type { ProfitEvidence } from '../run/evidence-schema.js';
import type { Statistics } from '../statistics/statistics.js';

/** The JSON block of a report page. Times are s UTC unless named otherwise, money is in `currency`. */
export interface PageData {
  readonly version: 1;
  readonly kind: 'backtest' | 'session';
  /** The strategy, or the strategies, of the run. */
  readonly title: string;
  readonly symbols: readonly string[];
  readonly interval: string;
  /** Where the candles come from, such as a file. */
  readonly origin: string;
  readonly currency: string;
  /** Currency of the run per USDT. */
  readonly rate: number;
  readonly cash: number;
  readonly figures: PageFigures;
  readonly equity: PageEquity;
  readonly markets: readonly PageMarket[];
  readonly trades: PageTrades;
  /** Trades by net PnL per cent of the entry value; null without trades. */
  readonly distribution: PageHistogram | null;
  /** Warnings of the run, most important first. */
  readonly warnings: readonly string[];
  /** One sentence for each part of the run that the page holds thinned. */
  readonly thinned: readonly string[];
  /** Answers of `--check`; null: it was not asked for. */
  readonly checks: HonestyChecks | null;
  /** Would a trader trade it? null: a session. */
  readonly evidence: ProfitEvidence | null;
  /** Every input of the run, if it keeps them. */
  readonly inputs: unknown;
  /** The command that repeats the run, if it keeps one. */
  readonly repeat: string | null;
  readonly runHash: string | null;
}

/** Figures of `result.json`. A figure that a run lacks is absent or null. */
export interface PageFigures extends Partial<Statistics>, Partial<BenchmarkComparison> {
  /** ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly bars?: number;
  readonly fills?: number;
  readonly trades: number;
  readonly final_equity: string;
  readonly net_profit: string;
  readonly price_pnl?: string;
  readonly fees?: string;
  readonly funding?: string;
  /** USDT. */
  readonly slippage?: string;
  readonly equity_low?: string | null;
  readonly equity_high?: string | null;
  readonly ambiguous_bars?: number | null;
  readonly liquidations?: number;
  readonly refused?: number;
  readonly rejected?: number;
  readonly would_refuse?: Readonly<Record<string, number>>;
  readonly open_trades?: readonly PageOpenTrade[];
  readonly errors?: readonly { readonly strategy: string; readonly message: string }[];
}

export interface PageOpenTrade {
  readonly symbol: string;
  readonly side: 'long' | 'short';
  readonly quantity: string;
  /** ISO 8601 in UTC. */
  readonly entry_time: string;
  readonly entry_price: string;
}

/** Rows of the equity curve. All columns have one length. */
export interface PageEquity {
  readonly times: readonly number[];
  readonly equity: readonly number[];
  /** Per cent below the running peak, at most 0. */
  readonly drawdown: readonly number[];
  /** Equity of buy and hold; null: none. */
  readonly benchmark: readonly number[] | null;
  /** The equity under the order of prices inside candles that is worst, and best, at each row. */
  readonly bounds: { readonly low: readonly number[]; readonly high: readonly number[] } | null;
  /** Value of the open positions at entry, per cent of the equity: above 0, and below 0. */
  readonly long: readonly number[];
  readonly short: readonly number[];
}

/** Candles of one symbol. Times are s since the time before; the first is absolute. */
export interface PageMarket {
  readonly symbol: string;
  /** Candles that each row merges. */
  readonly merged: number;
  readonly timeSteps: readonly number[];
  readonly open: readonly number[];
  readonly high: readonly number[];
  readonly low: readonly number[];
  readonly close: readonly number[];
  readonly volume: readonly number[];
}

/** Closed trades as columns, oldest exit first. */
export interface PageTrades {
  /** All trades of the run. */
  readonly total: number;
  /** Row of each trade in `trades.csv`, from 1; null: all trades are here, in order. */
  readonly rows: readonly number[] | null;
  readonly symbols: readonly string[];
  readonly reasons: readonly string[];
  /** ms of one unit of the times below. */
  readonly unitMs: number;
  /** Index in `symbols`. */
  readonly symbol: readonly number[];
  /** 1 long, −1 short. */
  readonly side: readonly number[];
  /** Units since the entry of the trade before; the first is absolute. */
  readonly entrySteps: readonly number[];
  /** Units from entry to exit. */
  readonly held: readonly number[];
  readonly quantity: readonly number[];
  readonly entryPrice: readonly number[];
  readonly exitPrice: readonly number[];
  readonly net: readonly number[];
  readonly fees: readonly number[];
  readonly funding: readonly number[];
  /** Per cent of the entry price; null: no candles. */
  readonly mae: readonly (number | null)[];
  readonly mfe: readonly (number | null)[];
  /** Index in `reasons`. */
  readonly reason: readonly number[];
  /** null: the run keeps none. */
  readonly decisions: PageDecisions | null;
}

/** The decisions at the ends of some trades, with the facts that the strategy had. */
export interface PageDecisions {
  /** Indexes in the columns of the trades, ascending. */
  readonly rows: readonly number[];
  /** null: not a decision of the strategy, such as a stop. */
  readonly entry: readonly (PageDecision | null)[];
  readonly exit: readonly (PageDecision | null)[];
}

export interface PageDecision {
  readonly time: number;
  /** The event that caused it, in words. */
  readonly after: string;
  /** From which its size and its stop were computed. */
  readonly price: number;
  /** The explanation of the strategy. */
  readonly text?: string;
  /** How the limits reduced its size. */
  readonly size?: string;
}

/** Counts of equally wide classes; 0 is an edge. The first and the last class hold the extremes too. */
export interface PageHistogram {
  readonly from: number;
  readonly width: number;
  readonly counts: readonly number[];
  readonly lowest: number;
  readonly highest: number;
}
