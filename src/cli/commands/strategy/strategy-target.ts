import type { OperatorCommand } from '../../../core/events.js';
import { UsageError } from '../../../core/command-errors.js';
import { acquireStateLock } from '../../../io/log/state-lock.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { OperatorClient } from '../../../live/operator/operator-client.js';
import { addPendingCommand } from '../../../live/state/pending-commands.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import {
  connectTo,
  findTarget,
  refuseOtherAccount,
  requireJournal,
  type OperatorTarget,
  type OperatorTargetOptions,
} from '../../operator-target.js';
import { configOfState } from '../kill/config-of-state.js';
import { offlineStatus } from '../status/status-command.js';

const POLL_INTERVAL_MS = 250;

/** Runs a task on the bot that the options name. `client`: its daemon; undefined: none runs. */
export async function withBot(
  options: OperatorTargetOptions,
  io: Io,
  task: (target: OperatorTarget, client: OperatorClient | undefined) => Promise<number>,
): Promise<number> {
  const target = await findTarget(options, io);
  requireJournal(target);
  const client = await connectTo(target, io);
  try {
    if (client === undefined) await refuseOtherAccount(target, io);
    return await task(target, client);
  } finally {
    client?.close();
  }
}

/**
 * Leaves a command to the next start, which journals and obeys it.
 * @returns the status of the folder with it
 * @throws StateHeldError while a process holds the folder
 */
export async function leaveToNextStart(
  target: OperatorTarget,
  command: OperatorCommand,
  io: Io,
): Promise<StatusReport> {
  const { stateDir } = target;
  const config = target.config ?? (await configOfState(stateDir, io.files));
  if (config?.venue.endpoint.kind === 'embedded')
    throw new UsageError(
      'no daemon runs, and each run on an embedded sandbox begins with a new folder: there is no next start of this one',
    );
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    await addPendingCommand(io.files, stateDir, command, io.clock.utcMs());
  } finally {
    await lock.release();
  }
  return offlineStatus(target, io);
}

/**
 * The configured id of a strategy without a daemon.
 * @throws UsageError with the ids that there are
 */
export async function requireConfiguredStrategy(
  id: string,
  target: OperatorTarget,
  io: Io,
): Promise<void> {
  const config = target.config ?? (await configOfState(target.stateDir, io.files));
  if (config === undefined)
    throw new UsageError(`${target.stateDir} names no configuration: give it with --config`);
  const ids = config.strategies.map((strategy) => strategy.id);
  if (ids.includes(id)) return;
  throw new UsageError(`no strategy ${id} is configured: the ids are ${ids.join(', ')}`);
}

/** Repeats a request until its answer holds or the time is up. @returns the last answer */
export async function repeatUntil(
  ask: () => Promise<StatusReport>,
  holds: (report: StatusReport) => boolean,
  timeoutMs: number,
  { clock, scheduler }: Pick<Io, 'clock' | 'scheduler'>,
): Promise<StatusReport> {
  const deadline = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const report = await ask();
    if (holds(report) || clock.monotonicMs() >= deadline) return report;
    await new Promise<void>((resolve) => {
      scheduler.after(POLL_INTERVAL_MS, resolve);
    });
  }
}

/** The row of a strategy. */
export const rowOf = (
  { strategies }: StatusReport,
  id: string,
): StatusReport['strategies'][number] | undefined => strategies.find((each) => each.id === id);
