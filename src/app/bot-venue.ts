import type { Currency } from '../core/currency.js';
import { assert } from '../core/assert.js';
import type { FuturesApi } from '../venue/futures-api/futures-api.js';
import { createFuturesApiVenue } from '../venue/futures-api/futures-api-venue.js';
import type { Venue } from '../venue/venue.js';
import { readFees, type ChargedFees } from './charged-fees.js';
import { openPaperVenue, type PaperParts } from './paper/open-paper-venue.js';

export interface BotVenue extends Venue {
  /** Streams end by unsubscribing. */
  close(): Promise<void>;
  /** Tells funding rates; absent: nobody does (a paper run without a key). */
  readonly rates?: Pick<FuturesApi, 'asset'>;
  /** Fees of the account since `fromMs`, ms UTC at the venue; undefined: they cannot be told exactly. */
  readonly fees?: (currency: Currency, fromMs: number) => Promise<ChargedFees | undefined>;
}

/**
 * Who stands behind the venue port: the venue itself, or in a paper run a simulated account on its
 * prices.
 * @throws UsageError, VenueUrlError, SafetyRefusal, LogWriteError
 */
export async function openBotVenue(parts: PaperParts): Promise<BotVenue> {
  const { config, ports, secret, venueClock, time } = parts;
  if (config.mode === 'paper') return openPaperVenue(parts);
  assert(secret !== undefined, 'Whoever trades on a venue has a key');
  const venue = createFuturesApiVenue({
    ...parts,
    ...ports,
    secret,
    venueTime: () => venueClock.now(),
    onServerDate: (date) => {
      time.seeDate(date);
    },
  });
  const fees: BotVenue['fees'] = (currency, fromMs) =>
    readFees(venue.api('verify'), currency, fromMs);
  return { ...venue, rates: venue.api('poll'), fees };
}
