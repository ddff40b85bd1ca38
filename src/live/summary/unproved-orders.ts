import { textFromFixed } from '../../core/fixed/fixed.js';
import type { Engine } from '../../engine/engine.js';
import { blocksEntries } from '../../engine/order/unproved-exit.js';
import type { OwnOrder } from '../../execution/order/own-order.js';

/** An order of ours without proof of whether the venue has it. */
export interface UnprovedOrder {
  readonly client_order_id: string;
  readonly symbol: string;
  readonly side: string;
  readonly quantity: string;
  readonly reduce_only: boolean;
  readonly state: string;
  /** Whole seconds since it became unproved in this process. */
  readonly for_s: number;
  /** Why no fence under its id was possible at the last attempt; null: nothing prevented it. */
  readonly fence: string | null;
  /** Whether entries of the symbol wait for its proof. */
  readonly holds_entries: boolean;
}

type OrderSources = Pick<Engine, 'ledger' | 'stamp'>;

/** The longest unproved first. */
export function unprovedOrders({ ledger, stamp }: OrderSources): readonly UnprovedOrder[] {
  return [...ledger.allOpenOrders()]
    .filter(({ unproved }) => unproved)
    .map((order) => unprovedRow(order, stamp.monotonic))
    .sort((a, b) => b.for_s - a.for_s);
}

/** @param monotonic ms of this process, now */
export function unprovedRow(order: OwnOrder, monotonic: number): UnprovedOrder {
  const { terms, state, unprovedSince = monotonic, fenceRefusal } = order;
  return {
    client_order_id: order.clientOrderId,
    symbol: terms.symbol,
    side: terms.side,
    quantity: textFromFixed(terms.quantity),
    reduce_only: terms.reduceOnly,
    state,
    for_s: Math.round((monotonic - unprovedSince) / 1_000),
    fence: fenceRefusal ?? null,
    holds_entries: blocksEntries(order),
  };
}

/** `exit of BTCUSDT unproved for 40 s` */
export const unprovedText = ({ reduce_only: isExit, symbol, for_s: seconds }: UnprovedOrder) =>
  `${isExit ? 'exit' : 'entry'} of ${symbol} unproved for ${seconds} s`;

/** The same, with its consequence and the command that ends it. */
export function unprovedAdvice(row: UnprovedOrder): string {
  const { client_order_id: id, symbol, side, quantity, fence, holds_entries: holds } = row;
  return [
    `${unprovedText(row)} (${side} ${quantity}, ${row.state})`,
    ...(holds ? [`entries of ${symbol} wait for it (UNPROVED)`] : []),
    ...(fence === null ? [] : [`no fence under its id: ${fence}`]),
    `\`sluice order resolve ${id} --never-landed\` ends it if you know that it never landed`,
  ].join('; ');
}
