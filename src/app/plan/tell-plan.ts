import type { Logger } from '../../core/ports.js';
import type { Plan } from './plan.js';
import { firstOrdersText, unfinishedLines } from './plan-text.js';

/**
 * Says at a start what differs from the journal, before anything is traded, and what the first candle could
 * send where something is open. A start that refuses a difference does it by its `kind`.
 */
export function tellPlan(plan: Plan, logger: Logger): void {
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
