import { measureTrade } from '../../../backtest/excursions.js';
import { numberFromFixed, subtract, textFromFixed, add } from '../../../core/fixed/fixed.js';
import { DAY_MS, MINUTE_MS } from '../../../core/interval.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { Engine } from '../../../engine/engine.js';
import type { ChargedFees } from '../../../live/bot/charged-fees.js';
import type { Expectation } from '../../../live/expectation/expectation.js';
import { expectationText } from '../../../live/expectation/expectation-text.js';
import type { RunSummary } from '../../../live/summary/run-summary.js';
import { SessionTrades } from '../../../live/summary/session-trades.js';
import { ThinnedRows } from '../../../live/summary/thinned-rows.js';
import type { PageFigures } from '../../../report/page/page-data.js';
import type { ReportInput } from '../../../report/page/report-page.js';
import type { RoundTripTracker } from '../../../report/round-trips.js';
import type { EquityCurve } from '../../../report/statistics/equity-curve.js';
import { statisticsOf } from '../../../report/statistics/statistics.js';
import type { MeasuredTrade } from '../../../report/statistics/trade-statistics.js';

/** Candles before the session that the price chart shows. */
const CANDLES_BEFORE = 60;

/** The account at one venue time in ms, and the band of what was expected. */
const CELL = { time: 0, equity: 1, low: 2, high: 3 } as const;
const WIDTH = 4;

/** Records a session for its report. */
export class SessionReport {
  readonly #engine: Engine;
  readonly #trades: SessionTrades;
  readonly #startMs: number;
  readonly #cash: number;
  readonly #expectation: Expectation | undefined;
  readonly #rows = new ThinnedRows(WIDTH);

  /** @param cash equity at the start, in the run's currency */
  constructor(engine: Engine, cash: number, expectation: Expectation | undefined) {
    this.#engine = engine;
    this.#expectation = expectation;
    this.#trades = new SessionTrades(engine, (trade) => expectation?.onClosed(trade, this.#rate));
    this.#startMs = engine.facts.venueTime;
    this.#cash = cash;
  }

  /** The equity now. The clock of a sandbox may stand still: one row for each of its times. */
  sample(equity: number): void {
    const now = this.#engine.facts.venueTime;
    if (now <= (this.#rows.newest(CELL.time) ?? this.#startMs)) return;
    const { low, high } = this.#expectation?.margins ?? { low: 0, high: 0 };
    this.#rows.add([now, equity, equity + low, equity + high]);
  }

  /** @param strategies ids, for the title. @returns undefined without any row of equity */
  input(
    summary: RunSummary,
    strategies: readonly string[],
    fees: ChargedFees | undefined,
  ): ReportInput | undefined {
    const end = Number(summary.equity ?? NaN);
    if (Number.isFinite(end)) this.sample(end);
    const { currency, series } = this.#engine;
    const endMs = this.#rows.newest(CELL.time);
    if (endMs === undefined) return undefined;
    const rate = this.#rate;
    const tracker = this.#trades.roundTrips(fees);
    const trades = tracker.trades.map((trade) => this.#measured(trade));
    const from = this.#startMs - CANDLES_BEFORE * MINUTE_MS;
    return {
      kind: 'session',
      title: oneLine(strategies.join(', ')),
      interval: series.base,
      origin: `session of ${oneLine(summary.state_dir)}`,
      currency,
      rate,
      cash: this.#cash,
      warnings: this.#warnings(tracker, summary, fees),
      figures: this.#figures(summary, { tracker, trades, fees, rate, endMs }),
      curve: this.#curve,
      ...(this.#expectation !== undefined && {
        bounds: { low: this.#rows.column(CELL.low), high: this.#rows.column(CELL.high) },
      }),
      markets: [...series.symbols].flatMap((symbol) => {
        const columns = series.of(symbol).columns.within(from, endMs + 1);
        return columns.length === 0 ? [] : [{ symbol, columns }];
      }),
      trades,
      openTrades: tracker.openTrades,
    };
  }

  /** Currency of the run per USDT. */
  get #rate(): number {
    const { currency, facts } = this.#engine;
    const hedge = facts.hedgeRate();
    return currency === 'USDT' || hedge === undefined ? 1 : numberFromFixed(hedge);
  }

  get #curve(): EquityCurve {
    const times = this.#rows.column(CELL.time);
    return { times, equity: this.#rows.column(CELL.equity), length: times.length };
  }

  #measured(trade: MeasuredTrade): MeasuredTrade {
    const columns = this.#engine.series.find(trade.symbol)?.columns;
    return columns === undefined || columns.length === 0 ? trade : measureTrade(trade, columns);
  }

  #warnings(
    tracker: RoundTripTracker,
    summary: RunSummary,
    fees: ChargedFees | undefined,
  ): readonly string[] {
    const incomplete = this.#trades.incomplete(tracker);
    const missing = this.#trades.isWhole ? missingFrom(summary, tracker, fees) : 0;
    const { count, leftCount } = this.#trades;
    return [
      ...(this.#expectation === undefined
        ? []
        : [oneLine(expectationText(this.#expectation.status))]),
      ...(fees === undefined && count > 0
        ? ['the charged fees could not be read: the trades are shown without fees']
        : []),
      ...(leftCount === 0
        ? []
        : [
            `the trades here are those of the newest ${count - leftCount} of ${count} fills: sluice export ledger has all`,
          ]),
      ...(incomplete.length === 0
        ? []
        : [`${incomplete.join(', ')} changed from outside: its trades here are incomplete`]),
      ...(Math.abs(missing) < NOTICED
        ? []
        : [
            `the wallet was read before its last charges: ${missing.toFixed(2)} ${this.#engine.currency} of the trades are not in the net profit yet`,
          ]),
    ];
  }

  #figures(summary: RunSummary, facts: FigureFacts): PageFigures {
    const { tracker, trades, fees, rate, endMs } = facts;
    const history = { startEquity: this.#cash, startTime: this.#startMs, curve: this.#curve };
    const openSince = tracker.openTrades.map(({ entryTime }) => entryTime);
    const equity = this.#rows.newest(CELL.equity) ?? this.#cash;
    const net = equity - this.#cash;
    return {
      ...statisticsOf({ ...history, trades, openSince, rate }),
      from: new Date(this.#startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      days: (endMs - this.#startMs) / DAY_MS,
      fills: this.#trades.count,
      trades: trades.length,
      final_equity: summary.equity ?? String(equity),
      net_profit: summary.pnl ?? String(net),
      ...(fees !== undefined && chargesOf(fees, summary.pnl ?? String(net))),
      refused: summary.refused,
      rejected: summary.rejected,
      errors: summary.errors,
      open_trades: tracker.openTrades.map(({ symbol, side, quantity, entryTime, entryPrice }) => ({
        symbol,
        side,
        quantity: textFromFixed(quantity),
        entry_time: new Date(entryTime).toISOString(),
        entry_price: textFromFixed(entryPrice),
      })),
    };
  }
}

/** In the run's currency: a smaller difference is rounding. */
const NOTICED = 0.01;

/** Part of the trades' result that the summary's profit lacks, because the wallet's last reading is older. */
function missingFrom(
  { pnl, unrealised_pnl: unrealised }: RunSummary,
  tracker: RoundTripTracker,
  fees: ChargedFees | undefined,
): number {
  if (pnl === null || unrealised === null || fees === undefined) return 0;
  const { grossPnl, fees: trading } = tracker.totals(fees.currency);
  const charged = add(subtract(trading, fees.rebates), fees.funding);
  return numberFromFixed(subtract(grossPnl, charged)) + Number(unrealised) - Number(pnl);
}

interface FigureFacts {
  readonly tracker: RoundTripTracker;
  readonly trades: readonly MeasuredTrade[];
  readonly fees: ChargedFees | undefined;
  readonly rate: number;
  readonly endMs: number;
}

/** The profit before what was charged; a rebate lowers the fees. */
function chargesOf(
  { trading, funding, rebates }: ChargedFees,
  net: string,
): Pick<PageFigures, 'price_pnl' | 'fees' | 'funding'> {
  const fees = subtract(trading, rebates);
  const charged = numberFromFixed(add(fees, funding));
  return {
    price_pnl: String(Number((Number(net) + charged).toFixed(8))),
    fees: textFromFixed(fees),
    funding: textFromFixed(funding),
  };
}
