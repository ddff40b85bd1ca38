import type { AccountSnapshot } from '../../core/account.js';
import type { AppendLog, Clock, Logger, Scheduler } from '../../core/ports.js';
import type { Instrument } from '../../core/instrument.js';
import type { Engine } from '../../engine/engine.js';
import type { Outbox } from '../../engine/outbox.js';
import type { Recorder } from '../../engine/recorder.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { LoadedStrategy, ThreadedStrategy } from '../strategies/strategy-instances.js';
import type { VenueClock } from '../clock/venue-clock.js';
import type { SavedInstruments } from '../state/saved-instruments.js';
import type { VenueTimeSync } from '../clock/venue-time-sync.js';
import type { BotVenue } from './bot-venue.js';
import type { EffectRunner } from './effect-runner.js';

/** Runs an attempt, once or until the venue answers. */
export type RetryPolicy = <T>(attempt: () => Promise<T>) => Promise<T>;
export const NO_RETRY: RetryPolicy = (attempt) => attempt();

export interface BotParts {
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly recorder: Recorder;
  readonly logs: readonly AppendLog[];
  /** The journal before this session. */
  readonly records: readonly JournalRecord[];
  readonly venue: BotVenue;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly symbols: readonly string[];
  readonly runner: Pick<EffectRunner, 'hasSentChange'>;
  /** A trial creation of a strategy, which changes nothing. @throws StrategyLoadError */
  readonly tryStrategy: (strategy: LoadedStrategy | ThreadedStrategy) => StrategyHost;
  /** Symbols with a position or an open order in the journal, configured or not. */
  readonly openSymbols: readonly string[];
  readonly pollMs: number;
  /** Rules of the instruments as last read; undefined: nothing of a venue depends on them. */
  readonly savedInstruments: Pick<SavedInstruments, 'save' | 'read'> | undefined;
  /** Compares the configuration with the venue's listed instruments. @throws ConfigError */
  readonly checkListed: (listed: readonly Instrument[]) => void;
  /** Checks the account before the engine does. @throws ConfigError when no order could be placed on it */
  readonly checkAccount: (snapshot: AccountSnapshot) => void;
  /** Error of a run that a refused key ends. `cause`: the venue's text. */
  readonly keyRefusedError: (cause: string) => Error;
  /** Action for a person when the key is refused in mid-run; undefined: a refused key ends the run. */
  readonly keyAdvice: string | undefined;
  readonly time: Pick<VenueTimeSync, 'refresh'>;
  /** Retries of the requests at the start. */
  readonly withRetry: RetryPolicy;
  /** Releases the bot's resources: clock sync, lock, sockets. */
  readonly release: () => Promise<void>;
}
