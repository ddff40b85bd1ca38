import { numberFromFixed, type Amount } from '../core/fixed/fixed.js';
import { formatMoney, formatNumber, formatPercent, formatRatio } from '../report/figure-format.js';
import type { RunInputs } from '../report/run/inputs-schema.js';
import type { MarketFacts } from './market-facts.js';
import type { BacktestResult } from './result.js';

/** A reason to doubt a result, found by a rule of `RULES`. */
export interface ResultFinding {
  readonly id: string;
  readonly text: string;
}

export interface FindingFacts {
  readonly result: Omit<BacktestResult, 'run' | 'report'>;
  readonly inputs: Pick<RunInputs, 'taker_fee' | 'slippage' | 'funding' | 'strategies'>;
  readonly trades: readonly { readonly netPnl: Amount }[];
  readonly market: MarketFacts;
}

export interface FindingRule {
  readonly id: string;
  /** The condition, for docs/backtests.md. */
  readonly when: string;
  /** @returns the finding in a sentence; undefined: the rule holds */
  readonly find: (facts: FindingFacts) => string | undefined;
}

/** The usual least number of a sample: below it a mean has no known spread. */
const MIN_TRADES = 30;
const MIN_DAYS = 90;
const GROWTH_DAYS = 30;
/** Daily Sharpe ratios of real funds above it are rare, those of look-ahead are not. */
const MAX_SHARPE = 5;
const MAX_WIN_RATE = 95;
const SIGNIFICANCE = 0.05;
/** Share of the volume of a candle that an order takes without a doubt about its price. */
const MAX_VOLUME_SHARE = 0.1;
const MAX_FLAT_CANDLES = 60;
const MAX_FLAT_SHARE = 0.05;
const TRADES_PER_PARAMETER = 10;
const MIN_MONTHS = 6;

const netOf = ({ result }: FindingFacts): number => Number(result.net_profit);
const money = ({ result }: FindingFacts, amount: number): string =>
  formatMoney(amount, result.currency);

/** The net profit without the best trades. */
function netWithout(facts: FindingFacts, count: number): number {
  const best = facts.trades
    .map(({ netPnl }) => numberFromFixed(netPnl))
    .sort((one, other) => other - one)
    .slice(0, count);
  return netOf(facts) - best.reduce((sum, each) => sum + Math.max(each, 0), 0);
}

/** Fees, slippage and funding, in the run's currency. */
const costsOf = ({ result }: FindingFacts): number =>
  Number(result.price_pnl) - Number(result.net_profit);

const found = (isFound: boolean, text: () => string): string | undefined =>
  isFound ? text() : undefined;

/** Rules about the size of the sample. */
const SAMPLE_RULES: readonly FindingRule[] = [
  {
    id: 'few-trades',
    when: `fewer than ${MIN_TRADES} closed trades`,
    find: ({ result: { trades } }) =>
      found(trades < MIN_TRADES, () => `${trades} closed trades are too few for a mean of them`),
  },
  {
    id: 'short-period',
    when: `less than ${MIN_DAYS} days`,
    find: ({ result: { days } }) =>
      found(
        days < MIN_DAYS,
        () => `${formatNumber(days, 1)} days show one kind of market: give at least ${MIN_DAYS}`,
      ),
  },
  {
    id: 'many-parameters',
    when: `fewer than ${TRADES_PER_PARAMETER} closed trades for each parameter`,
    find({ result: { trades }, inputs }) {
      const count = inputs.strategies.reduce(
        (sum, { params }) => sum + Object.keys(params).length,
        0,
      );
      const isFound = trades >= MIN_TRADES && trades < count * TRADES_PER_PARAMETER;
      return found(
        isFound,
        () => `${trades} trades for ${count} parameters: some values fit any history`,
      );
    },
  },
  {
    id: 'by-chance',
    when: 'a net profit whose Sharpe ratio is not significant at 95 %',
    find(facts) {
      const { sharpe_p_value: chance } = facts.result;
      const isFound = netOf(facts) > 0 && chance !== null && chance > SIGNIFICANCE;
      return found(
        isFound,
        () =>
          `a strategy without skill shows a Sharpe ratio this high in ${formatPercent((chance ?? 0) * 100)} of such runs`,
      );
    },
  },
];

/** Rules about a profit that rests on little. */
const PROFIT_RULES: readonly FindingRule[] = [
  {
    id: 'one-trade',
    when: 'a net profit that the best trade alone makes',
    find: (facts) =>
      found(
        netOf(facts) > 0 && netWithout(facts, 1) <= 0,
        () => `without its best trade the run loses ${money(facts, -netWithout(facts, 1))}`,
      ),
  },
  {
    id: 'five-trades',
    when: `a net profit that the best five of at least ${MIN_TRADES} trades make`,
    find: (facts) =>
      found(
        facts.result.trades >= MIN_TRADES &&
          netOf(facts) > 0 &&
          netWithout(facts, 1) > 0 &&
          netWithout(facts, 5) <= 0,
        () => `without its best five trades the run loses ${money(facts, -netWithout(facts, 5))}`,
      ),
  },
  {
    id: 'one-month',
    when: `a net profit that one of at least ${MIN_MONTHS} months makes`,
    find(facts) {
      const { months } = facts.result;
      const best = Math.max(...months.map(({ net }) => net));
      const isFound = months.length >= MIN_MONTHS && netOf(facts) > 0 && best >= netOf(facts);
      const month = months.find(({ net }) => net === best)?.month;
      return found(isFound, () => `all of the net profit is that of ${month}`);
    },
  },
  {
    id: 'one-symbol',
    when: 'a net profit of several symbols that one of them makes',
    find(facts) {
      const groups = Object.entries(facts.result.by_symbol);
      const [best] = [...groups].sort(([, one], [, other]) => other.net - one.net);
      const isFound =
        groups.length > 1 && netOf(facts) > 0 && best !== undefined && best[1].net >= netOf(facts);
      return found(isFound, () => `all of the net profit is that of ${best?.[0]}`);
    },
  },
  {
    id: 'open-profit',
    when: 'more than half of a net profit lies in positions that are open at the end',
    find(facts) {
      const closed = facts.trades.reduce((sum, { netPnl }) => sum + numberFromFixed(netPnl), 0);
      const open = netOf(facts) - closed;
      const isFound =
        facts.result.open_trades.length > 0 && netOf(facts) > 0 && open > netOf(facts) / 2;
      return found(isFound, () => `${money(facts, open)} of the net profit are not closed`);
    },
  },
  {
    id: 'benchmark',
    when: 'a lower return than buy and hold',
    find({ result: { return_pct: own, benchmark } }) {
      const isFound = own !== null && benchmark.return_pct !== null && own < benchmark.return_pct;
      return found(
        isFound,
        () =>
          `buy and hold returned ${formatPercent(benchmark.return_pct ?? 0)} with the same costs`,
      );
    },
  },
];

/** Rules about figures that real trading does not show. */
const REALISM_RULES: readonly FindingRule[] = [
  {
    id: 'sharpe',
    when: `a Sharpe ratio above ${MAX_SHARPE} over at least ${GROWTH_DAYS} days`,
    find: ({ result: { sharpe, days } }) =>
      found(
        days >= GROWTH_DAYS && (sharpe ?? 0) > MAX_SHARPE,
        () =>
          `a Sharpe ratio of ${formatRatio(sharpe)} is that of an error more often than of a strategy: look for values of the future`,
      ),
  },
  {
    id: 'win-rate',
    when: `more than ${MAX_WIN_RATE} % of at least ${MIN_TRADES} trades won`,
    find: ({ result: { win_rate_pct: rate, trades } }) =>
      found(
        trades >= MIN_TRADES && (rate ?? 0) > MAX_WIN_RATE,
        () =>
          `${formatPercent(rate ?? 0)} of the trades won: one loss may be as large as all of them`,
      ),
  },
  {
    id: 'above-volume',
    when: 'a fill larger than the volume of its candle',
    find: ({ market: { fillsAboveVolume: count } }) =>
      found(count > 0, () => `${count} fills are larger than the volume of their candle`),
  },
  {
    id: 'volume-share',
    when: `a fill above ${MAX_VOLUME_SHARE * 100} % of the volume of its candle`,
    find: ({ market: { largestVolumeShare: share, fillsAboveVolume } }) =>
      found(
        fillsAboveVolume === 0 && share > MAX_VOLUME_SHARE,
        () =>
          `a fill took ${formatPercent(share * 100)} of the volume of its candle: --slippage volume=0.1 counts that`,
      ),
  },
  {
    id: 'bounds',
    when: 'candles that leave open whether the run gains or loses, or a tenth of its net profit',
    find(facts) {
      const { equity_low: low, equity_high: high } = facts.result;
      if (low === null || high === null) return undefined;
      const width = Number(high) - Number(low);
      const start = Number(facts.result.final_equity) - netOf(facts);
      const isSplit = Number(low) < start !== Number(high) < start;
      return found(
        width > 0 && (isSplit || width > Math.abs(netOf(facts)) / 10),
        () =>
          `the order of prices inside candles decides between ${money(facts, Number(low) - start)} and ${money(facts, Number(high) - start)}: --detail-interval gives finer candles`,
      );
    },
  },
  {
    id: 'bounds-not-run',
    when: 'candles that leave the order of their prices open, with `--no-bounds`',
    find: ({ result: { equity_low: low, ambiguous_bars: count } }) =>
      found(
        low === null && count > 0,
        () => `${count} candles leave the order of their prices open, and the bounds were not run`,
      ),
  },
];

/** Rules about costs. */
const COST_RULES: readonly FindingRule[] = [
  {
    id: 'costs-above-profit',
    when: 'a profit of the prices that the costs turn into a loss',
    find: (facts) =>
      found(
        Number(facts.result.price_pnl) > 0 && netOf(facts) <= 0,
        () => `costs of ${money(facts, costsOf(facts))} turn the profit of the prices into a loss`,
      ),
  },
  {
    id: 'thin-margin',
    when: 'a net profit that twice the costs would end',
    find: (facts) =>
      found(
        netOf(facts) > 0 && costsOf(facts) > netOf(facts),
        () =>
          `costs ${formatRatio(Number(facts.result.price_pnl) / costsOf(facts))} times as high would end the net profit`,
      ),
  },
  {
    id: 'no-fees',
    when: 'a taker fee of 0',
    find: ({ inputs }) => found(Number(inputs.taker_fee) === 0, () => 'fees are off (--taker-fee)'),
  },
  {
    id: 'no-slippage',
    when: 'a slippage of 0',
    find: ({ inputs: { slippage } }) =>
      found(
        slippage.kind === 'fixed' && slippage.bps === 0,
        () => 'slippage is off (--slippage auto counts it)',
      ),
  },
  {
    id: 'guessed-funding',
    when: 'one rate for every settlement',
    find: ({ inputs: { funding } }) =>
      found(
        funding.kind === 'rate',
        () => `funding is a guess: one rate of ${funding.rate ?? '0'} for every settlement`,
      ),
  },
];

/** Rules about orders and data. */
const DATA_RULES: readonly FindingRule[] = [
  {
    id: 'liquidations',
    when: 'a liquidation',
    find: ({ result: { liquidations: count } }) =>
      found(count > 0, () => `${count} positions were liquidated: the leverage is too high`),
  },
  {
    id: 'rejected',
    when: 'an order that the exchange rejected',
    find: ({ result: { rejected, rejected_by: by } }) =>
      found(rejected > 0, () => `the exchange rejected ${rejected} orders (${namesOf(by)})`),
  },
  {
    id: 'refused',
    when: 'an order that the risk gate refused',
    find: ({ result: { refused, refused_by: by } }) =>
      found(refused > 0, () => `the risk gate refused ${refused} orders (${namesOf(by)})`),
  },
  {
    id: 'data-gaps',
    when: 'missing candles',
    find: ({ market: { missingCandles: count, candles } }) =>
      found(
        count > 0,
        () => `${formatNumber(count, 0)} candles are missing beside ${formatNumber(candles, 0)}`,
      ),
  },
  {
    id: 'flat-candles',
    when: `${MAX_FLAT_CANDLES} candles in a row at one price, or ${MAX_FLAT_SHARE * 100} % of all candles without a range`,
    find: ({ market: { longestFlat, flatCandles, candles } }) =>
      found(
        longestFlat >= MAX_FLAT_CANDLES || flatCandles > candles * MAX_FLAT_SHARE,
        () =>
          `${formatNumber(flatCandles, 0)} candles have no range, ${formatNumber(longestFlat, 0)} of them in a row at one price: the data may be stale`,
      ),
  },
];

const namesOf = (counts: Readonly<Record<string, number>>): string =>
  Object.keys(counts).join(', ');

/** Every rule, in the order of the findings. */
export const RULES: readonly FindingRule[] = [
  ...DATA_RULES,
  ...REALISM_RULES,
  ...PROFIT_RULES,
  ...COST_RULES,
  ...SAMPLE_RULES,
];

/** The reasons to doubt a result. A run without a fill has none: its summary says why. */
export const findingsOf = (facts: FindingFacts): readonly ResultFinding[] =>
  facts.result.fills === 0
    ? []
    : RULES.flatMap(({ id, find }) => {
        const text = find(facts);
        return text === undefined ? [] : [{ id, text }];
      });
