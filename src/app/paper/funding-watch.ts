import { fixedFromDecimal } from '../../core/fixed.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import type { FundingRate } from './paper-input.js';

/** Venue ms before a settlement at which its rate is read once more. */
const BEFORE_MS = 60_000;
/** Venue ms after one until the venue tells of the next. */
const AFTER_MS = 5_000;
/** Real ms after a read that told nothing. */
const AGAIN_MS = 300_000;

export interface FundingWatchParts {
  readonly api: Pick<FuturesApi, 'asset'>;
  readonly symbols: readonly string[];
  readonly know: (symbol: string, rate: FundingRate) => void;
  /** On venue time. */
  readonly venueTimer: (at: number, run: () => void) => Cancel;
  readonly venueNow: () => number;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Keeps the rate of each symbol's next settlement known, from the venue's asset detail. A rate moves
 * until its settlement, so it is read again shortly before. @returns how to stop
 */
export function watchFunding(parts: FundingWatchParts): Cancel {
  const { api, know, venueTimer, venueNow, scheduler, logger } = parts;
  const waits = new Map<string, Cancel>();
  let stopped = false;
  const read = async (symbol: string): Promise<void> => {
    const outcome = await api.asset({ symbol });
    if (stopped) return;
    const again = (): void => void read(symbol);
    const { fundingRate, nextFundingMs } = outcome.kind === 'yes' ? outcome.value : NOTHING;
    if (fundingRate === undefined || nextFundingMs === undefined) {
      const why = outcome.kind === 'yes' ? 'the venue tells none' : outcome.kind;
      logger.warn({ symbol, why }, 'The funding rate is not known; none is exchanged meanwhile');
      waits.set(symbol, scheduler.after(AGAIN_MS, again));
      return;
    }
    know(symbol, { rate: fixedFromDecimal(fundingRate), settlementMs: nextFundingMs });
    const soon = nextFundingMs - BEFORE_MS;
    const at = venueNow() < soon ? soon : nextFundingMs + AFTER_MS;
    // A venue that still tells of a settlement that is over must not be asked without end.
    const isOver = at <= venueNow();
    waits.set(symbol, isOver ? scheduler.after(AGAIN_MS, again) : venueTimer(at, again));
  };
  for (const symbol of parts.symbols) void read(symbol);
  return () => {
    stopped = true;
    for (const cancel of waits.values()) cancel();
  };
}

const NOTHING = { fundingRate: undefined, nextFundingMs: undefined };
