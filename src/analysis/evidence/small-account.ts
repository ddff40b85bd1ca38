import { marketsOf, type BacktestPlan } from '../../backtest/plan.js';
import type { BacktestRun } from '../../backtest/run.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';

/** USDT. */
const EQUITIES = [1_000, 5_000] as const;
/** An instrument whose rules are unknown has this least quantity. */
const NO_MINIMUM = 1e-8;

/**
 * Counts the entries that an account of another size could not place: their quantity in proportion to the equity at the
 * start, rounded down to the step, is below the venue's least quantity or value.
 * @returns null where no symbol has a minimum
 */
export function smallAccounts(
  plan: BacktestPlan,
  run: BacktestRun,
  rate: number,
): ProfitEvidence['below_minimum'] {
  const instruments = new Map(
    marketsOf(plan).map(({ instrument }) => [instrument.symbol, instrument]),
  );
  if ([...instruments.values()].every(hasNoMinimum)) return null;
  const cash = numberFromFixed(plan.cash) / rate;
  const entries = run.fills.filter(({ realisedPnl }) => realisedPnl === undefined);
  return EQUITIES.map((equity_usdt) => {
    const below = entries.filter(({ order, execution }) => {
      const instrument = instruments.get(order.symbol);
      if (instrument === undefined) return false;
      const quantity = numberFromFixed(execution.quantity) * (equity_usdt / cash);
      return isBelow(quantity, numberFromFixed(execution.price), instrument);
    });
    return { equity_usdt, entries: entries.length, below: below.length };
  });
}

function isBelow(quantity: number, price: number, instrument: Instrument): boolean {
  const step = numberFromFixed(instrument.quantityStep);
  // A quotient of floats may end just below a whole number of steps.
  const rounded = Math.floor(quantity / step + 1e-9) * step;
  return (
    rounded < numberFromFixed(instrument.minQuantity) - 1e-12 ||
    rounded * price < numberFromFixed(instrument.minNotional)
  );
}

const hasNoMinimum = ({ minQuantity, minNotional }: Instrument): boolean =>
  numberFromFixed(minQuantity) <= NO_MINIMUM && numberFromFixed(minNotional) === 0;
