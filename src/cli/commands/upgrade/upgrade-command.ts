import { countText } from '../../../core/terminal-text.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import type { RecoveredPosition } from '../../../execution/recovery/recovered-positions.js';
import { EXIT } from '../../../core/exit-code.js';
import { differenceText, sessionText, wasCompared } from '../../../live/replay/replay-sessions.js';
import {
  checkUpgrade,
  type CheckedSession,
  type FailedSession,
  type UpgradeCheck,
} from '../../../live/upgrade/upgrade-check.js';
import type { Io } from '../../command-io.js';
import { findTarget, requireJournal } from '../../operator-target.js';
import type { UpgradeOptions } from './upgrade-options.js';

/**
 * Runs `sluice upgrade --check`: replays a copy of a state folder with this version, and writes nothing.
 * @returns 0 when every decision is identical, else 1
 * @throws UsageError, ConfigError, SafetyRefusal, LogCorruptError
 */
export async function upgradeCommand(options: UpgradeOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  requireJournal(target);
  const { stateDir } = target;
  const check = await checkUpgrade(io.files, stateDir, (session, index, count) => {
    if (io.isTerminal)
      io.stderr(`sluice: replaying session ${session} (${index + 1} of ${count})\n`);
  });
  const verdict = verdictOf(check.sessions);
  const { version = 'unknown' } = io;
  if (options.json) io.stdout(`${JSON.stringify(jsonOf(check, { stateDir, version, verdict }))}\n`);
  else io.stdout(`${textOf(check, { stateDir, version, verdict }).join('\n')}\n`);
  return verdict === 'identical' ? EXIT.done : EXIT.failed;
}

type Verdict = 'identical' | 'different' | 'not compared';

interface Place {
  readonly stateDir: string;
  /** Of this program. */
  readonly version: string;
  readonly verdict: Verdict;
}

function verdictOf(sessions: readonly CheckedSession[]): Verdict {
  if (sessions.some((each) => hasFailed(each) || ('identical' in each && !each.identical)))
    return 'different';
  return sessions.some((each) => 'identical' in each) ? 'identical' : 'not compared';
}

const hasFailed = (session: CheckedSession): session is FailedSession => 'failure' in session;

const changesFormat = ({ journalVersion: { found, written } }: UpgradeCheck): boolean =>
  found !== written;

const jsonOf = (check: UpgradeCheck, { stateDir, version, verdict }: Place) => ({
  identical: verdict === 'identical',
  state_dir: stateDir,
  account: check.account,
  records: check.records,
  version,
  written_by: check.writtenBy ?? null,
  journal_version: check.journalVersion.found,
  first_write_version: check.journalVersion.written,
  changes_format: changesFormat(check),
  positions: check.positions.map(positionRow),
  not_compared: check.sessions.filter((each) => 'gone' in each).length,
  sessions: check.sessions,
});

function textOf(check: UpgradeCheck, place: Place): readonly string[] {
  const { stateDir, version, verdict } = place;
  const { account, records, writtenBy = 'an unrecorded version', sessions } = check;
  return [
    `${stateDir}: account ${account}, ${countText(records, 'journal record')}, last written by Sluice ${writtenBy}; this is Sluice ${version}`,
    ...check.positions
      .map(positionRow)
      .map(
        ({ symbol, currency, quantity }) => `open position: ${symbol} ${quantity} (${currency})`,
      ),
    ...sessions.map(checkedText),
    ...firstDifference(sessions),
    formatText(check),
    `before the first start of this version: sluice backup ${stateDir} --out FILE`,
    'to go back: stop it, install the old version and start that. If it refuses the state, move the folder away and ' +
      `restore: sluice restore FILE --into ${stateDir}, then start once with --adopt history`,
    VERDICTS[verdict],
  ];
}

const positionRow = ({ symbol, currency, quantity }: RecoveredPosition) => ({
  symbol,
  currency,
  quantity: textFromFixed(quantity),
});

const checkedText = (session: CheckedSession): string =>
  hasFailed(session)
    ? `session ${session.session}: DIFFERENT: this version cannot replay it: ${session.failure}`
    : sessionText(session);

function firstDifference(sessions: readonly CheckedSession[]): readonly string[] {
  const first = sessions.find((each) => 'identical' in each && !each.identical);
  return first === undefined || hasFailed(first) || !wasCompared(first)
    ? []
    : differenceText(first);
}

function formatText(check: UpgradeCheck): string {
  const { found, written } = check.journalVersion;
  return changesFormat(check)
    ? `journal: version ${found}; the first write of this version is version ${written}, and older versions refuse the ` +
        'state from then on'
    : `journal: version ${found}, which this version writes too: the old version can start again, and refuses the state ` +
        'with exit code 4 if it meets a kind of record newer than itself';
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  identical: 'identical',
  different:
    'different: this version would have decided otherwise, or the code of a strategy has changed since. Compare the ' +
    'changelog before you start it',
  'not compared': 'not compared: the archives of the journal were removed',
};
