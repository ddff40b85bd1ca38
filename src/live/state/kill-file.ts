import type { Files } from '../../core/ports.js';
import { codeOf } from '../../core/system-error.js';
import { instantFromText } from '../../core/time-text.js';
import type { KillLevel } from '../../risk/mode.js';

/** While this file exists in the state folder the kill switch is on (control R30). */
export const KILL_FILE = 'KILL';
export const KILL_LEVELS = ['pause', 'cancel', 'flatten'] as const satisfies readonly KillLevel[];

/** The content of the file. */
export interface KillSetting {
  readonly level: KillLevel;
  /** Venue ms at which a pause ends; absent: a person ends it. */
  readonly until?: number;
}

export const killFileIn = (stateDir: string): string => `${stateDir}/${KILL_FILE}`;

/**
 * The setting of a text: a level, or `pause until 2025-05-05T08:00:00Z`, on the first line. Every other text
 * means `cancel`, also an empty one: a wrong word must not leave orders open.
 */
export function killSettingFromText(text: string): KillSetting {
  const [word = '', ...rest] = (text.split('\n', 1)[0] ?? '').trim().split(/\s+/);
  const level = KILL_LEVELS.find((each) => each === word.toLowerCase()) ?? 'cancel';
  if (level !== 'pause' || rest[0] !== 'until') return { level };
  const until = instantFromText(rest[1] ?? '');
  return until === undefined ? { level } : { level, until };
}

export const killSettingText = ({ level, until }: KillSetting): string =>
  until === undefined ? `${level}\n` : `${level} until ${new Date(until).toISOString()}\n`;

const UNREADABLE = ['EACCES', 'EPERM', 'EISDIR'];

/** The setting of a state folder; undefined: the kill switch is off. An unreadable file means `cancel`. */
export async function readKillFile(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<KillSetting | undefined> {
  try {
    const bytes = await files.read(killFileIn(stateDir));
    return bytes === undefined ? undefined : killSettingFromText(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!UNREADABLE.includes(codeOf(error) ?? '')) throw error;
    return { level: 'cancel' };
  }
}

/** Durable when it resolves. */
export const writeKillFile = (
  files: Files,
  stateDir: string,
  setting: KillSetting,
): Promise<void> =>
  files.replace(killFileIn(stateDir), new TextEncoder().encode(killSettingText(setting)));

export const removeKillFile = (files: Files, stateDir: string): Promise<void> =>
  files.remove(killFileIn(stateDir));

const STRENGTH: Readonly<Record<KillLevel, number>> = { pause: 1, cancel: 2, flatten: 3 };

export const isStronger = (a: KillLevel, b: KillLevel): boolean => STRENGTH[a] > STRENGTH[b];

/** A later command strengthens a kill switch that is set. It never weakens it; only a resume does. */
export function strongerSetting(
  standing: KillSetting | undefined,
  asked: KillSetting,
): KillSetting {
  if (standing === undefined || isStronger(asked.level, standing.level)) return asked;
  return standing.level === asked.level ? asked : standing;
}

/** @param venueTime ms */
export const hasEnded = ({ until }: KillSetting, venueTime: number): boolean =>
  until !== undefined && venueTime >= until;
