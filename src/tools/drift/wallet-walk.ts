import {
  add,
  sign,
  subtract,
  unitsOf,
  ZERO,
  type Amount,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { sideSign } from '../../core/order.js';
import { divideHalfEvenBig } from '../../core/fixed/fixed.js';
import type { DriftFill } from './decision-fills.js';

/** One reading of the wallet, between two venue times. */
export interface WalletTotal {
  readonly from: number;
  readonly to: number;
  /** Balance + locked. */
  readonly total: Amount;
}

/** The estimate of the venue's clock, and its whole seconds. */
const SLACK_MS = 2_000;

const isBefore = (fill: DriftFill, { from }: WalletTotal): boolean => fill.to + SLACK_MS <= from;

/** A reading is certain if each fill lies before it or after it. */
export const certainReadings = (
  wallets: readonly WalletTotal[],
  fills: readonly DriftFill[],
): readonly WalletTotal[] =>
  wallets.filter((reading) =>
    fills.every((fill) => isBefore(fill, reading) || fill.from - SLACK_MS > reading.to),
  );

/** The last reading that the next one repeats, else the last one: a list of the venue may lag. */
export function lastCertain(readings: readonly WalletTotal[]): WalletTotal | undefined {
  const repeated = readings.findLast(
    ({ total }, index) => index > 0 && readings[index - 1]?.total === total,
  );
  return repeated ?? readings.at(-1);
}

export const fillsBefore = (
  fills: readonly DriftFill[],
  reading: WalletTotal,
): readonly DriftFill[] => fills.filter((fill) => isBefore(fill, reading));

interface Holding {
  /** Signed. */
  quantity: Quantity;
  /** Quantity × entry price, at least 0, in units of `PRODUCT_PLACES`. */
  cost: bigint;
}

/** The positions of an account. They keep the sum of their cost, as the venue does. */
export class Inventory {
  readonly #held = new Map<string, Holding>();

  get isFlat(): boolean {
    return [...this.#held.values()].every(({ quantity }) => quantity === 0);
  }

  /** @returns the realised profit, USDT in units of `PRODUCT_PLACES` */
  book({ symbol, side, quantity, value }: DriftFill): bigint {
    const held = this.#held.get(symbol) ?? { quantity: ZERO as Quantity, cost: 0n };
    this.#held.set(symbol, held);
    const direction = sideSign(side);
    const signed = direction === 1 ? quantity : (subtract(ZERO as Quantity, quantity) as Quantity);
    const before = unitsOf(held.quantity);
    const size = before < 0n ? -before : before;
    if (sign(held.quantity) !== -direction) {
      held.cost += value;
      held.quantity = add(held.quantity, signed);
      return 0n;
    }
    const traded = unitsOf(quantity);
    const closed = traded < size ? traded : size;
    const closedValue = divideHalfEvenBig(value * closed, traded);
    const closedCost = divideHalfEvenBig(held.cost * closed, size);
    held.cost = traded > size ? value - closedValue : held.cost - closedCost;
    held.quantity = add(held.quantity, signed);
    return direction === -1 ? closedValue - closedCost : closedCost - closedValue;
  }
}

export interface Charges {
  /** Fills and settlements explain them. */
  readonly funding: Amount;
  /** No known cause explains them. */
  readonly unexplained: Amount;
}

/** Settlements of the venue: at 00:00, 08:00 and 16:00 UTC (interface: Asset). */
const SETTLEMENT_MS = 8 * 3_600_000;

/**
 * Charges of the wallet that are no fees, from reading to reading: those across a settlement with an open
 * position are funding.
 */
export function chargesOf(
  readings: readonly WalletTotal[],
  fills: readonly DriftFill[],
  amountOf: (value: bigint) => Amount,
): Charges {
  const inventory = new Inventory();
  const ordered = [...fills].sort((a, b) => a.to - b.to);
  let [next, funding, unexplained] = [0, ZERO as Amount, ZERO as Amount];
  for (const [index, reading] of readings.entries()) {
    const last = readings[index - 1];
    if (last === undefined) continue;
    let expected = ZERO as Amount;
    let isExposed = !inventory.isFlat;
    for (; next < ordered.length && isBefore(ordered[next] as DriftFill, reading); next += 1) {
      const fill = ordered[next] as DriftFill;
      expected = add(expected, subtract(amountOf(inventory.book(fill)), fill.fee));
      isExposed = true;
    }
    const charged = subtract(expected, subtract(reading.total, last.total));
    const settles = Math.floor(reading.to / SETTLEMENT_MS) > Math.floor(last.from / SETTLEMENT_MS);
    if (isExposed && settles) funding = add(funding, charged);
    else unexplained = add(unexplained, charged);
  }
  return { funding, unexplained };
}
