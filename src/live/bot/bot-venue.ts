import type { Currency } from '../../core/currency.js';
import { assert } from '../../core/assert.js';
import type { FuturesApi } from '../../venue/futures-api/futures-api.js';
import { createFuturesApiVenue } from '../../venue/futures-api/futures-api-venue.js';
import type { Venue } from '../../venue/venue.js';
import { readFees, type ChargedFees } from './charged-fees.js';
import { createObserveVenue, type WouldSend } from '../observe/observe-venue.js';
import { openPaperVenue, type PaperParts } from '../paper/open-paper-venue.js';

export interface BotVenue extends Venue {
  /** Ends all streams. Unsubscribing ends one. */
  close(): Promise<void>;
  /** Source of funding rates; absent in a paper run without a key. */
  readonly rates?: Pick<FuturesApi, 'asset'>;
  /** Requests that a run would have sent; absent: the run sends. */
  readonly wouldSend?: WouldSend;
  /** Fees of the account since `fromMs`, ms UTC at the venue; undefined: no exact sum is possible. */
  readonly fees?: (currency: Currency, fromMs: number) => Promise<ChargedFees | undefined>;
}

/**
 * Opens the implementation of the venue port: the venue itself, in a run that observes without its changes,
 * or in a paper run a simulated account on its prices.
 * @throws UsageError, VenueUrlError, SafetyRefusal, LogWriteError
 */
export async function openBotVenue(parts: PaperParts): Promise<BotVenue> {
  const { config, ports, secret, venueClock, time } = parts;
  if (config.mode === 'paper') return openPaperVenue(parts);
  assert(secret !== undefined, 'A run on a venue has a key');
  const create = config.mode === 'observe' ? createObserveVenue : createFuturesApiVenue;
  const venue = create({
    ...parts,
    ...ports,
    secret,
    venueTime: () => venueClock.now(),
    onServerDate: (date) => {
      time.onServerDate(date);
    },
  });
  const fees: BotVenue['fees'] = (currency, fromMs) =>
    readFees(venue.api('verify'), currency, fromMs);
  return Object.assign(venue, { rates: venue.api('poll'), fees });
}
