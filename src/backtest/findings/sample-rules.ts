import { formatNumber, formatPercent } from '../../report/figure-format.js';
import { found, MIN_TRADES, netOf, type FindingRule } from './finding.js';

const MIN_DAYS = 90;
const SIGNIFICANCE = 0.05;
const TRADES_PER_PARAMETER = 10;

/** Rules about the size of the sample. */
export const SAMPLE_RULES: readonly FindingRule[] = [
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
