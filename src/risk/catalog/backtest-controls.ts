import type { ControlId } from '../control-id.js';

/** Controls that a backtest cannot evaluate, with the reason. */
export const NOT_IN_BACKTESTS: readonly {
  readonly controls: readonly ControlId[];
  readonly why: string;
}[] = [
  { controls: ['R05', 'R06'], why: 'prices and account are current at every candle' },
  { controls: ['R11'], why: 'the simulated exchange has no rate limits' },
  {
    controls: ['R18', 'R22'],
    why: 'the stops of the simulated exchange stay, and no one else trades',
  },
  {
    controls: ['R23', 'R25', 'R36', 'R37'],
    why: 'no answer is lost, no start fails, and there is one clock',
  },
  { controls: ['R38', 'R43'], why: 'both need live prices within a minute' },
  {
    controls: ['R30', 'R31', 'R35', 'R42', 'R44'],
    why: 'there is no start of a process, no person and no rate that ages',
  },
];

/** The same in one line. */
export const notInBacktestsText = (): string =>
  `not evaluated in a backtest: ${NOT_IN_BACKTESTS.flatMap(({ controls }) => controls)
    .toSorted()
    .join(', ')} (docs/risk.md)`;
