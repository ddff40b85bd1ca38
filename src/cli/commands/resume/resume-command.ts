import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { acquireStateLock } from '../../../io/log/state-lock.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { killFileIn, readKillFile, removeKillFile } from '../../../live/state/kill-file.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';
import {
  ask,
  connectTo,
  findTarget,
  refuseOtherAccount,
  splitWords,
  type OperatorTarget,
  type OperatorTargetOptions,
} from '../../operator-target.js';
import { symbolFault, venueSymbolFromText } from '../../../config/venue-symbol.js';
import { configOfState } from '../kill/config-of-state.js';
import { offlineStatus } from '../status/status-command.js';
import {
  leaveToNextStart,
  requireConfiguredStrategy,
  rowOf,
  withBot,
} from '../strategy/strategy-target.js';
import type { ResumeOptions } from './resume-options.js';

/** Ends the kill switch, or the hold of a symbol. */
export async function resumeCommand(options: ResumeOptions, io: Io): Promise<number> {
  const { name, stateDir } = await splitWords(options.words, 'symbol', io);
  const symbol = name === undefined ? undefined : readSymbol(name);
  const { config, strategy, adopt } = options;
  if (adopt && symbol === undefined)
    throw new UsageError('--adopt takes a symbol: sluice resume BTCUSDT --adopt');
  if (strategy !== undefined) {
    if (symbol !== undefined) throw new UsageError('give a symbol or --strategy, not both');
    const dir = stateDir !== undefined && { stateDir };
    return resumeStrategy(strategy, { ...options, ...dir }, io);
  }
  const target = await findTarget(
    { ...(stateDir !== undefined && { stateDir }), ...(config !== undefined && { config }) },
    io,
  );
  const client = await connectTo(target, io);
  try {
    const report =
      client === undefined
        ? await resumeWithoutDaemon(target, symbol, options, io)
        : await ask(client, {
            command: 'resume',
            ...(symbol !== undefined && { symbol, adopt }),
            ...(options.reason !== undefined && { reason: options.reason }),
          });
    const latched = latchedCauses(report, symbol);
    for (const cause of latched)
      io.stderr(`sluice: ${report.running ? 'still restricted: ' : ''}${cause}\n`);
    if (options.json) io.stdout(`${JSON.stringify(report)}\n`);
    else io.stdout(`${outcomeText(report, { symbol, adopt }, latched.length > 0)}\n`);
    return latched.length === 0 || !report.running ? EXIT.done : EXIT.failed;
  } finally {
    client?.close();
  }
}

/** Ends the pause of one strategy. Without a daemon the next start does. */
const resumeStrategy = (
  strategy: string,
  options: ResumeOptions & OperatorTargetOptions,
  io: Io,
): Promise<number> =>
  withBot(options, io, async (target, client) => {
    const reason = options.reason ?? 'sluice resume';
    if (client === undefined) await requireConfiguredStrategy(strategy, target, io);
    const before = client && rowOf(await ask(client, { command: 'status' }), strategy);
    const report =
      client === undefined
        ? await leaveToNextStart(target, { kind: 'resume-strategy', strategy, reason }, io)
        : await ask(client, { command: 'resume', strategy, reason });
    if (options.json) io.stdout(`${JSON.stringify(report)}\n`);
    else if (client === undefined)
      io.stdout(`no daemon runs: the next start ends the pause of ${strategy}\n`);
    else {
      const what = before?.state === 'paused' ? 'the pause has ended' : 'it was not paused';
      io.stdout(`${strategy}: ${what}; it is ${rowOf(report, strategy)?.state ?? 'unknown'}\n`);
    }
    return EXIT.done;
  });

function readSymbol(text: string): string {
  const symbol = venueSymbolFromText(text);
  if (symbol !== undefined) return symbol;
  throw new UsageError(
    `${text} is no state folder here, and no symbol such as BTCUSDT: ${symbolFault(text)}`,
  );
}

/** Ends the kill switch at once, and leaves the rest to the next start. */
async function resumeWithoutDaemon(
  target: OperatorTarget,
  symbol: string | undefined,
  { adopt, reason }: ResumeOptions,
  io: Io,
): Promise<StatusReport> {
  const { stateDir } = target;
  await refuseOtherAccount(target, io);
  const exists = await io.files.exists(stateDir);
  const isKilled = exists && (await readKillFile(io.files, stateDir)) !== undefined;
  if (symbol === undefined && isKilled) await endKillSwitch(stateDir, io);
  const report = await offlineStatus(target, io);
  const isLatched = latchedCauses(report, symbol).length > 0;
  if (symbol !== undefined) await requireKnownSymbol(symbol, isLatched && !adopt, target, io);
  else if (!isLatched) {
    if (!isKilled)
      io.stderr(`sluice: the kill switch is off: there is no ${killFileIn(stateDir)}\n`);
    return report;
  }
  const scope = symbol !== undefined && { symbol };
  const why = reason !== undefined && { reason };
  if (adopt && symbol !== undefined)
    await leaveToNextStart(target, { kind: 'adopt', what: symbol }, io);
  return leaveToNextStart(target, { kind: 'resume', ...scope, ...why }, io);
}

/** Holds the lock meanwhile: a process that has obeyed the file would not learn of its end. */
async function endKillSwitch(stateDir: string, io: Io): Promise<void> {
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    await removeKillFile(io.files, stateDir);
  } finally {
    await lock.release();
  }
}

/** @throws UsageError where a resume of the symbol would do nothing */
async function requireKnownSymbol(
  symbol: string,
  isLatched: boolean,
  target: OperatorTarget,
  io: Io,
): Promise<void> {
  const config = target.config ?? (await configOfState(target.stateDir, io.files));
  const symbols = config?.strategies.flatMap((strategy) => strategy.symbols) ?? [symbol];
  if (isLatched || symbols.includes(symbol)) return;
  throw new UsageError(
    `no configured strategy trades ${symbol}, and nothing restricts it: the symbols are ${[...new Set(symbols)].join(', ')}`,
  );
}

/** Restrictions that the resume did not end: their cause still holds, or only a daemon can end them. */
const latchedCauses = (
  { restrictions, running }: StatusReport,
  symbol: string | undefined,
): readonly string[] =>
  restrictions
    .filter((each) => each.class === 'latching' && each.symbol === (symbol ?? null))
    .map(({ control, cause }) => {
      const advice = running ? '' : '; the next start ends it if its cause is over';
      return `${control}: ${cause}${advice}`;
    });

function outcomeText(
  { running, mode, positions }: StatusReport,
  { symbol, adopt }: Pick<ResumeOptions, 'adopt'> & { readonly symbol: string | undefined },
  isRestricted: boolean,
): string {
  if (!running && symbol !== undefined)
    return `no daemon runs: the next start ${adopt ? 'adopts the position of' : 'resumes'} ${symbol}`;
  if (symbol !== undefined) {
    const own = positions.find((each) => each.symbol === symbol)?.own ?? '0';
    const adopted = adopt ? `the position of ${symbol} (${own}) is ours; ` : '';
    return isRestricted
      ? `${adopted}${symbol} stays restricted; the mode is ${mode}`
      : `${adopted}${symbol} trades to its target ${mode === 'TRADING' ? 'again' : 'as far as the mode permits'}; the mode is ${mode}`;
  }
  if (running) return `the kill switch is off; the mode is ${mode}`;
  return isRestricted
    ? 'the kill switch is off: the next start resumes the account'
    : 'the kill switch is off: the next start trades';
}
