import type { FeeReport } from '../../core/account.js';
import {
  add,
  fixedFromText,
  isAtLeast,
  isLess,
  multiply,
  ONE,
  subtract,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { FilledOrder } from './account-lists.js';
import { UNATTRIBUTED, type OrderOwners, type Owner } from './owner.js';

/** Times of the venue are whole seconds, and a charge may be booked a second after its fill. */
const SLACK_MS = 2_000;
/** The venue rounds a traded value, in rupees to two places. */
const ROUNDING: Amount = fixedFromText('0.01');
const ROUNDING_SHARE: Ratio = fixedFromText('0.001');

interface ChargedOrder {
  readonly order: FilledOrder;
  readonly owner: Owner;
  /** Traded value without a charge of the kind so far, in the order's currency. */
  readonly uncharged: Map<FeeReport['kind'], Amount>;
}

/** The order behind a charge. */
export interface ChargedBy {
  readonly owner: Owner;
  /** Absent: several orders fit. */
  readonly order?: FilledOrder;
}

/**
 * Finds the order behind a fee or rebate. The venue's rows name no order, only symbol, role, side, type, value
 * and second. If several orders fit, it is the one whose uncharged value is enough and nearest to the row's. If
 * none has enough, the owner is known only where all of them have the same.
 */
export class ChargeOwners {
  readonly #bySymbol = new Map<string, ChargedOrder[]>();

  constructor(orders: readonly FilledOrder[], owners: OrderOwners) {
    for (const order of orders) {
      const entry = { order, owner: owners.ofOrder(order), uncharged: new Map() };
      const others = this.#bySymbol.get(order.symbol);
      if (others === undefined) this.#bySymbol.set(order.symbol, [entry]);
      else others.push(entry);
    }
  }

  /** @returns undefined: no listed order fits */
  chargedBy(row: FeeReport): ChargedBy | undefined {
    const fitting = (this.#bySymbol.get(row.symbol) ?? []).filter(({ order }) => fits(order, row));
    const [first] = fitting;
    if (first === undefined) return undefined;
    const least = subtract(row.value, add(ROUNDING, multiply(row.value, ROUNDING_SHARE)));
    let nearest: ChargedOrder | undefined;
    for (const each of fitting) {
      const left = unchargedOf(each, row.kind);
      if (!isAtLeast(left, least)) continue;
      if (nearest === undefined || isLess(left, unchargedOf(nearest, row.kind))) nearest = each;
    }
    if (nearest === undefined) {
      const isSole = fitting.every(({ owner }) => owner === first.owner);
      return { owner: isSole ? first.owner : UNATTRIBUTED };
    }
    nearest.uncharged.set(row.kind, subtract(unchargedOf(nearest, row.kind), row.value));
    return nearest;
  }
}

function fits(order: FilledOrder, { order: charged, createdAt }: FeeReport): boolean {
  if (charged === undefined || charged.role !== order.role) return false;
  const isSameSide = charged.side === undefined || charged.side === order.side;
  const from = (order.createdAt ?? Number.NEGATIVE_INFINITY) - SLACK_MS;
  const to = (order.updatedAt ?? Number.POSITIVE_INFINITY) + SLACK_MS;
  return isSameSide && charged.type === order.type && createdAt >= from && createdAt <= to;
}

const unchargedOf = ({ order, uncharged }: ChargedOrder, kind: FeeReport['kind']): Amount =>
  uncharged.get(kind) ?? tradedValue(order);

function tradedValue({ averagePrice, price, filledQuantity, hedgeRate }: FilledOrder): Amount {
  const at = averagePrice ?? price ?? (ZERO as Price);
  return multiply(multiply<'USDT'>(at, filledQuantity), hedgeRate ?? ONE);
}
