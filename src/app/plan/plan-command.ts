import { oneLine } from '../../core/terminal-text.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { recoverFlatten } from '../../execution/recovery/recovered-flatten.js';
import type { Io, PlanOptions } from '../command-options.js';
import { loadConfig, type SluiceConfig } from '../config.js';
import { EXIT } from '../exit-code.js';
import { refuseConflicts } from '../limit-conflicts.js';
import { KILL_FILE } from '../state-folder.js';
import { killedStart, type KilledStart } from './killed-start.js';
import { planOf } from './plan.js';
import { planText } from './plan-text.js';
import { readJournal } from './read-journal.js';

/** Prints the plan of a start, from configuration and journal alone. Changes nothing; a daemon may run meanwhile. */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  refuseConflicts(config);
  const records = await recordsOf(config, io);
  const plan = planOf(config, records ?? []);
  const file = `${config.stateDir}/${KILL_FILE}`;
  const killed = (await io.files.exists(file)) ? killedStart(file, records, plan) : undefined;
  const flatten = recoverFlatten(records ?? [])?.text ?? null;
  const refusals = [
    ...(killed === undefined ? [] : [killed.text]),
    ...otherAccount(config, records),
  ];
  const journal = records === undefined ? 'none' : 'read';
  if (options.json) {
    const { account, stateDir: state_dir } = config;
    const kill = killed ?? null;
    io.stdout(
      `${JSON.stringify({ account, state_dir, journal, refusals, kill, flatten, ...plan })}\n`,
    );
    return EXIT.done;
  }
  const found = records === undefined ? noJournalText(config) : `journal: ${config.stateDir}`;
  const lines = [found, ...startLines({ killed, flatten, others: otherAccount(config, records) })];
  io.stdout(
    `${lines.map((line) => `${oneLine(line)}\n`).join('')}${planText(plan, killed !== undefined)}`,
  );
  return EXIT.done;
}

interface Start {
  readonly killed: KilledStart | undefined;
  readonly flatten: string | null;
  readonly others: readonly string[];
}

/** A start with the kill switch set still cancels and closes (D-153): only without a journal is it refused. */
function startLines({ killed, flatten, others }: Start): readonly string[] {
  const refuses = (text: string): string => `sluice run refuses: ${text}`;
  const goesOn = `flatten: ${flatten ?? ''}; a start goes on with it before anything is traded (--drop-flatten withdraws it)`;
  return [
    ...(killed === undefined ? [] : [killed.refused ? refuses(killed.text) : killed.text]),
    ...(killed !== undefined || flatten === null ? [] : [goesOn]),
    ...others.map(refuses),
  ];
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

function otherAccount(
  { account, stateDir }: SluiceConfig,
  records: readonly JournalRecord[] | undefined,
): readonly string[] {
  const header = records?.[0];
  return header?.type === 'header' && header.account !== account
    ? [`${stateDir} belongs to account ${header.account}, not ${account}`]
    : [];
}
