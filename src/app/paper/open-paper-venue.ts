import type { Currency } from '../../core/currency.js';
import { fixedFromText } from '../../core/fixed.js';
import type { Listing } from '../../exchange/simulated-exchange.js';
import {
  createFuturesApiVenue,
  type FuturesApiVenue,
} from '../../venue/futures-api/futures-api-venue.js';
import { Secret, type SecretSource } from '../../venue/futures-api/secret.js';
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
import type { SluiceConfig } from '../config.js';
import { sumFees, type ChargedFees } from '../charged-fees.js';
import { UsageError } from '../failure.js';
import { MAINTENANCE_RATE } from '../instrument-fields.js';
import type { StateFolder } from '../state-folder.js';
import type { VenueClock } from '../venue-clock.js';
import type { VenueTime } from '../venue-time.js';
import { watchFunding } from './funding-watch.js';
import { readInstrumentsFile } from './instruments-file.js';
import type { PaperTerms } from './paper-input.js';
import { PaperLedger } from './paper-ledger.js';
import { paperNet } from './paper-net.js';
import { createPaperVenue, type PaperVenue } from './paper-venue.js';

export interface PaperParts {
  readonly config: SluiceConfig;
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** With one the venue is asked for its instruments and their funding. */
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
  readonly time: VenueTime;
  readonly state: StateFolder;
  /** That the run trades. */
  readonly symbols: readonly string[];
  /** The account cannot be written. */
  readonly failed: (error: unknown) => void;
  /** How long this process lives; what an earlier one sent is older. */
  readonly processAgeMs?: number;
  readonly boot?: BootClock;
}

/** No request carries it. */
const NO_SECRET = new Secret('paper-run-without-a-key');

/**
 * The venue of a paper run: prices of the configured address, an account in the state folder.
 * @throws UsageError, VenueUrlError, SafetyRefusal, LogWriteError
 */
export async function openPaperVenue(parts: PaperParts): Promise<PaperVenue> {
  const { config, ports, stateDir, venueClock, secret, state } = parts;
  refuseWithoutInstruments(config, secret);
  const market = createFuturesApiVenue({
    ...parts,
    ...ports,
    net: paperNet(ports.net, { withKey: secret !== undefined }),
    secret: secret ?? NO_SECRET,
    venueTime: () => venueClock.now(),
    onServerDate: (date) => {
      parts.time.seeDate(date);
    },
  });
  const ledger = await PaperLedger.open(ports.files, stateDir, {
    account: config.account,
    terms: termsOf(config),
    nowMs: venueClock.now(),
    journaled: state.records.length > 1,
  });
  const stopFunding = secret === undefined ? undefined : watchRates(parts, market, ledger);
  const venue = createPaperVenue({
    ...parts,
    ...ports,
    market,
    ledger,
    latencyMs: config.paper.latencyMs,
    listings: (wanted) => listingsOf(parts, market, wanted),
    venueNow: () => venueClock.now(),
    released: async () => {
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

function watchRates(parts: PaperParts, market: FuturesApiVenue, ledger: PaperLedger): Cancel {
  const { ports, venueClock } = parts;
  return watchFunding({
    ...parts,
    ...ports,
    api: market.api('poll'),
    know: (symbol, rate) => {
      ledger.knowFunding(symbol, rate);
    },
    venueTimer: (at, run) => venueClock.after(at, run),
    venueNow: () => venueClock.now(),
  });
}

/** Without them no size and no price could be judged. */
function refuseWithoutInstruments(config: SluiceConfig, secret: SecretSource | undefined): void {
  if (secret !== undefined || config.venue.instrumentsFile !== undefined) return;
  throw new UsageError(
    `${config.where(['venue'])} venue has neither instruments_file nor api_secret_file: the rules of the instruments come ` +
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
  wanted: readonly string[],
): Promise<readonly Listing[]> {
  const { instrumentsFile } = config.venue;
  if (instrumentsFile !== undefined) return readInstrumentsFile(instrumentsFile, ports.files);
  const instruments = await market.instruments(wanted);
  return instruments.map((instrument) => ({ instrument, maintenanceRate: MAINTENANCE_RATE }));
}
