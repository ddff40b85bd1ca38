import { Command, type Option } from 'commander';
import type { Io } from './command-io.js';
import { addAcknowledge } from './commands/acknowledge/acknowledge-options.js';
import { addKill } from './commands/kill/kill-options.js';
import { addPause } from './commands/pause/pause-options.js';
import { addResume } from './commands/resume/resume-options.js';
import { addStatus } from './commands/status/status-options.js';
import { addAccount } from './commands/account/account-options.js';
import { addExport, addPnl } from './commands/books/books-options.js';
import { addBacktest, type BacktestOptions } from './commands/backtest/backtest-options.js';
import { addBackup, addRestore } from './commands/backup/backup-options.js';
import { addChaos } from './commands/chaos/chaos-options.js';
import { addDev } from './commands/dev/dev-options.js';
import { addDrift } from './commands/drift/drift-options.js';
import { addDataList, addDataVerify } from './commands/data/data-options.js';
import { addDataExport } from './commands/data/export-options.js';
import { addDataImport } from './commands/data/import-options.js';
import { addDataDownload } from './commands/data/download-options.js';
import { addDataRecord } from './commands/data/record-options.js';
import { addDoctor } from './commands/doctor/doctor-options.js';
import { addHealth } from './commands/health/health-options.js';
import { addInit } from './commands/init/init-options.js';
import { addNotifyTest } from './commands/notify/notify-options.js';
import { addOrder } from './commands/order/order-options.js';
import { addPlan } from './commands/plan/plan-options.js';
import { addProbe } from './commands/probe/probe-options.js';
import { addReplay } from './commands/replay/replay-options.js';
import { addRisk } from './commands/risk/risk-options.js';
import { addRuns } from './commands/runs/runs-options.js';
import { addRun } from './commands/run/run-options.js';
import { addSandbox } from './commands/sandbox/sandbox-options.js';
import {
  addStrategyReload,
  addStrategyStart,
  addStrategyStop,
} from './commands/strategy/control-options.js';
import {
  addStrategyAdopt,
  addStrategyRename,
  addStrategyRetire,
} from './commands/strategy/ownership-options.js';
import {
  addStrategyCheck,
  addStrategyList,
  addStrategyNew,
} from './commands/strategy/strategy-options.js';
import { addSupervise } from './commands/supervise/supervise-options.js';
import { addUpgrade } from './commands/upgrade/upgrade-options.js';
import { addWhy } from './commands/why/why-options.js';
import type { CommandAction } from './shared-options.js';

/** The code of a command. @returns the exit code */
export type RunCommand<Options> = (options: Options, io: Io) => Promise<number>;

/** Imports the code of a command, so that `--help` and other commands do not load it. */
export type LoadCommand<Options> = () => Promise<RunCommand<Options>>;

/** Runs one parsed command. @returns the exit code */
export type ExecuteCommand = <Options>(
  name: string,
  options: Options,
  load: LoadCommand<Options>,
) => Promise<number>;

export interface ProgramOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface Program {
  /** Runs the command that the arguments name. @throws CommanderError for usage, help and version */
  parse(args: readonly string[]): Promise<number>;
}

type RegisterCommand = (
  program: Command,
  debug: boolean,
  execute: ExecuteCommand,
  onExit: (exitCode: number) => void,
) => void;

const decidesOwnership = async () =>
  (await import('./commands/strategy/ownership-command.js')).ownershipCommand;

const command =
  <Options>(
    name: string,
    add: (program: Command, debug: boolean, action: CommandAction<Options>) => void,
    load: LoadCommand<Options>,
  ): RegisterCommand =>
  (program, debug, execute, onExit) => {
    add(program, debug, async (options) => {
      onExit(await execute(name, options, load));
    });
  };

/** A backtest runs on its own thread when the process offers one. */
const loadBacktest: LoadCommand<BacktestOptions> = () =>
  Promise.resolve(async (options, io) =>
    io.backtestThread === undefined
      ? (await import('./commands/backtest/backtest-command.js')).backtestCommand(options, io)
      : io.backtestThread(options, io),
  );

/** In the order of the help. */
const COMMANDS: readonly RegisterCommand[] = [
  command('run', addRun, async () => (await import('./commands/run/run-command.js')).runCommand),
  command(
    'plan',
    addPlan,
    async () => (await import('./commands/plan/plan-command.js')).planCommand,
  ),
  command(
    'doctor',
    addDoctor,
    async () => (await import('./commands/doctor/doctor-command.js')).doctorCommand,
  ),
  command(
    'status',
    addStatus,
    async () => (await import('./commands/status/status-command.js')).statusCommand,
  ),
  command(
    'health',
    addHealth,
    async () => (await import('./commands/health/health-command.js')).healthCommand,
  ),
  command(
    'supervise',
    addSupervise,
    async () => (await import('./commands/supervise/supervise-command.js')).superviseCommand,
  ),
  command(
    'backup',
    addBackup,
    async () => (await import('./commands/backup/backup-command.js')).backupCommand,
  ),
  command(
    'restore',
    addRestore,
    async () => (await import('./commands/backup/backup-command.js')).restoreCommand,
  ),
  command(
    'upgrade',
    addUpgrade,
    async () => (await import('./commands/upgrade/upgrade-command.js')).upgradeCommand,
  ),
  command(
    'kill',
    addKill,
    async () => (await import('./commands/kill/kill-command.js')).killCommand,
  ),
  command(
    'pause',
    addPause,
    async () => (await import('./commands/pause/pause-command.js')).pauseCommand,
  ),
  command(
    'resume',
    addResume,
    async () => (await import('./commands/resume/resume-command.js')).resumeCommand,
  ),
  command(
    'acknowledge',
    addAcknowledge,
    async () => (await import('./commands/acknowledge/acknowledge-command.js')).acknowledgeCommand,
  ),
  command(
    'sandbox',
    addSandbox,
    async () => (await import('./commands/sandbox/sandbox-command.js')).sandboxCommand,
  ),
  command('backtest', addBacktest, loadBacktest),
  command(
    'runs',
    addRuns,
    async () => (await import('./commands/runs/runs-command.js')).runsCommand,
  ),
  command(
    'data import',
    addDataImport,
    async () => (await import('./commands/data/import-command.js')).dataImportCommand,
  ),
  command(
    'data export',
    addDataExport,
    async () => (await import('./commands/data/export-command.js')).dataExportCommand,
  ),
  command(
    'data list',
    addDataList,
    async () => (await import('./commands/data/list-command.js')).dataListCommand,
  ),
  command(
    'data download',
    addDataDownload,
    async () => (await import('./commands/data/download-command.js')).dataDownloadCommand,
  ),
  command(
    'data record',
    addDataRecord,
    async () => (await import('./commands/data/record-command.js')).dataRecordCommand,
  ),
  command(
    'data verify',
    addDataVerify,
    async () => (await import('./commands/data/verify-command.js')).dataVerifyCommand,
  ),
  command(
    'replay',
    addReplay,
    async () => (await import('./commands/replay/replay-command.js')).replayCommand,
  ),
  command(
    'drift',
    addDrift,
    async () => (await import('./commands/drift/drift-command.js')).driftCommand,
  ),
  command(
    'risk',
    addRisk,
    async () => (await import('./commands/risk/risk-command.js')).riskCommand,
  ),
  command('why', addWhy, async () => (await import('./commands/why/why-command.js')).whyCommand),
  command(
    'account',
    addAccount,
    async () => (await import('./commands/account/account-command.js')).accountCommand,
  ),
  command('pnl', addPnl, async () => (await import('./commands/books/pnl-command.js')).pnlCommand),
  command(
    'export ledger',
    addExport,
    async () => (await import('./commands/books/ledger-command.js')).ledgerCommand,
  ),
  command(
    'order',
    addOrder,
    async () => (await import('./commands/order/order-command.js')).orderCommand,
  ),
  command(
    'notify test',
    addNotifyTest,
    async () => (await import('./commands/notify/notify-test-command.js')).notifyTestCommand,
  ),
  command(
    'probe',
    addProbe,
    async () => (await import('./commands/probe/probe-command.js')).probeCommand,
  ),
  command(
    'chaos',
    addChaos,
    async () => (await import('./commands/chaos/chaos-command.js')).chaosCommand,
  ),
  command(
    'init',
    addInit,
    async () => (await import('./commands/init/init-command.js')).initCommand,
  ),
  command(
    'strategy new',
    addStrategyNew,
    async () => (await import('./commands/strategy/new-command.js')).newCommand,
  ),
  command(
    'strategy list',
    addStrategyList,
    async () => (await import('./commands/strategy/list-command.js')).listCommand,
  ),
  command(
    'strategy check',
    addStrategyCheck,
    async () => (await import('./commands/strategy/check-command.js')).checkCommand,
  ),
  command(
    'strategy stop',
    addStrategyStop,
    async () => (await import('./commands/strategy/stop-command.js')).stopStrategyCommand,
  ),
  command(
    'strategy start',
    addStrategyStart,
    async () => (await import('./commands/strategy/start-command.js')).startStrategyCommand,
  ),
  command(
    'strategy reload',
    addStrategyReload,
    async () => (await import('./commands/strategy/start-command.js')).startStrategyCommand,
  ),
  command('strategy rename', addStrategyRename, decidesOwnership),
  command('strategy adopt', addStrategyAdopt, decidesOwnership),
  command('strategy retire', addStrategyRetire, decidesOwnership),
  command('dev', addDev, async () => (await import('./commands/dev/dev-command.js')).devCommand),
];

/** The command line. @param execute runs the parsed command; tests only record it */
export function createProgram(
  version: string,
  debug: boolean,
  execute: ExecuteCommand,
  output: ProgramOutput,
): Program {
  let exitCode = 0;
  const program = new Command('sluice')
    .description(
      'Trading bots on linear perpetual futures: run them, backtest them, write your own.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: output.stdout, writeErr: output.stderr })
    .configureHelp({ optionDescription: optionHelp })
    .showHelpAfterError('(add --help for the options)');
  for (const register of COMMANDS) {
    register(program, debug, execute, (code) => {
      exitCode = code;
    });
  }
  return {
    async parse(args) {
      await program.parseAsync(args, { from: 'user' });
      return exitCode;
    },
  };
}

/** Shows a default only when it is a value; a flag that is off shows none. */
function optionHelp({ description, defaultValue, defaultValueDescription }: Option): string {
  const isScalar = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  const shown = defaultValueDescription ?? (isScalar ? String(defaultValue) : undefined);
  return shown === undefined ? description : `${description} (default: ${shown})`;
}
