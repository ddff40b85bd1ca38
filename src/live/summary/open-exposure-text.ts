import { textFromFixed } from '../../core/fixed/fixed.js';
import { countText } from '../../core/terminal-text.js';
import type { LeftOpen } from '../../engine/account/open-exposure.js';

/** Our open positions and orders, as in `run --json`. */
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
  const positionTexts = positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`);
  const names = positionTexts.length === 0 ? '' : ` (${positionTexts.join(', ')})`;
  return `${countText(positionTexts.length, 'position')}${names} and ${countText(left.orders.length, 'order')}`;
}

/** One line for every position and order; none where nothing is open. */
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

/** Under kill level `cancel`. */
export const REFUSED_FLATTEN_TEXT =
  'on_stop: flatten closes nothing, because the kill level cancel refuses exits too; sluice kill --level flatten closes the positions';

export const UNFINISHED_FLATTEN_TEXT =
  'the flatten is unfinished: the next run with this state_dir continues it before it trades; sluice run --drop-flatten withdraws it';
