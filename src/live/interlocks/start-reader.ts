import type { SluiceConfig } from '../../config/config.js';
import { readSecretFile } from '../../config/secret-file.js';
import { ConfigError } from '../../core/command-errors.js';
import type { HostFacts, ResolveHost } from '../../core/host-facts.js';
import type { Clock, Files, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import { SECRET_VARIABLE } from '../../core/secret-variable.js';
import type { StartThread } from '../../strategy/isolation/strategy-thread.js';
import { createFuturesApiVenue } from '../../venue/futures-api/futures-api-venue.js';
import { Secret } from '../../venue/futures-api/http/secret.js';
import type { RetryPolicy } from '../bot/bot-parts.js';
import { VenueClock } from '../clock/venue-clock.js';
import { openVenueTimeSync, TIME_SOURCES } from '../clock/venue-time-sync.js';
import { readOnlyNet } from '../observe/read-only-net.js';
import { readFingerprint } from './account-fingerprint.js';
import { readMachineFacts, type PresentedSecret } from './machine-facts.js';
import type { StartFacts } from './start-facts.js';
import { strategyNeeds } from './strategy-needs.js';
import { readVenueFacts, type VenueReadings } from './venue-facts.js';

/** Parts by which the interlocks read this machine and the venue. */
export interface StartReaderParts {
  readonly config: SluiceConfig;
  readonly host: HostFacts;
  readonly resolve: ResolveHost;
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly startThread?: StartThread | undefined;
}

export interface VenueReadOptions {
  readonly net: Net;
  readonly logger: Logger;
  readonly withRetry: RetryPolicy;
}

/** Placeholder that no request carries: without a key only public data is read. */
const NO_SECRET = new Secret('no-key');

/** Reads the facts of a start, first of the machine, then of the venue. */
export class StartReader {
  readonly #parts: StartReaderParts;
  readonly #secret: PresentedSecret;

  private constructor(parts: StartReaderParts, secret: PresentedSecret) {
    this.#parts = parts;
    this.#secret = secret;
  }

  static async open(parts: StartReaderParts): Promise<StartReader> {
    return new StartReader(parts, await presentedSecret(parts));
  }

  async machine(): Promise<StartFacts> {
    const parts = { ...this.#parts, secret: this.#secret };
    return { config: this.#parts.config, machine: await readMachineFacts(parts) };
  }

  /**
   * Asks the venue, by reads alone.
   * @throws VenueError when a sandbox does not answer, and the error that ended the wait for the venue
   */
  async venue(
    { machine: { state } }: StartFacts,
    { net, logger, withRetry }: VenueReadOptions,
  ): Promise<VenueReadings> {
    const { config, files, clock, scheduler, startThread } = this.#parts;
    const { text } = this.#secret;
    const { baseUrl, wsUrl } = remoteOf(config);
    const reads = readOnlyNet(net);
    const venueClock = new VenueClock(clock, scheduler);
    const timeParts = {
      ...this.#parts,
      net: reads,
      baseUrl,
      venueClock,
      onFailed: () => undefined,
    };
    const time = await withRetry(() => openVenueTimeSync(timeParts, TIME_SOURCES[config.mode]));
    let hasServerDate = false;
    const venue = createFuturesApiVenue({
      ...{ ...this.#parts, net: reads, logger, baseUrl, wsUrl },
      secret: text === undefined ? NO_SECRET : new Secret(text),
      venueTime: () => venueClock.now(),
      onServerDate: (date) => {
        hasServerDate = true;
        time.onServerDate(date);
      },
    });
    try {
      return await readVenueFacts({
        ...{ config, venue, clock, venueClock, withRetry, secret: text },
        ...(text !== undefined && { account: venue.api('verify') }),
        hasServerDate: () => hasServerDate,
        needs: await strategyNeeds(config, startThread),
        fingerprint: await readFingerprint(files, config.stateDir),
        hasJournal: state.header !== undefined,
      });
    } finally {
      time.stop();
      await venue.close();
    }
  }
}

function remoteOf({ venue: { endpoint } }: SluiceConfig): {
  readonly baseUrl: string;
  readonly wsUrl: string;
} {
  if (endpoint.kind === 'remote') return endpoint;
  throw new ConfigError(['an embedded sandbox can be asked only while it runs']);
}

/** A file that breaks a rule is no secret here: its interlock gives the reason. */
async function presentedSecret({ config, env }: StartReaderParts): Promise<PresentedSecret> {
  const fromEnvironment = env[SECRET_VARIABLE];
  const isFromEnvironment = fromEnvironment !== undefined;
  const path = config.venue.apiSecretFile;
  if (path === undefined) return { text: fromEnvironment?.trim(), isFromEnvironment };
  try {
    return { text: await readSecretFile(path), isFromEnvironment };
  } catch (error) {
    if (error instanceof ConfigError) return { text: undefined, isFromEnvironment };
    throw error;
  }
}
