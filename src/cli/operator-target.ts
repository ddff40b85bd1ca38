import type { SluiceConfig } from '../config/config.js';
import { SafetyRefusal, StartError, UsageError } from '../core/command-errors.js';
import { LocalSocketError } from '../core/ports.js';
import { codeOf } from '../core/system-error.js';
import { OperatorClient } from '../live/operator/operator-client.js';
import { OperatorRequestError, type OperatorRequest } from '../live/operator/operator-protocol.js';
import { findSocket } from '../live/operator/socket-location.js';
import { JOURNAL } from '../live/state/state-folder.js';
import type { StatusReport } from '../live/status/status-report.js';
import { findStateDirs, stateDirsBelow, type StateDirs } from '../tools/trace/find-state-dir.js';
import type { Io } from './command-io.js';

/** The bot that an operator's command is about: by its state folder or its configuration. */
export interface OperatorTargetOptions {
  readonly stateDir?: string;
  /** Path of the YAML file. */
  readonly config?: string;
}

export interface OperatorTarget {
  readonly stateDir: string;
  /** Of `--config`. */
  readonly config: SluiceConfig | undefined;
  readonly hasJournal: boolean;
}

/** Real ms that a daemon may take for one answer. Its journal may wait for a slow disk. */
export const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Finds the state folder: the named one, that of the configuration, or else that of the running daemon below `.sluice/`,
 * and without one that of the newest run there.
 * @throws UsageError, ConfigError
 */
export async function findTarget(
  { stateDir, config: path }: OperatorTargetOptions,
  io: Io,
): Promise<OperatorTarget> {
  if (stateDir !== undefined && path !== undefined) {
    throw new UsageError('give the state folder or --config, not both');
  }
  try {
    if (path !== undefined) return await targetOfConfig(path, io);
    const named = stateDir === undefined ? {} : { stateDir };
    const found = await choose(await findStateDirs(named, io), io);
    return { stateDir: found, config: undefined, hasJournal: true };
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (!['EACCES', 'EPERM'].includes(code)) throw error;
    const text = `this user may not read ${stateDir ?? 'the state folder'}: run the command as the user of the daemon`;
    throw new UsageError(text, { cause: error });
  }
}

/** Each run on an embedded sandbox has a folder of its own below `state_dir`. */
async function targetOfConfig(path: string, io: Io): Promise<OperatorTarget> {
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig(path, io.files);
  const depth = config.venue.endpoint.kind === 'embedded' ? 1 : 0;
  const [newest, ...others] = await stateDirsBelow(config.stateDir, io, depth);
  if (newest === undefined) return { stateDir: config.stateDir, config, hasJournal: false };
  return { stateDir: await choose([newest, ...others], io), config, hasJournal: true };
}

/**
 * The folder whose daemon runs, or else the newest. Only a person can choose between two daemons.
 * @param dirs the newest first
 * @throws UsageError when several daemons run
 */
async function choose(dirs: StateDirs, io: Io): Promise<string> {
  const [newest] = dirs;
  if (dirs.length === 1) return newest;
  const running: string[] = [];
  for (const each of dirs) if (await hasDaemon(each, io)) running.push(each);
  if (running.length > 1)
    throw new UsageError(
      `${running.length} daemons run: ${running.sort().join(', ')}. Name the state folder of one`,
    );
  const [chosen = newest] = running;
  const what = running.length === 1 ? 'the only daemon that runs' : 'the newest';
  io.stderr(`sluice: in ${chosen} (${what} of ${dirs.length} state folders)\n`);
  return chosen;
}

/** A daemon that does not answer, or that belongs to another user, runs too. */
async function hasDaemon(stateDir: string, { sockets, scheduler, files }: Io): Promise<boolean> {
  if (sockets === undefined) return false;
  try {
    const path = await findSocket(files, stateDir);
    const client = await OperatorClient.connect(path, { sockets, scheduler });
    client?.close();
    return client !== undefined;
  } catch (error) {
    if (!(error instanceof LocalSocketError)) throw error;
    return error.reason === 'other-user' || error.reason === 'failed';
  }
}

/**
 * A folder without a journal can be killed before its first run, except below an embedded sandbox: there each run
 * has a folder of its own.
 * @throws UsageError
 */
export function requireKillable(target: OperatorTarget): void {
  if (target.config?.venue.endpoint.kind === 'embedded') requireJournal(target);
}

/** @throws UsageError: the command has nothing to work on */
export function requireJournal({ stateDir, hasJournal }: OperatorTarget): void {
  if (hasJournal) return;
  throw new UsageError(`${stateDir} has no ${JOURNAL}.log: no bot has run with this configuration`);
}

/**
 * Connects to the daemon of the folder and checks that it runs the account of the configuration.
 * @returns undefined: no daemon listens
 * @throws StartError when the daemon belongs to another user, SafetyRefusal when it runs another account
 */
export async function connectTo(
  { stateDir, config }: OperatorTarget,
  io: Io,
): Promise<OperatorClient | undefined> {
  const { sockets, scheduler, files } = io;
  if (sockets === undefined) return undefined;
  const path = await findSocket(files, stateDir);
  const client = await OperatorClient.connect(path, { sockets, scheduler }).catch(
    explainSocketError,
  );
  if (client === undefined || config === undefined) return client;
  try {
    await client.request({ command: 'status', account: config.account }, ANSWER_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof OperatorRequestError && error.code === 'other-account') {
      client.close();
      throw new SafetyRefusal(`${error.message}: ${stateDir} belongs to another account`);
    }
    // A daemon that does not answer is reported by the request that follows.
  }
  return client;
}

/**
 * Without a daemon the journal names the account of the folder.
 * @throws SafetyRefusal when the configuration names another account
 */
export async function refuseOtherAccount(
  { stateDir, config, hasJournal }: OperatorTarget,
  { files }: Pick<Io, 'files'>,
): Promise<void> {
  if (config === undefined || !hasJournal) return;
  const { readJournal } = await import('../live/plan/read-journal.js');
  const [header] = (await readJournal(files, stateDir)) ?? [];
  if (header?.type !== 'header' || header.account === config.account) return;
  throw new SafetyRefusal(
    `${stateDir} belongs to account ${header.account}, not ${config.account}: name its own configuration`,
  );
}

function explainSocketError(error: unknown): never {
  if (!(error instanceof LocalSocketError)) throw error;
  if (error.reason === 'unsupported') throw new UsageError(error.message, { cause: error });
  const advice = error.reason === 'other-user' ? ': run the command as the user of the daemon' : '';
  throw new StartError(`${error.message}${advice}`, { cause: error });
}

/** One request. @throws StartError that says what happened to it */
export async function ask(
  client: OperatorClient,
  request: OperatorRequest,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<StatusReport> {
  try {
    return await client.request(request, timeoutMs);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof OperatorRequestError && error.code === 'bad-request') {
      throw new UsageError(error.message, { cause: error });
    }
    if (error instanceof OperatorRequestError && error.code === 'refused')
      throw new SafetyRefusal(error.message);
    throw new StartError(`the daemon: ${error.message}`, { cause: error });
  }
}

/**
 * Sorts words into a state folder and a name: a word with a slash or a dot, or one that exists as a folder, is
 * the folder.
 * @throws UsageError where two words are of one sort
 */
export async function splitWords(
  words: readonly string[],
  what: string,
  { files }: Pick<Io, 'files'>,
): Promise<{ readonly stateDir?: string; readonly name?: string }> {
  let stateDir: string | undefined;
  let name: string | undefined;
  for (const word of words) {
    const isFolder = /[/\\.]/.test(word) || (await files.exists(word));
    if (isFolder ? stateDir !== undefined : name !== undefined) {
      throw new UsageError(
        `give at most one ${isFolder ? 'state folder' : what}, not also ${word}`,
      );
    }
    if (isFolder) stateDir = word;
    else name = word;
  }
  return { ...(stateDir !== undefined && { stateDir }), ...(name !== undefined && { name }) };
}
