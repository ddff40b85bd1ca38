import { DAY_MS } from '../../core/interval.js';
import { lossStreakText } from '../../risk/controls/losses.js';
import { tradingDayOf } from '../../risk/loss/trading-day.js';
import { enforces } from '../../risk/preset.js';
import type { LimitInputs } from './limits/limit-reading.js';

type PauseInputs = Pick<LimitInputs, 'currency' | 'facts' | 'limits' | 'preset'>;

/** Reasons for which the gate refuses every entry until a known time, although the mode is TRADING. */
export function entryPauses(inputs: PauseInputs): readonly string[] {
  return [lossStreakPause(inputs), dayOrdersPause(inputs)].filter((text) => text !== undefined);
}

function lossStreakPause({ currency, facts, limits, preset }: PauseInputs): string | undefined {
  const until = facts.losses(currency)?.pausedUntil;
  const { streak } = limits.loss;
  if (!enforces(preset, 'R26') || streak === undefined) return undefined;
  if (until === undefined || until <= facts.venueTime) return undefined;
  return `R26: ${lossStreakText(streak.losses, until)}`;
}

function dayOrdersPause({ currency, facts, limits, preset }: PauseInputs): string | undefined {
  const orders = facts.losses(currency)?.orders;
  const { maxDayOrders } = limits.loss;
  if (!enforces(preset, 'R40') || orders === undefined || orders < maxDayOrders) return undefined;
  const nextDay = tradingDayOf(facts.venueTime) + DAY_MS;
  return (
    `R40: ${orders} of ${maxDayOrders} orders of the venue day (max_orders_per_day): ` +
    `entries pause until ${new Date(nextDay).toISOString()}`
  );
}
