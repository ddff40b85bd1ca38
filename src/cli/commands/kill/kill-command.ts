import { EXIT } from '../../../core/exit-code.js';
import { StateHeldError } from '../../../io/log/state-held-error.js';
import type { OperatorClient } from '../../../live/operator/operator-client.js';
import {
  killFileIn,
  readKillFile,
  strongerSetting,
  writeKillFile,
  type KillSetting,
} from '../../../live/state/kill-file.js';
import { isKillDone, isVenueUnread } from '../../../live/status/kill-done.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import {
  ask,
  connectTo,
  findTarget,
  refuseOtherAccount,
  requireKillable,
  type OperatorTarget,
} from '../../operator-target.js';
import { KillProgress } from './kill-progress.js';
import type { KillOptions } from './kill-options.js';

const POLL_INTERVAL_MS = 250;
/** Real ms to wait for a process that holds the folder without a socket. */
const HELD_TIMEOUT_MS = 10_000;

/**
 * Sets the kill switch: the file first, so that the level stands after any failure, then the daemon, or the work
 * itself where no daemon runs.
 * @returns 0 when everything that the level asks for is proved
 */
export async function killCommand(options: KillOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  requireKillable(target);
  const first = await connectTo(target, io);
  if (first === undefined) await refuseOtherAccount(target, io);
  try {
    const setting = await setKillFile(target, { level: options.level }, io);
    if (setting.level !== options.level) {
      io.stderr(`sluice: the kill switch is set to ${setting.level} already, which is stronger\n`);
    }
    return printOutcome(await carryOut({ first, setting, target, options, io }), options, io);
  } finally {
    first?.close();
  }
}

interface KillTask {
  readonly first: OperatorClient | undefined;
  readonly setting: KillSetting;
  readonly target: OperatorTarget;
  readonly options: KillOptions;
  readonly io: Io;
}

interface KillOutcome {
  readonly level: KillSetting['level'];
  readonly report: StatusReport;
  /** Real ms from the command to the question for the report. */
  readonly elapsedMs: number;
}

/** By the daemon, or by this process. A process that holds the folder may be about to listen, or to end. */
async function carryOut({ first, setting, target, options, io }: KillTask): Promise<KillOutcome> {
  const progress = new KillProgress(io);
  const heldUntil = io.clock.monotonicMs() + HELD_TIMEOUT_MS;
  for (let client = first; ; client = await connectTo(target, io)) {
    if (client !== undefined) return killDaemon(client, setting, options, io, progress);
    try {
      const report = await offlineKill(setting, target, options, io, progress);
      return { level: setting.level, report, elapsedMs: 0 };
    } catch (error) {
      if (!(error instanceof StateHeldError)) throw error;
      if (io.clock.monotonicMs() >= heldUntil) throw heldError(error, target);
      await pause(io);
    }
  }
}

const heldError = ({ pid }: StateHeldError, { stateDir }: OperatorTarget): StateHeldError =>
  new StateHeldError(
    `${killFileIn(stateDir)} is written, but process ${pid ?? '(unknown)'} holds the folder and does not listen: ` +
      'a daemon obeys the file within a second; another command has to end first. Then repeat',
    pid,
  );

/** Durable when it resolves. @returns the setting that stands now */
export async function setKillFile(
  { stateDir }: OperatorTarget,
  asked: KillSetting,
  { files }: Pick<Io, 'files'>,
): Promise<KillSetting> {
  await files.makeDirectory(stateDir);
  const setting = strongerSetting(await readKillFile(files, stateDir), asked);
  await writeKillFile(files, stateDir, setting);
  return setting;
}

async function killDaemon(
  client: OperatorClient,
  { level }: KillSetting,
  { timeoutMs }: KillOptions,
  io: Io,
  progress: KillProgress,
): Promise<KillOutcome> {
  const startedAt = io.clock.monotonicMs();
  // Before the question: its answer is newer.
  let elapsedMs = 0;
  let isInterrupted = false;
  const removeListener = io.onSignal(() => (isInterrupted = true));
  try {
    let report = await ask(client, { command: 'kill', level, reason: 'sluice kill' });
    while (!isKillDone(level, report, elapsedMs) && !isInterrupted && elapsedMs < timeoutMs) {
      progress.show(report);
      await pause(io);
      elapsedMs = io.clock.monotonicMs() - startedAt;
      report = await ask(client, { command: 'status' });
    }
    return { level, report, elapsedMs };
  } finally {
    removeListener();
  }
}

async function offlineKill(
  setting: KillSetting,
  target: OperatorTarget,
  options: KillOptions,
  io: Io,
  progress: KillProgress,
): Promise<StatusReport> {
  // Loaded only where no daemon answers: the command to a daemon must arrive at once.
  if (setting.level === 'pause' || !target.hasJournal) {
    const { offlineStatus } = await import('../status/status-command.js');
    return offlineStatus(target, io);
  }
  const { killWithoutDaemon } = await import('./kill-without-daemon.js');
  return killWithoutDaemon({ setting, target, options, io, progress });
}

const pause = ({ scheduler }: Io): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(POLL_INTERVAL_MS, resolve);
  });

function printOutcome(outcome: KillOutcome, { json }: KillOptions, io: Io): number {
  const { level, report, elapsedMs } = outcome;
  const done = isKillDone(level, report, elapsedMs);
  if (!done) for (const line of leftLines(outcome)) io.stderr(`sluice: ${line}\n`);
  if (json) io.stdout(`${JSON.stringify({ ...report, level, done })}\n`);
  else io.stdout(`${outcomeText(level, report, done)}\n`);
  return done ? EXIT.done : EXIT.failed;
}

const DONE_TEXTS: Readonly<Record<KillSetting['level'], string>> = {
  pause: 'only exits leave',
  cancel: 'every order of ours has ended',
  flatten: 'no order and no position of ours is open',
};

function outcomeText(level: KillSetting['level'], report: StatusReport, done: boolean): string {
  const where = report.running ? '' : ' (no daemon runs)';
  const stands = `the kill switch of ${report.state_dir} is set to ${level} until \`sluice resume\`${where}`;
  return done
    ? `${stands}: ${DONE_TEXTS[level]}`
    : `${stands}, but not everything is done: ${report.running ? 'the daemon goes on, and ' : ''}${killFileIn(report.state_dir)} makes the next start continue`;
}

const UNREAD =
  'what is open at the venue is not known: it was not read since the command, and the lists are those of the journal';

/** Lines for orders and positions that the level has not ended yet. */
function leftLines({ level, report, elapsedMs }: KillOutcome): readonly string[] {
  const positions =
    level === 'flatten' ? report.positions.filter(({ own }) => Number(own) !== 0) : [];
  const unknown = new Set(report.unproved.map(({ client_order_id: id }) => id));
  return [
    ...positions.map(({ own, symbol }) => `still open: position ${own} ${symbol}`),
    ...report.orders.map(
      ({ client_order_id: id, side, quantity, symbol, state }) =>
        `${unknown.has(id) ? 'unknown' : 'still open'}: order ${id}, ${side} ${quantity} ${symbol}, ${state}`,
    ),
    ...(isVenueUnread(level, report, elapsedMs) ? [UNREAD] : []),
    ...report.causes,
  ];
}
