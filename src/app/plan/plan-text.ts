import { oneLine } from '../../core/terminal-text.js';
import type { FirstOrders, PlannedOrder } from './first-orders.js';
import type { Plan } from './plan.js';

/** The same for a person, one fact a line. `isKilled`: a start would place nothing. */
export function planText(plan: Plan, isKilled = false): string {
  const lines = [
    ...plan.positions.map(
      ({ symbol, quantity, opened_by: by }) =>
        `position: ${quantity} ${symbol}${by === null ? '' : `, opened by ${by}`}`,
    ),
    ...(plan.differences.length === 0
      ? ['configuration and journal say the same']
      : plan.differences.map(({ kind, text }) => `${kind}: ${text}`)),
    ...unfinishedLines(plan),
    ...(isKilled ? [] : plan.first_orders).map((each) => `first candle, ${firstOrdersText(each)}`),
    ...plan.not_known.map((what) => `not known: ${what}`),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

export const unfinishedLines = ({ unfinished }: Plan): readonly string[] => {
  if (unfinished.length === 0) return [];
  return [
    `orders that have not ended, looked up before anything is traded: ${unfinishedText(unfinished)}`,
  ];
};

export const unfinishedText = (unfinished: Plan['unfinished']): string =>
  unfinished.map(({ symbol, state }) => `${symbol} ${state}`).join(', ');

/** `btc-cross BTCUSDT at 0.1: target 1: nothing (reached); target 0: sell 0.1 reduce-only; …`. */
export function firstOrdersText(first: FirstOrders): string {
  const { strategy, symbol, position, at_start: start, targets } = first;
  const before = start.length === 0 ? '' : `at the start ${ordersText(start)}; `;
  const each = targets.map(({ target, orders, because }) => {
    const none = because === undefined ? 'nothing' : `nothing (${because})`;
    return `target ${target}: ${orders.length === 0 ? none : ordersText(orders)}`;
  });
  return `${strategy} ${symbol} at ${position}: ${before}${each.join('; ')}`;
}

const ordersText = (orders: readonly PlannedOrder[]): string =>
  orders
    .map(
      ({ side, size, reduce_only: reduces }) => `${side} ${size}${reduces ? ' reduce-only' : ''}`,
    )
    .join(', then ');
