import { formatCount, formatNumber, formatPercent } from '../../report/figure-format.js';
import { found, type FindingRule } from './finding.js';

const MAX_FLAT_CANDLES = 60;
const MAX_FLAT_SHARE = 0.05;
const MIN_COVERED_SHARE = 0.98;

/** Rules about orders and data. */
export const DATA_RULES: readonly FindingRule[] = [
  {
    id: 'liquidations',
    when: 'a liquidation',
    find: ({ result: { liquidations: count } }) =>
      found(
        count > 0,
        () =>
          `${formatCount(count, 'position')} ${count === 1 ? 'was' : 'were'} liquidated: the leverage is too high`,
      ),
  },
  {
    id: 'rejected',
    when: 'an order that the exchange rejected',
    find: ({ result: { rejected, rejected_by: by } }) =>
      found(
        rejected > 0,
        () => `the exchange rejected ${formatCount(rejected, 'order')} (${namesOf(by)})`,
      ),
  },
  {
    id: 'refused',
    when: 'an order that the risk gate refused',
    find: ({ result: { refused, refused_by: by } }) =>
      found(
        refused > 0,
        () => `the risk gate refused ${formatCount(refused, 'order')} (${namesOf(by)})`,
      ),
  },
  {
    id: 'data-gaps',
    when: 'missing candles',
    find: ({ market: { missingCandles: count, answeredCandles: answered, candles } }) =>
      found(
        count > 0,
        () =>
          `${formatCount(count, 'candle')} ${count === 1 ? 'is' : 'are'} missing beside ${formatNumber(candles, 0)}${answeredText(count, answered)}`,
      ),
  },
  {
    id: 'data-ranges',
    when: `a symbol whose candles cover less than ${MIN_COVERED_SHARE * 100} % of the period of the others`,
    find: ({ market: { shortest } }) =>
      shortest === undefined || shortest.share >= MIN_COVERED_SHARE
        ? undefined
        : `${shortest.symbol} has candles from ${dayOf(shortest.fromMs)} to ${dayOf(shortest.toMs)} alone, ${formatPercent(shortest.share * 100)} of the period: its trades and its part of buy and hold have only that time`,
  },
  {
    id: 'flat-candles',
    when: `${MAX_FLAT_CANDLES} candles in a row at one price, or ${MAX_FLAT_SHARE * 100} % of all candles without a range`,
    find: ({ market: { longestFlat, flatCandles, candles } }) =>
      found(
        longestFlat >= MAX_FLAT_CANDLES || flatCandles > candles * MAX_FLAT_SHARE,
        () =>
          `${formatCount(flatCandles, 'candle')} ${flatCandles === 1 ? 'has' : 'have'} no range, ${formatNumber(longestFlat, 0)} of them in a row at one price: the data may be stale`,
      ),
  },
];

/** The venue leaves out a candle without a trade: no download fills such a gap. */
function answeredText(count: number, answered: number): string {
  if (answered === 0) return '';
  return answered === count
    ? ': the venue has none at these times'
    : `: the venue has none at the times of ${formatNumber(answered, 0)} of them`;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const namesOf = (counts: Readonly<Record<string, number>>): string =>
  Object.keys(counts).join(', ');
