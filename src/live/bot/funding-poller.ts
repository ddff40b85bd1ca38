import { fixedFromDecimal } from '../../core/fixed/fixed.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import type { FundingSettlement } from '../../venue/paper/paper-input.js';
import type { VenueClock } from '../clock/venue-clock.js';

/** Venue ms before a settlement at which its rate is read once more. */
const LEAD_MS = 60_000;
/** Delay after a settlement until the venue publishes the next rate, venue ms. */
const SETTLEMENT_DELAY_MS = 5_000;
/** Real ms after a read without a rate. */
const RETRY_MS = 300_000;

export interface FundingPollerParts {
  readonly api: Pick<FuturesApi, 'asset'>;
  readonly symbols: readonly string[];
  readonly onRate: (symbol: string, rate: FundingSettlement) => void;
  readonly venueClock: Pick<VenueClock, 'now' | 'after'>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Polls the rate of each symbol's next settlement from the venue's asset detail. A rate may change until its
 * settlement, so it is read again shortly before. @returns how to stop
 */
export function pollFunding(parts: FundingPollerParts): Cancel {
  const { api, onRate, venueClock, scheduler, logger } = parts;
  const timers = new Map<string, Cancel>();
  let stopped = false;
  const read = async (symbol: string): Promise<void> => {
    const outcome = await api.asset({ symbol });
    if (stopped) return;
    const again = (): void => void read(symbol);
    const { fundingRate, nextFundingMs } = outcome.kind === 'yes' ? outcome.value : NO_FUNDING;
    if (fundingRate === undefined || nextFundingMs === undefined) {
      const why = outcome.kind === 'yes' ? 'the venue publishes none' : outcome.kind;
      logger.warn({ symbol, why }, 'The funding rate is not known; none is exchanged meanwhile');
      timers.set(symbol, scheduler.after(RETRY_MS, again));
      return;
    }
    onRate(symbol, { rate: fixedFromDecimal(fundingRate), settlementMs: nextFundingMs });
    const soon = nextFundingMs - LEAD_MS;
    const at = venueClock.now() < soon ? soon : nextFundingMs + SETTLEMENT_DELAY_MS;
    // A venue that still publishes a past settlement must not be polled without pause.
    const isPast = at <= venueClock.now();
    timers.set(symbol, isPast ? scheduler.after(RETRY_MS, again) : venueClock.after(at, again));
  };
  for (const symbol of parts.symbols) void read(symbol);
  return () => {
    stopped = true;
    for (const cancel of timers.values()) cancel();
  };
}

const NO_FUNDING = { fundingRate: undefined, nextFundingMs: undefined };
