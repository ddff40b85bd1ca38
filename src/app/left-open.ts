import { textFromFixed } from '../core/fixed.js';
import type { LeftOpen } from '../engine/engine.js';

/** Our open positions and orders, as `run --json` tells them. */
export interface LeftOpenRow {
  readonly positions: readonly {
    readonly symbol: string;
    readonly currency: string;
    readonly quantity: string;
  }[];
  readonly orders: readonly {
    readonly client_order_id: string;
    readonly symbol: string;
    readonly side: string;
    readonly remaining: string;
    readonly state: string;
  }[];
}

export const leftOpenRow = ({ positions, orders }: LeftOpen): LeftOpenRow => ({
  positions: positions.map(({ symbol, currency, quantity }) => ({
    symbol,
    currency,
    quantity: textFromFixed(quantity),
  })),
  orders: orders.map(({ clientOrderId, terms: { symbol, side }, remaining, state }) => ({
    client_order_id: clientOrderId,
    symbol,
    side,
    remaining: textFromFixed(remaining),
    state,
  })),
});

/** `2 positions (1 BTCUSDT, -3 ETHUSDT) and 4 orders`. */
export function leftOpenCounts(left: LeftOpen): string {
  const { positions } = leftOpenRow(left);
  const held = positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`);
  const names = held.length === 0 ? '' : ` (${held.join(', ')})`;
  return `${counted(held.length, 'position')}${names} and ${counted(left.orders.length, 'order')}`;
}

/** Every position and order by its name; no lines where nothing is open. */
export function leftOpenLines(left: LeftOpen): readonly string[] {
  const { positions, orders } = leftOpenRow(left);
  return [
    ...positions.map(({ symbol, quantity }) => `still open: position ${quantity} ${symbol}`),
    ...orders.map(
      (order) =>
        `still open: order ${order.client_order_id}, ${order.side} ${order.remaining} ${order.symbol}, ${order.state}`,
    ),
  ];
}

export const FLATTEN_GOES_ON =
  'the flatten is not at its end: the next run with this state_dir goes on with it before it trades; sluice run --drop-flatten withdraws it';

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
