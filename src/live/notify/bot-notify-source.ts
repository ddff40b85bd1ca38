import { textFromFixed } from '../../core/fixed/fixed.js';
import { nominalMs } from '../../core/interval.js';
import type { Clock } from '../../core/ports.js';
import type { Bot } from '../bot/bot.js';
import type { CandleTimes } from '../status/candle-times.js';
import { engineAlertFacts } from './engine-alert-facts.js';
import type { NotifySource } from './notify-service.js';

/** A strategy's last candle may be this much older than its interval, venue ms: delivery, repair, a gap. */
const CANDLE_GRACE_MS = 120_000;

export interface BotNotifySourceParts {
  readonly bot: Bot;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly candleTimes: CandleTimes;
}

/** The state of a running bot for its alerts. */
export const botNotifySource = ({
  bot,
  clock,
  candleTimes,
}: BotNotifySourceParts): NotifySource => ({
  facts: () =>
    engineAlertFacts({
      engine: bot.engine,
      venuePositions: bot.reportedPositions?.positions,
      monotonic: clock.monotonicMs(),
    }),
  summary: () => summaryOf(bot),
  isFresh: () => {
    const { hosts, haltReason } = bot.engine;
    if (haltReason !== undefined || bot.failure !== undefined) return false;
    const now = bot.venueTimeIn(0);
    return hosts.every(({ id, interval, state }) => {
      const closedAt = candleTimes.of(id);
      if (state === 'failed' || closedAt === undefined) return false;
      return now - closedAt <= 2 * nominalMs(interval) + CANDLE_GRACE_MS;
    });
  },
});

function summaryOf({ engine }: Bot): string {
  const { counts, currency, facts, openExposure, mode } = engine;
  const equity = facts.equity(currency);
  const held = openExposure.positions.map(
    ({ symbol, quantity }) => `${textFromFixed(quantity)} ${symbol}`,
  );
  return [
    `equity ${equity === undefined ? 'not known' : `${textFromFixed(equity)} ${currency}`}`,
    `mode ${mode}`,
    `positions ${held.length === 0 ? 'none' : held.join(', ')}`,
    `orders filled ${counts.ordersFilled}, refused ${counts.refused}, unknown ${engine.ledger.unprovedCount}`,
  ].join('; ');
}
