import type { Intent } from '../../strategy/contract/intent.js';

/** Subjects of a decision: target or side, price, stop, take profit, size, or the key of an order. */
export type DecisionField = 'target' | 'price' | 'stop' | 'take_profit' | 'size' | 'order';

/** A request of a strategy, with the candle before which it knew no more. */
export interface StrategyDecision {
  /** Open time of the last candle of the data that the run had reached, ms UTC. */
  readonly candle: number;
  readonly strategy: string;
  /** Empty where the request names none. */
  readonly symbol: string;
  readonly kind: Intent['kind'];
  /** Values as given, in the order of their importance. */
  readonly fields: readonly (readonly [DecisionField, number | string])[];
}

export function decisionOf(intent: Intent, candle: number, strategy: string): StrategyDecision {
  const symbol = intent.kind === 'cancel' ? '' : intent.symbol;
  return { candle, strategy, symbol, kind: intent.kind, fields: fieldsOf(intent) };
}

function fieldsOf(intent: Intent): StrategyDecision['fields'] {
  switch (intent.kind) {
    case 'target':
      return [['target', intent.conviction]];
    case 'target-quantity':
      return [['size', intent.quantity]];
    case 'exit':
      return [['target', 0]];
    case 'enter': {
      const { side, conviction, quantity, stopLoss, takeProfit } = intent.request;
      return present([
        ['target', side],
        ['size', quantity ?? conviction],
        ['stop', stopLoss],
        ['take_profit', takeProfit],
      ]);
    }
    case 'limit': {
      const { side, price, quantity } = intent.request;
      return present([
        ['target', side],
        ['price', price],
        ['size', quantity],
      ]);
    }
    case 'protect': {
      const { stopLoss, takeProfit } = intent.request;
      return present([
        ['stop', stopLoss],
        ['take_profit', takeProfit],
      ]);
    }
    case 'cancel':
      return [['order', intent.orderKey]];
  }
}

const present = (
  fields: readonly (readonly [DecisionField, number | string | undefined])[],
): StrategyDecision['fields'] =>
  fields.flatMap(([field, value]) => (value === undefined ? [] : [[field, value] as const]));

/** Kinds that set a state: the same request again changes nothing. */
const STATES: ReadonlySet<Intent['kind']> = new Set(['target', 'target-quantity', 'exit']);

/** The decisions of a run, without repetitions of a state. */
export class DecisionLog {
  readonly decisions: StrategyDecision[] = [];
  readonly #states = new Map<string, StrategyDecision>();

  add(decision: StrategyDecision): void {
    if (STATES.has(decision.kind)) {
      const key = `${decision.strategy} ${decision.symbol}`;
      const before = this.#states.get(key);
      this.#states.set(key, decision);
      if (before !== undefined && isSame(before, decision)) return;
    }
    this.decisions.push(decision);
  }
}

/** The same request: what differs is the candle alone. */
export const isSame = (one: StrategyDecision, other: StrategyDecision): boolean =>
  one.kind === other.kind &&
  one.symbol === other.symbol &&
  one.strategy === other.strategy &&
  one.fields.length === other.fields.length &&
  one.fields.every(
    ([field, value], index) =>
      field === other.fields[index]?.[0] && Object.is(value, other.fields[index]?.[1]),
  );

/** "BTCUSDT enter buy, stop 64000"; "no request" */
export function decisionText(decision: StrategyDecision | undefined): string {
  if (decision === undefined) return 'no request';
  const { symbol, kind, fields } = decision;
  const values = fields.map(([field, value]) =>
    field === 'target' ? String(value) : `${field} ${String(value)}`,
  );
  return [symbol, kind, kind === 'exit' ? '' : values.join(', ')]
    .filter((word) => word !== '')
    .join(' ');
}
