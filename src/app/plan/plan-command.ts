import type { JournalRecord } from '../../execution/journal/journal-record.js';
import type { Io, PlanOptions } from '../command-options.js';
import { loadConfig, type SluiceConfig } from '../config.js';
import { EXIT } from '../exit-code.js';
import { refuseConflicts } from '../limit-conflicts.js';
import { KILL_FILE } from '../state-folder.js';
import { planOf } from './plan.js';
import { planText } from './plan-text.js';
import { readJournal } from './read-journal.js';

/** Prints the plan of a start, from configuration and journal alone. Changes nothing; a daemon may run meanwhile. */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  refuseConflicts(config);
  const records = await recordsOf(config, io);
  const plan = planOf(config, records ?? []);
  const refusals = await refusalsOf(config, records, io);
  const journal = records === undefined ? 'none' : 'read';
  if (options.json) {
    const { account, stateDir: state_dir } = config;
    io.stdout(`${JSON.stringify({ account, state_dir, journal, refusals, ...plan })}\n`);
    return EXIT.done;
  }
  const found = records === undefined ? noJournalText(config) : `journal: ${config.stateDir}`;
  const refused = refusals.map((text) => `sluice run refuses: ${text}\n`).join('');
  io.stdout(`${found}\n${refused}${planText(plan)}`);
  return EXIT.done;
}

/** An embedded sandbox is another venue at each run, with a state folder of its own. */
async function recordsOf(
  { venue, stateDir }: SluiceConfig,
  { files }: Io,
): Promise<readonly JournalRecord[] | undefined> {
  if (venue.endpoint.kind === 'embedded') return undefined;
  return readJournal(files, stateDir);
}

const noJournalText = ({ venue, stateDir }: SluiceConfig): string =>
  venue.endpoint.kind === 'embedded'
    ? 'journal: none, each run of an embedded sandbox begins anew'
    : `journal: none in ${stateDir}, the next run begins anew`;

/** D-153: with a journal, such a start still takes back and closes. */
const killedText = (path: string, hasJournal: boolean): string => {
  const does = hasJournal
    ? 'cancels its orders, finishes a flatten that the journal holds, places nothing else and exits with code 4'
    : 'exits with code 4 at once';
  return `the kill switch is set: ${path} exists. A start ${does}`;
};

/** Why a start would trade nothing. */
async function refusalsOf(
  { account, stateDir }: SluiceConfig,
  records: readonly JournalRecord[] | undefined,
  { files }: Io,
): Promise<readonly string[]> {
  const killed = await files.exists(`${stateDir}/${KILL_FILE}`);
  const header = records?.[0];
  const other =
    header?.type === 'header' && header.account !== account ? header.account : undefined;
  return [
    ...(killed ? [killedText(`${stateDir}/${KILL_FILE}`, records !== undefined)] : []),
    ...(other === undefined ? [] : [`${stateDir} belongs to account ${other}, not ${account}`]),
  ];
}
