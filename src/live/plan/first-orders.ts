import {
  absolute,
  sign,
  subtract,
  textFromFixed,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { oppositeSide, type Side } from '../../core/order.js';
import {
  entryStateKey,
  entryTermsOf,
  isReached,
  parseEntryTerms,
  sizeText,
  type SizeChange,
} from '../../strategy/contract/entry-settings.js';
import {
  parseTarget,
  targetStateKey,
  type TargetRecord,
} from '../../strategy/target/persisted-target.js';
import { isReduction } from '../../strategy/target/size/next-leg.js';
import type { Size } from '../../strategy/target/size/sizing.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import type { JournalFacts } from './journal-facts.js';

/** Convictions of the plan. */
const TARGETS = [1, 0, -1] as const;

/** One order that could be sent. */
export interface PlannedOrder {
  readonly side: Side | 'buy or sell';
  /** Base units, where they do not depend on a price; else null. */
  readonly quantity: string | null;
  readonly size: string;
  readonly reduce_only: boolean;
}

/** Orders that one strategy could send for one symbol at its first candle. */
export interface FirstOrders {
  readonly strategy: string;
  readonly symbol: string;
  /** Signed, from the journal. */
  readonly position: string;
  /** Orders of an interrupted exit: sent before any candle. */
  readonly at_start: readonly PlannedOrder[];
  readonly targets: readonly {
    readonly target: (typeof TARGETS)[number];
    readonly orders: readonly PlannedOrder[];
    /** Reason for an empty list. */
    readonly because?: string;
  }[];
}

export function firstOrdersOf(
  strategy: StrategyConfig,
  symbol: string,
  { positions, states }: JournalFacts,
): FirstOrders {
  const { id, size, protect, apply } = strategy;
  const position = positions.get(symbol)?.quantity ?? (ZERO as Quantity);
  const own = states.get(id);
  const entryTerms = parseEntryTerms(own?.get(entryStateKey(symbol)));
  const isChanged =
    entryTerms !== undefined && entryTerms.size !== entryTermsOf(size, protect, undefined).size;
  const resizing = isChanged ? (apply === 'now' ? 'resized' : 'kept') : 'unchanged';
  const storedTarget = parseTarget(own?.get(targetStateKey(symbol)));
  return {
    strategy: id,
    symbol,
    position: textFromFixed(position),
    at_start: ordersAtStart(storedTarget, position),
    targets: TARGETS.map((target) => ({
      target,
      ...ordersForTarget(target, { storedTarget, position, size, resizing }),
    })),
  };
}

/** An unfinished reduction in the journal is resumed at the start. */
function ordersAtStart(
  storedTarget: TargetRecord | undefined,
  position: Quantity,
): readonly PlannedOrder[] {
  if (storedTarget?.desired === undefined || storedTarget.held !== undefined) return [];
  if (!isReduction(storedTarget.desired, position)) return [];
  const rest =
    sign(storedTarget.desired) === sign(position) ? storedTarget.desired : (ZERO as Quantity);
  return [reduction(position, absolute(subtract(position, rest)))];
}

interface TargetInputs {
  readonly storedTarget: TargetRecord | undefined;
  readonly position: Quantity;
  readonly size: Size;
  readonly resizing: SizeChange;
}

function ordersForTarget(
  target: number,
  { storedTarget, position, size, resizing }: TargetInputs,
): { readonly orders: readonly PlannedOrder[]; readonly because?: string } {
  const isSame = storedTarget?.unit === 'conviction' && storedTarget.value === target;
  if (isSame && storedTarget.held !== undefined)
    return { orders: [], because: `given up: ${storedTarget.held}` };
  if (
    isSame &&
    storedTarget.desired !== undefined &&
    isReached(storedTarget.desired, position, resizing)
  )
    return { orders: [], because: 'reached' };
  if (target === 0)
    return position === 0 ? { orders: [], because: 'flat' } : { orders: [closeAll(position)] };
  const side = target > 0 ? 'buy' : 'sell';
  if (sign(position) * target > 0) return { orders: resizeOrders(position, size) };
  return { orders: [...(position === 0 ? [] : [closeAll(position)]), entry(side, size)] };
}

const closeAll = (position: Quantity): PlannedOrder => reduction(position, absolute(position));

const reduction = (position: Quantity, quantity: Quantity): PlannedOrder => ({
  side: oppositeSide(position > 0 ? 'buy' : 'sell'),
  quantity: textFromFixed(quantity),
  size: textFromFixed(quantity),
  reduce_only: true,
});

const entry = (side: Side, size: Size): PlannedOrder => ({
  side,
  quantity: size.kind === 'quantity' ? textFromFixed(size.quantity) : null,
  size: sizeText(size),
  reduce_only: false,
});

/** Orders from a position on the target's side to the target's size. */
function resizeOrders(position: Quantity, size: Size): readonly PlannedOrder[] {
  if (size.kind !== 'quantity') {
    const what = `the difference to ${sizeText(size)}`;
    return [{ side: 'buy or sell', quantity: null, size: what, reduce_only: false }];
  }
  const missing = subtract(size.quantity, absolute(position));
  if (missing === 0) return [];
  if (missing < 0) return [reduction(position, absolute(missing))];
  const quantity = textFromFixed(missing);
  const side = position > 0 ? 'buy' : 'sell';
  return [{ side, quantity, size: quantity, reduce_only: false }];
}
