import { absolute, sign, subtract, textFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import { opposite, type Side } from '../../core/order.js';
import {
  entryKeyOf,
  entryTermsOf,
  isReached,
  readEntryTerms,
  sizeText,
  type Resizing,
} from '../../strategy/entry-settings.js';
import { readTarget, targetKeyOf, type Target } from '../../strategy/kept-target.js';
import { isReduction } from '../../strategy/size/target.js';
import type { Size } from '../../strategy/size/sizing.js';
import type { StrategyConfig } from '../config.js';
import type { JournalFacts } from './journal-facts.js';

/** Convictions that are asked for. */
const TARGETS = [1, 0, -1] as const;

/** One order that could be sent. */
export interface PlannedOrder {
  readonly side: Side | 'buy or sell';
  /** Base units, where they are known without a price; else the size as it is configured. */
  readonly quantity: string | null;
  readonly size: string;
  readonly reduce_only: boolean;
}

/** The orders that one strategy could send for one symbol at its first candle. */
export interface FirstOrders {
  readonly strategy: string;
  readonly symbol: string;
  /** Signed, as the journal leaves it. */
  readonly position: string;
  /** Of an exit that was under way: sent before any candle. */
  readonly at_start: readonly PlannedOrder[];
  readonly targets: readonly {
    readonly target: (typeof TARGETS)[number];
    readonly orders: readonly PlannedOrder[];
    /** Why there is none. */
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
  const entered = readEntryTerms(own?.get(entryKeyOf(symbol)));
  const isChanged =
    entered !== undefined && entered.size !== entryTermsOf(size, protect, undefined).size;
  const resizing = isChanged ? (apply === 'now' ? 'resized' : 'kept') : 'unchanged';
  const kept = readTarget(own?.get(targetKeyOf(symbol)));
  return {
    strategy: id,
    symbol,
    position: textFromFixed(position),
    at_start: atStart(kept, position),
    targets: TARGETS.map((target) => ({
      target,
      ...ordersTo(target, { kept, position, size, resizing }),
    })),
  };
}

/** A reduction that the journal leaves undone is taken up at the start. */
function atStart(kept: Target | undefined, position: Quantity): readonly PlannedOrder[] {
  if (kept?.desired === undefined || kept.held !== undefined) return [];
  if (!isReduction(kept.desired, position)) return [];
  const rest = sign(kept.desired) === sign(position) ? kept.desired : (ZERO as Quantity);
  return [reduction(position, absolute(subtract(position, rest)))];
}

interface Ground {
  readonly kept: Target | undefined;
  readonly position: Quantity;
  readonly size: Size;
  readonly resizing: Resizing;
}

function ordersTo(
  target: number,
  { kept, position, size, resizing }: Ground,
): { readonly orders: readonly PlannedOrder[]; readonly because?: string } {
  const isSame = kept?.unit === 'conviction' && kept.value === target;
  if (isSame && kept.held !== undefined) return { orders: [], because: `given up: ${kept.held}` };
  if (isSame && kept.desired !== undefined && isReached(kept.desired, position, resizing))
    return { orders: [], because: 'reached' };
  if (target === 0)
    return position === 0 ? { orders: [], because: 'flat' } : { orders: [allOff(position)] };
  const side = target > 0 ? 'buy' : 'sell';
  if (sign(position) * target > 0) return { orders: changeOf(position, size) };
  return { orders: [...(position === 0 ? [] : [allOff(position)]), entry(side, size)] };
}

const allOff = (position: Quantity): PlannedOrder => reduction(position, absolute(position));

const reduction = (position: Quantity, quantity: Quantity): PlannedOrder => ({
  side: opposite(position > 0 ? 'buy' : 'sell'),
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

/** From a position of the wanted side to the wanted size. */
function changeOf(position: Quantity, size: Size): readonly PlannedOrder[] {
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
