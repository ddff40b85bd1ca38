import type { Files } from '../../../core/ports.js';
import { configFromYaml, loadConfig, type SluiceConfig } from '../../../config/config.js';
import { readSession } from '../../../engine/recorder.js';
import { readSessionRecords } from '../../../live/record/session-records.js';
import { sessionNames } from '../../../live/state/state-folder.js';

/**
 * The configuration of the newest run that recorded its events in this folder: its file, else its recorded text.
 * @returns undefined: no record names one
 * @throws ConfigError when it has faults
 */
export async function configOfState(
  stateDir: string,
  files: Files,
): Promise<SluiceConfig | undefined> {
  const newest = (await sessionNames(stateDir, files)).at(-1);
  if (newest === undefined) return undefined;
  const [header] = await readSessionRecords(files, stateDir, newest);
  if (header === undefined) return undefined;
  const { configPath, configText } = readSession([header]).header;
  if (await files.exists(configPath)) return loadConfig(configPath, files);
  return configFromYaml(configPath, new TextEncoder().encode(configText));
}
