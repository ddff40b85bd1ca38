import { isSame, type StrategyDecision, type DecisionField } from './decision.js';

/** The first point at which two runs decide differently. */
export interface DecisionDifference {
  /** Open time of the candle of the data, ms UTC. */
  readonly candle: number;
  readonly strategy: string;
  readonly symbol: string;
  readonly field: DecisionField;
  /** undefined: it decided nothing there. */
  readonly before: StrategyDecision | undefined;
  readonly after: StrategyDecision | undefined;
}

/**
 * Compares the decisions of two runs in their order.
 * @param until decisions on later candles are left out; ms UTC
 */
export function firstDifference(
  one: readonly StrategyDecision[],
  other: readonly StrategyDecision[],
  until = Infinity,
): DecisionDifference | undefined {
  for (let index = 0; ; index += 1) {
    const before = within(one[index], until);
    const after = within(other[index], until);
    if (before === undefined && after === undefined) return undefined;
    if (before !== undefined && after !== undefined && before.candle === after.candle) {
      if (isSame(before, after)) continue;
      return differenceOf(before, after, fieldOf(before, after));
    }
    // One of them decided alone on the earlier candle.
    const isFirst = (before?.candle ?? Infinity) < (after?.candle ?? Infinity);
    const [only] = (isFirst ? before : after)?.fields[0] ?? ['target'];
    return isFirst ? differenceOf(before, undefined, only) : differenceOf(undefined, after, only);
  }
}

const within = (
  decision: StrategyDecision | undefined,
  until: number,
): StrategyDecision | undefined =>
  decision !== undefined && decision.candle <= until ? decision : undefined;

function differenceOf(
  before: StrategyDecision | undefined,
  after: StrategyDecision | undefined,
  field: DecisionField,
): DecisionDifference {
  const { candle, strategy, symbol } = (before ?? after) as StrategyDecision;
  return { candle, strategy, symbol, field, before, after };
}

/** The first field with two values. */
function fieldOf(before: StrategyDecision, after: StrategyDecision): DecisionField {
  const values = new Map(after.fields);
  const changed = before.fields.find(([field, value]) => !Object.is(values.get(field), value));
  const added = after.fields.find(([field]) => before.fields.every(([own]) => own !== field));
  return (changed ?? added ?? before.fields[0] ?? (['target'] as const))[0];
}
