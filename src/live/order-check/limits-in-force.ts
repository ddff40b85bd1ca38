import type { SluiceConfig } from '../../config/config.js';
import type { Files } from '../../core/ports.js';
import { limitText, looseningText } from '../../risk/catalog/limit-catalog.js';
import { withChanges, type TightenedLimit } from '../../risk/catalog/limit-changes.js';
import type { RiskLimits } from '../../risk/limits/risk-limits.js';
import { compareLimits } from '../checks/loosened-limits.js';
import { AcceptedLimits } from '../state/accepted-limits.js';
import { readLimitChanges } from '../state/journaled-limits.js';

/** The configuration's limits with those that a person tightened: by them a daemon judges, now and at its next start. */
export interface LimitsInForce {
  readonly limits: RiskLimits;
  readonly tightened: readonly TightenedLimit[];
}

/** @throws LogCorruptError, StartError for a state folder that cannot be read */
export async function limitsInForce(
  { stateDir, venue, riskSettings }: SluiceConfig,
  files: Files,
): Promise<LimitsInForce> {
  // Each run on an embedded sandbox has a folder of its own.
  const isKept = venue.endpoint.kind === 'remote';
  const changes = isKept ? await readLimitChanges(stateDir, files) : [];
  return withChanges(riskSettings.limits, changes);
}

/** The configuration with the limits in force, and how they differ from its file. */
export interface JudgingConfig {
  readonly config: SluiceConfig;
  readonly tightened: readonly TightenedLimit[];
  /** One line a difference, for people. */
  readonly notes: readonly string[];
}

/** @throws SafetyRefusal, LogCorruptError, StartError for a state folder that cannot be read */
export async function judgingConfig(config: SluiceConfig, files: Files): Promise<JudgingConfig> {
  const { limits, tightened } = await limitsInForce(config, files);
  const notes = [...tightened.map(tightenedText), ...(await loosenedNotes(config, files))];
  const riskSettings = { ...config.riskSettings, limits };
  return { config: { ...config, riskSettings }, tightened, notes };
}

const tightenedText = ({ key, unit, from, to, reason }: TightenedLimit): string =>
  `${key} is ${limitText(to, unit)}, tightened from ${limitText(from ?? undefined, unit)} (${reason})`;

/** A looser limit is judged as the file has it, but no daemon has started with it yet. */
async function loosenedNotes(config: SluiceConfig, files: Files): Promise<readonly string[]> {
  if (config.venue.endpoint.kind !== 'remote') return [];
  const folder = new AcceptedLimits(files, config.stateDir);
  const { loosened, isAccepted } = await compareLimits(config, folder);
  const state = isAccepted
    ? 'it is accepted for the next start'
    : `a start with it needs sluice risk accept ${config.path}`;
  return loosened.map((each) => `${looseningText(each)} allows more than the last start: ${state}`);
}
