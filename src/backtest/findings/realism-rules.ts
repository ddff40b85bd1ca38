import { formatCount, formatPercent, formatRatio } from '../../report/figure-format.js';
import { found, MIN_TRADES, amountOfRun, netOf, type FindingRule } from './finding.js';

const GROWTH_DAYS = 30;
/** Daily Sharpe ratios of real funds above it are rare, those of look-ahead are not. */
const MAX_SHARPE = 5;
const MAX_WIN_RATE = 95;
/** Share of the volume of a candle that an order takes without a doubt about its price. */
const MAX_VOLUME_SHARE = 0.1;

/** Rules about figures that real trading does not show. */
export const REALISM_RULES: readonly FindingRule[] = [
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
      found(
        count > 0,
        () =>
          `${formatCount(count, 'fill')} ${count === 1 ? 'is larger than the volume of its' : 'are larger than the volume of their'} candle`,
      ),
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
          `the order of prices inside candles decides between ${amountOfRun(facts, Number(low) - start)} and ${amountOfRun(facts, Number(high) - start)}: --detail-interval gives finer candles`,
      );
    },
  },
  {
    id: 'bounds-not-run',
    when: 'candles that leave the order of their prices open, with `--no-bounds`',
    find: ({ result: { equity_low: low, ambiguous_bars: count } }) =>
      found(
        low === null && count > 0,
        () =>
          `${formatCount(count, 'candle')} ${count === 1 ? 'leaves the order of its' : 'leave the order of their'} prices open, and the bounds were not run`,
      ),
  },
];
