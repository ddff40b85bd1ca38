import { numberFromFixed } from '../../core/fixed/fixed.js';
import { formatPercent } from '../../report/figure-format.js';
import { found, MIN_TRADES, amountOfRun, netOf, netWithout, type FindingRule } from './finding.js';

const MIN_MONTHS = 6;

/** Rules about a profit that rests on little. */
export const PROFIT_RULES: readonly FindingRule[] = [
  {
    id: 'one-trade',
    when: 'a net profit that the best trade alone makes',
    find: (facts) =>
      found(
        netOf(facts) > 0 && netWithout(facts, 1) <= 0,
        () => `without its best trade the run loses ${amountOfRun(facts, -netWithout(facts, 1))}`,
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
        () =>
          `without its best five trades the run loses ${amountOfRun(facts, -netWithout(facts, 5))}`,
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
      return found(isFound, () => `${amountOfRun(facts, open)} of the net profit are not closed`);
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
