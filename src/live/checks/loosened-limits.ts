import type { SluiceConfig } from '../../config/config.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { Files, Logger } from '../../core/ports.js';
import { limitText, looseningText, type Loosening } from '../../risk/catalog/limit-catalog.js';
import {
  limitsRecord,
  loosenedSince,
  presetRecord,
  type LimitsRecord,
} from '../../risk/catalog/limits-record.js';
import { AcceptedLimits } from '../state/accepted-limits.js';
import { riskLocation } from './limit-conflicts.js';

/** Comparison of a configuration with the limits that a state folder remembers. */
export interface LimitComparison {
  readonly record: LimitsRecord;
  /** Limits that allow more than those of the last start; in live at the first start, than the preset's. */
  readonly loosened: readonly Loosening[];
  /** A person has accepted them. */
  readonly isAccepted: boolean;
}

/** @throws SafetyRefusal when a file of the folder cannot be read */
export async function compareLimits(
  config: SluiceConfig,
  folder: AcceptedLimits,
): Promise<LimitComparison> {
  const record = limitsRecord(config.riskSettings, config.riskKeys);
  const first = config.mode === 'live' ? presetRecord(record.preset) : undefined;
  const before = (await folder.last()) ?? first;
  const loosened = before === undefined ? [] : loosenedSince(before, record);
  if (loosened.length === 0) return { record, loosened, isAccepted: false };
  return { record, loosened, isAccepted: await acceptsLimits(record, folder) };
}

/** Whether a person has accepted these limits, or looser ones, for the next start. */
export async function acceptsLimits(
  record: LimitsRecord,
  folder: AcceptedLimits,
): Promise<boolean> {
  const accepted = await folder.accepted();
  return accepted !== undefined && loosenedSince(accepted, record).length === 0;
}

/** Whether the start ends the limits that a person tightened at run time. */
export const endsTightenedLimits = (
  { riskSettings, riskKeys }: SluiceConfig,
  stateDir: string,
  files: Files,
): Promise<boolean> =>
  acceptsLimits(limitsRecord(riskSettings, riskKeys), new AcceptedLimits(files, stateDir));

/**
 * Control R44: limits that a person has not accepted must not become looser from one start to the next.
 * @throws SafetyRefusal with each loosened limit and the command that accepts them
 */
export async function checkLoosenedLimits(
  config: SluiceConfig,
  stateDir: string,
  files: Files,
): Promise<void> {
  const { loosened, isAccepted } = await compareLimits(config, new AcceptedLimits(files, stateDir));
  if (loosened.length > 0 && !isAccepted) throw new SafetyRefusal(refusalText(config, loosened));
}

/**
 * Called when a daemon begins to trade: the next start is compared with these limits.
 * @param endsTightened the acceptance has ended limits that were tightened at run time
 */
export async function recordStartedLimits(
  config: SluiceConfig,
  stateDir: string,
  files: Files,
  endsTightened = false,
): Promise<void> {
  const folder = new AcceptedLimits(files, stateDir);
  const { record, isAccepted } = await compareLimits(config, folder);
  await folder.recordStart(record, isAccepted || endsTightened);
}

const refusalText = (config: SluiceConfig, loosened: readonly Loosening[]): string =>
  [
    `the limits allow more than those of the last start (R44), and no acceptance covers them:`,
    ...loosened.map((each) => `  ${placeOf(config, each)} ${looseningText(each)}`),
    `Accept them with: sluice risk accept ${config.path}`,
  ].join('\n');

const placeOf = (config: SluiceConfig, { key }: Loosening): string =>
  config.locate(['risk', ...key.split('.')]);

/** An allow list is a choice, not a size: naming INR is no risk of its own. */
const LISTS = new Set(['symbols_allow', 'currencies_allow']);

/** Warns about each limit that is looser than the preset's. */
export function logLooserThanPreset(config: SluiceConfig, logger: Logger): void {
  for (const text of looserThanPreset(config)) logger.warn({}, text);
}

/** `risk.max_leverage 5 x (bot.yaml:12:3) is looser than 3 x of preset standard`. */
export function looserThanPreset(config: SluiceConfig): readonly string[] {
  const { riskSettings, riskKeys } = config;
  const { preset } = riskSettings;
  const record = limitsRecord(riskSettings, riskKeys);
  return loosenedSince(presetRecord(preset), record)
    .filter(({ key }) => !LISTS.has(key))
    .map(({ key, before, after, unit }) => {
      const limit = riskLocation(config, key.split('.'), limitText(after, unit));
      return `${limit} is looser than ${limitText(before, unit)} of preset ${preset}`;
    });
}
