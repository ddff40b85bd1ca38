import { formatRatio } from '../../report/figure-format.js';
import { costsOf, found, amountOfRun, netOf, type FindingRule } from './finding.js';

/** Rules about costs. */
export const COST_RULES: readonly FindingRule[] = [
  {
    id: 'costs-above-profit',
    when: 'a profit of the prices that the costs turn into a loss',
    find: (facts) =>
      found(
        Number(facts.result.price_pnl) > 0 && netOf(facts) <= 0,
        () =>
          `costs of ${amountOfRun(facts, costsOf(facts))} turn the profit of the prices into a loss`,
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
