import type { Logger } from '../../core/ports.js';
import { oneLine } from '../../core/terminal-text.js';
import type { FirstOrders, PlannedOrder } from './first-orders.js';
import type { StartPlan } from './start-plan.js';

/** Text of a plan, one fact per line. `killSwitchSet`: a start would place nothing. */
export function planText(plan: StartPlan, killSwitchSet = false): string {
  const lines = [
    ...plan.positions.map(
      ({ symbol, quantity, opened_by: by }) =>
        `position: ${quantity} ${symbol}${by === null ? '' : `, opened by ${by}`}`,
    ),
    ...(plan.differences.length === 0
      ? ['configuration and journal agree']
      : plan.differences.map(({ kind, text }) => `${kind}: ${text}`)),
    ...unfinishedLines(plan),
    ...(killSwitchSet ? [] : plan.first_orders).map(
      (each) => `first candle, ${firstOrdersText(each)}`,
    ),
    ...plan.not_known.map((what) => `not known: ${what}`),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

/**
 * Logs the plan of a start before anything is traded: each difference from the journal, and the first
 * orders of every symbol with an open position.
 */
export function logPlan(plan: StartPlan, logger: Logger): void {
  for (const { kind, symbol, strategy, text } of plan.differences)
    logger.warn({ kind, symbol, ...(strategy !== undefined && { strategy }) }, text);
  for (const line of unfinishedLines(plan)) logger.info({}, line);
  for (const first of plan.first_orders) {
    const isHeld = plan.differences.some(
      ({ kind, symbol }) => kind === 'held' && symbol === first.symbol,
    );
    if (first.position === '0' && !isHeld) continue;
    const { strategy, symbol } = first;
    logger.info({ strategy, symbol }, `first candle could send: ${firstOrdersText(first)}`);
  }
}

const unfinishedLines = ({ unfinished }: StartPlan): readonly string[] => {
  if (unfinished.length === 0) return [];
  return [`unfinished orders, resolved before the first trade: ${unfinishedText(unfinished)}`];
};

export const unfinishedText = (unfinished: StartPlan['unfinished']): string =>
  unfinished.map(({ symbol, state }) => `${symbol} ${state}`).join(', ');

/** `btc-cross BTCUSDT at 0.1: target 1: nothing (reached); target 0: sell 0.1 reduce-only; …`. */
function firstOrdersText(first: FirstOrders): string {
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
