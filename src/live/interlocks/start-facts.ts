import type { SluiceConfig } from '../../config/config.js';
import type { PositionReport } from '../../core/account.js';
import type { DiskFacts, FileAccess } from '../../core/host-facts.js';
import type { Ratio } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';
import type { FingerprintMatch } from './account-fingerprint.js';
import type { Reading } from './reading.js';
import type { KillSetting } from '../state/kill-file.js';
import type { Difference } from '../plan/difference.js';

/** Everything that the interlocks judge, read once before a start. */
export interface StartFacts {
  readonly config: SluiceConfig;
  readonly machine: MachineFacts;
  /** Absent: the venue was not asked. */
  readonly venue?: VenueFacts;
}

export interface MachineFacts {
  readonly nodeArguments: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInspected: boolean;
  readonly userId: number | undefined;
  readonly coreDumpLimit: string | undefined;
  readonly disk: Reading<DiskFacts>;
  readonly secret: SecretFacts;
  /** Addresses of the hosts of base_url and ws_url, by host name. */
  readonly addresses: ReadonlyMap<string, Reading<readonly string[]>>;
  readonly state: FoundState;
}

export interface SecretFacts {
  /** Absent: the configuration names no file. */
  readonly file?: { readonly path: string; readonly access: Reading<FileAccess | undefined> };
  /** Whether the variable of the environment holds it. */
  readonly isInEnvironment: boolean;
  readonly isInArguments: boolean;
  readonly isInConfig: boolean;
}

export interface FoundState {
  /** First record of the journal; absent: there is no journal. */
  readonly header?: JournalRecord;
  readonly kill?: KillSetting;
  /** Open positions of the journal; absent: none. */
  readonly positions?: readonly RecoveredPosition[];
  /** Between the configuration and the positions of the journal. */
  readonly differences: readonly Difference[];
  /** Symbols whose leverage a person has accepted, and no run has set since. */
  readonly adoptedLeverage: ReadonlySet<string>;
}

export interface VenueFacts {
  /** Venue's clock minus this machine's, ms. */
  readonly skewMs: Reading<number>;
  /** A read with the key. */
  readonly account: Reading<null>;
  readonly fingerprint: Reading<FingerprintMatch>;
  readonly instruments: Reading<readonly Instrument[]>;
  /** Open positions in the currency of the configuration. */
  readonly positions: Reading<readonly PositionReport[]>;
  /** Set leverage by symbol; undefined: none is set. */
  readonly leverage: ReadonlyMap<string, Reading<Ratio | undefined>>;
  /** Candles of one minute by symbol. */
  readonly candles: ReadonlyMap<string, Reading<CandleCoverage>>;
}

/** Candles that the venue has of a symbol, against those that its strategies need. */
export interface CandleCoverage {
  /** Venue ms since the newest one closed; undefined: there is none. */
  readonly newestAgeMs: number | undefined;
  /** ms UTC of the first candle that the warm-up needs; undefined: it needs none. */
  readonly neededFrom: number | undefined;
  /** Open time of the first one from then on; undefined: there is none. */
  readonly oldestOpen: number | undefined;
}
