import type { Listing } from '../../core/instrument.js';
import type { Currency } from '../../core/currency.js';
import { fixedFromText } from '../../core/fixed/fixed.js';
import type { RateUsage } from '../../io/net/rate-budget.js';
import {
  createFuturesApiVenue,
  type FuturesApiVenue,
} from '../../venue/futures-api/futures-api-venue.js';
import { Secret, type SecretSource } from '../../venue/futures-api/http/secret.js';
import type {
  BootClock,
  Cancel,
  Clock,
  Files,
  Logger,
  Net,
  Random,
  Scheduler,
} from '../../core/ports.js';
import type { SluiceConfig } from '../../config/config.js';
import { sumFees, type ChargedFees } from '../bot/charged-fees.js';
import { UsageError } from '../../core/command-errors.js';
import { MAINTENANCE_RATE } from '../../config/instrument-fields.js';
import type { StateFolder } from '../state/state-folder.js';
import type { VenueClock } from '../clock/venue-clock.js';
import type { VenueTimeSync } from '../clock/venue-time-sync.js';
import { pollFunding } from '../bot/funding-poller.js';
import { readInstrumentsFile } from '../../config/instruments-file.js';
import type { PaperTerms } from '../../venue/paper/paper-input.js';
import { PaperLedger } from '../../venue/paper/paper-ledger.js';
import { paperNet } from './paper-net.js';
import { PaperVenue } from '../../venue/paper/paper-venue.js';

export interface PaperParts {
  readonly config: SluiceConfig;
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** With a key, the venue itself lists its instruments and their funding. */
  readonly secret?: SecretSource;
  readonly stateDir: string;
  readonly ports: {
    readonly clock: Clock;
    readonly scheduler: Scheduler;
    readonly random: Random;
    readonly files: Files;
    readonly net: Net;
  };
  readonly logger: Logger;
  readonly venueClock: VenueClock;
  readonly time: VenueTimeSync;
  readonly state: StateFolder;
  /** Symbols that the run trades. */
  readonly symbols: readonly string[];
  /** Called when the account cannot be written. */
  readonly failed: (error: unknown) => void;
  /** Age of this process in ms; requests of a previous process are older. */
  readonly processAgeMs?: number;
  readonly boot?: BootClock;
  readonly earlierUsage?: RateUsage;
}

/** Placeholder that no request carries. */
const NO_SECRET = new Secret('paper-run-without-a-key');

/**
 * The venue of a paper run: prices of the configured address, an account in the state folder.
 * @throws UsageError, VenueUrlError, SafetyRefusal, LogWriteError
 */
export async function openPaperVenue(parts: PaperParts): Promise<PaperVenue> {
  const { config, ports, stateDir, venueClock, secret, state } = parts;
  requireInstruments(config, secret);
  const market = createFuturesApiVenue({
    ...parts,
    ...ports,
    net: paperNet(ports.net, { withKey: secret !== undefined }),
    secret: secret ?? NO_SECRET,
    venueTime: () => venueClock.now(),
    onServerDate: (date) => {
      parts.time.onServerDate(date);
    },
  });
  const ledger = await PaperLedger.open(ports.files, stateDir, {
    account: config.account,
    terms: termsOf(config),
    nowMs: venueClock.now(),
    hasJournaledOrders: state.records.length > 1,
  });
  const stopFunding = secret === undefined ? undefined : feedFundingRates(parts, market, ledger);
  const venue = new PaperVenue({
    ...parts,
    ...ports,
    market,
    ledger,
    latencyMs: config.paper.latencyMs,
    listings: (symbols) => listingsOf(parts, market, symbols),
    venueNow: () => venueClock.now(),
    closeMarket: async () => {
      stopFunding?.();
      await market.close();
    },
  });
  const fees = (currency: Currency, fromMs: number): Promise<ChargedFees> => {
    const rows = ledger.exchange.fees(currency).filter(({ createdAt }) => createdAt >= fromMs);
    return Promise.resolve(sumFees(currency, rows));
  };
  const rates = secret !== undefined && { rates: market.api('poll') };
  return Object.assign(venue, { fees, ...rates });
}

function feedFundingRates(parts: PaperParts, market: FuturesApiVenue, ledger: PaperLedger): Cancel {
  const { ports } = parts;
  return pollFunding({
    ...parts,
    ...ports,
    api: market.api('poll'),
    onRate: (symbol, rate) => {
      ledger.setFunding(symbol, rate);
    },
  });
}

/** Without instruments no size and no price can be checked. */
function requireInstruments(config: SluiceConfig, secret: SecretSource | undefined): void {
  if (secret !== undefined || config.venue.instrumentsFile !== undefined) return;
  throw new UsageError(
    `${config.locate(['venue'])} venue has neither instruments_file nor api_secret_file: the rules of the instruments come ` +
      'from a file (config/instruments/standard.yaml is one), or from the venue with a key',
  );
}

function termsOf({ paper, venue }: SluiceConfig): PaperTerms {
  const { futures, takerFeeRate, makerFeeRate, slippageBps, limitFill, assumptions } = paper;
  // Without INR nothing is converted.
  const hedgeRate = venue.inrRate?.value ?? fixedFromText<'ratio'>('1');
  const terms = { futures, takerFeeRate, makerFeeRate, slippageBps, limitFill };
  return { ...terms, hedgeRate, assume: assumptions };
}

async function listingsOf(
  { config, ports }: PaperParts,
  market: Pick<FuturesApiVenue, 'instruments'>,
  symbols: readonly string[],
): Promise<readonly Listing[]> {
  const { instrumentsFile } = config.venue;
  if (instrumentsFile !== undefined) return readInstrumentsFile(instrumentsFile, ports.files);
  const instruments = await market.instruments(symbols);
  return instruments.map((instrument) => ({ instrument, maintenanceRate: MAINTENANCE_RATE }));
}
