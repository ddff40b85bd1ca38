import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import {
  SCREEN_CLEAR,
  SCREEN_ENTER,
  SCREEN_LEAVE,
  styled,
  countText,
} from '../../../core/terminal-text.js';
import type { OperatorClient } from '../../../live/operator/operator-client.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import { readPendingCommands } from '../../../live/state/pending-commands.js';
import { readKillFile } from '../../../live/state/kill-file.js';
import { readExpectation } from '../../../live/expectation/expectation.js';
import { journalStatus } from '../../../live/status/journal-status.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import { statusReportText } from '../../../live/status/status-text.js';
import { usesColour, type Io } from '../../command-io.js';
import {
  ask,
  connectTo,
  findTarget,
  requireJournal,
  type OperatorTarget,
} from '../../operator-target.js';
import type { StatusOptions } from './status-options.js';

const WATCH_INTERVAL_MS = 1_000;

/** Prints the status of a bot, once or every second. */
export async function statusCommand(options: StatusOptions, io: Io): Promise<number> {
  const target = await findTarget(options, io);
  requireJournal(target);
  const source = new StatusSource(target, io);
  try {
    if (options.watch && options.profit)
      throw new UsageError('--profit reads the whole history of the account: leave out --watch');
    if (options.watch) await watch(source, options, io);
    else print(await reportOf(source, target, options, io), options, io);
    return EXIT.done;
  } finally {
    source.close();
  }
}

async function reportOf(
  source: StatusSource,
  target: OperatorTarget,
  { profit }: StatusOptions,
  io: Io,
): Promise<StatusReport> {
  const report = await source.read();
  if (!profit) return report;
  // Late: the other statuses need no network, and its packages take a third of their time to load.
  const { withProfit } = await import('./profit.js');
  return withProfit(report, target, io);
}

/** The daemon's answer, or the journal while no daemon runs. */
class StatusSource {
  readonly #target: OperatorTarget;
  readonly #io: Io;
  #client: OperatorClient | undefined;

  constructor(target: OperatorTarget, io: Io) {
    this.#target = target;
    this.#io = io;
  }

  async read(): Promise<StatusReport> {
    const expectation = await readExpectation(this.#io.files, this.#target.stateDir);
    return { ...(await this.#report()), expectation };
  }

  async #report(): Promise<StatusReport> {
    if (this.#client === undefined || this.#client.isClosed) {
      this.#client = await connectTo(this.#target, this.#io);
    }
    const client = this.#client;
    if (client === undefined) return offlineStatus(this.#target, this.#io);
    try {
      return await ask(client, { command: 'status' });
    } catch (error) {
      // The daemon ended meanwhile.
      if (!client.isClosed) throw error;
      return offlineStatus(this.#target, this.#io);
    }
  }

  close(): void {
    this.#client?.close();
  }
}

/** The status from the journal alone. @throws LogCorruptError */
export async function offlineStatus(
  { stateDir }: Pick<OperatorTarget, 'stateDir'>,
  { files }: Pick<Io, 'files'>,
): Promise<StatusReport> {
  const records = (await readJournal(files, stateDir)) ?? [];
  const kill = await readKillFile(files, stateDir);
  return journalStatus({
    records,
    stateDir,
    kill,
    pending: await readPendingCommands(files, stateDir),
  });
}

function print(report: StatusReport, { json, all }: StatusOptions, io: Io): void {
  const text = json
    ? `${JSON.stringify(report)}\n`
    : styled(statusReportText(report, { colour: usesColour(io), all }));
  io.stdout(text);
}

/** On a terminal the screen is drawn again in place; elsewhere each status follows the one before. */
async function watch(source: StatusSource, options: StatusOptions, io: Io): Promise<void> {
  const draws = io.isTerminal && !options.json;
  let isStopped = false;
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const removeListener = io.onSignal(() => {
    isStopped = true;
    stop();
  });
  if (draws) io.stdout(SCREEN_ENTER);
  let last: StatusReport | undefined;
  try {
    while (!isStopped) {
      last = await source.read();
      if (draws) io.stdout(SCREEN_CLEAR + screen(last, options, io));
      else print(last, options, io);
      await Promise.race([stopped, pause(io)]);
    }
  } finally {
    removeListener();
    if (draws) io.stdout(SCREEN_LEAVE);
  }
  // The other screen is gone: the last status stays readable.
  if (draws && last !== undefined) print(last, options, io);
}

/** As many lines as the terminal shows. */
function screen(report: StatusReport, { all }: StatusOptions, io: Io): string {
  const lines = statusReportText(report, { colour: usesColour(io), all })
    .trimEnd()
    .split('\n');
  const rows = io.screenRows?.() ?? Number.POSITIVE_INFINITY;
  const shown = lines.length <= rows - 1 ? lines : lines.slice(0, Math.max(1, rows - 2));
  const hidden = lines.length - shown.length;
  const more =
    hidden === 0
      ? ''
      : `… ${countText(hidden, 'more line')}: a higher terminal shows ${hidden === 1 ? 'it' : 'them'}\n`;
  return styled(`${shown.join('\n')}\n${more}`);
}

const pause = ({ scheduler }: Io): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(WATCH_INTERVAL_MS, resolve);
  });
