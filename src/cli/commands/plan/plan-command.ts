import { oneLine } from '../../../core/terminal-text.js';
import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import { recoverFlatten } from '../../../execution/recovery/recovered-flatten.js';
import type { Io } from '../../command-io.js';
import type { PlanOptions } from './plan-options.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { EXIT } from '../../../core/exit-code.js';
import { checkLimitConflicts } from '../../../live/checks/limit-conflicts.js';
import { killFileIn, readKillFile } from '../../../live/state/kill-file.js';
import { killSwitchStart, type KillSwitchStart } from './kill-switch-start.js';
import { createStartPlan } from '../../../live/plan/start-plan.js';
import { planText } from '../../../live/plan/plan-text.js';
import { readJournal } from '../../../live/plan/read-journal.js';

/** Prints the plan of a start from configuration and journal. Changes nothing, so a daemon may run meanwhile. */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  checkLimitConflicts(config);
  const records = await readRecords(config, io);
  const plan = createStartPlan(config, records ?? []);
  const kill = await readKillFile(io.files, config.stateDir);
  const killSwitch =
    kill === undefined
      ? undefined
      : killSwitchStart({ file: killFileIn(config.stateDir), ...kill }, records, plan);
  const flatten = recoverFlatten(records ?? [])?.text ?? null;
  const refusals = [
    ...(killSwitch === undefined ? [] : [killSwitch.text]),
    ...accountMismatch(config, records),
  ];
  const journal = records === undefined ? 'none' : 'read';
  if (options.json) {
    const { account, stateDir: state_dir } = config;
    const facts = { account, state_dir, journal, refusals, kill: killSwitch ?? null, flatten };
    io.stdout(`${JSON.stringify({ ...facts, ...plan })}\n`);
    return EXIT.done;
  }
  const journalLine = records === undefined ? noJournalText(config) : `journal: ${config.stateDir}`;
  const lines = [
    journalLine,
    ...startLines({ killSwitch, flatten, accountMismatches: accountMismatch(config, records) }),
  ];
  io.stdout(
    `${lines.map((line) => `${oneLine(line)}\n`).join('')}${planText(plan, killSwitch !== undefined && killSwitch.exit_code !== null)}`,
  );
  return EXIT.done;
}

interface StartConditions {
  readonly killSwitch: KillSwitchStart | undefined;
  readonly flatten: string | null;
  readonly accountMismatches: readonly string[];
}

/** With the kill switch set, a start still cancels and closes; without a journal it is refused. */
function startLines({
  killSwitch,
  flatten,
  accountMismatches,
}: StartConditions): readonly string[] {
  const refusalText = (text: string): string => `sluice run refuses: ${text}`;
  const resumeText = `flatten: ${flatten ?? ''}; a start finishes it before it trades (--drop-flatten withdraws it)`;
  return [
    ...(killSwitch === undefined
      ? []
      : [killSwitch.refused ? refusalText(killSwitch.text) : killSwitch.text]),
    ...(killSwitch !== undefined || flatten === null ? [] : [resumeText]),
    ...accountMismatches.map(refusalText),
  ];
}

/** Each run on an embedded sandbox has a new venue and a new state folder, so it has no journal yet. */
async function readRecords(
  { venue, stateDir }: SluiceConfig,
  { files }: Io,
): Promise<readonly JournalRecord[] | undefined> {
  if (venue.endpoint.kind === 'embedded') return undefined;
  return readJournal(files, stateDir);
}

const noJournalText = ({ venue, stateDir }: SluiceConfig): string =>
  venue.endpoint.kind === 'embedded'
    ? 'journal: none, each run on an embedded sandbox starts from zero'
    : `journal: none in ${stateDir}, the next run starts from zero`;

function accountMismatch(
  { account, stateDir }: SluiceConfig,
  records: readonly JournalRecord[] | undefined,
): readonly string[] {
  const header = records?.[0];
  return header?.type === 'header' && header.account !== account
    ? [`${stateDir} belongs to account ${header.account}, not ${account}`]
    : [];
}
