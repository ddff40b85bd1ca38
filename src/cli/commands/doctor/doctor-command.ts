import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { SafetyRefusal } from '../../../core/command-errors.js';
import { freshSecret } from '../../../io/node/fresh-secret.js';
import { NO_RETRY } from '../../../live/bot/bot-parts.js';
import { checkLimitConflicts } from '../../../live/checks/limit-conflicts.js';
import {
  learnedFingerprint,
  readFingerprint,
  writeFingerprint,
} from '../../../live/interlocks/account-fingerprint.js';
import {
  checkInterlocks,
  refusing,
  type InterlockResult,
} from '../../../live/interlocks/start-check.js';
import type { StartFacts } from '../../../live/interlocks/start-facts.js';
import { StartReader } from '../../../live/interlocks/start-reader.js';
import type { VenueReadings } from '../../../live/interlocks/venue-facts.js';
import { createLogger } from '../../../live/log/logger.js';
import { VenueError } from '../../../venue/venue.js';
import { usesColour, type Io } from '../../command-io.js';
import { nodeRunPorts, type RunPorts } from '../run/run-ports.js';
import { observedConfig } from '../run/observed-config.js';
import { printJson } from '../account/print.js';
import type { DoctorOptions } from './doctor-options.js';

/**
 * Runs `sluice doctor`: judges every interlock of the configuration's mode, and changes nothing.
 * @returns 0 when the mode could start, 4 when a hard interlock would refuse it
 */
export async function doctorCommand(
  options: DoctorOptions,
  io: Io,
  ports: RunPorts = nodeRunPorts,
): Promise<number> {
  const loaded = await loadConfig(options.config, io.files);
  const config = options.observe ? observedConfig(loaded) : loaded;
  checkLimitConflicts(config);
  const reader = await StartReader.open({ ...io, ...ports, config });
  const machine = await reader.machine();
  const asked = await askVenue({ reader, machine, config, options, io, ports });
  const facts =
    asked.readings === undefined ? machine : { ...machine, venue: asked.readings.facts };
  if (options.acceptAccount) return acceptAccount(config, asked.readings, io);
  const results = checkInterlocks(facts, asked.unchecked);
  const canStart = refusing(facts, results).length === 0 && asked.failure === undefined;
  if (options.json) {
    const { path, mode } = config;
    printJson(io, { config: path, mode, can_start: canStart, interlocks: results });
  } else printResults(results, config, canStart, io);
  if (asked.failure !== undefined) io.stderr(`sluice: ${asked.failure}\n`);
  return canStart ? EXIT.done : EXIT.refused;
}

interface AskedVenue {
  readonly readings?: VenueReadings;
  readonly unchecked?: string;
  /** The venue could not be asked though it should. */
  readonly failure?: string;
}

interface AskParts {
  readonly reader: StartReader;
  readonly machine: StartFacts;
  readonly config: SluiceConfig;
  readonly options: DoctorOptions;
  readonly io: Io;
  readonly ports: RunPorts;
}

/** The key goes to no address that an interlock refuses. */
async function askVenue({ reader, machine, config, ...parts }: AskParts): Promise<AskedVenue> {
  const { io, ports, options } = parts;
  if (config.venue.endpoint.kind === 'embedded')
    return { unchecked: 'the sandbox runs only while the bot does' };
  const refused = checkInterlocks(machine).find(
    ({ id, result }) => ADDRESS_IDS.has(id) && result === 'failed',
  );
  if (refused !== undefined) return { unchecked: `not asked, because ${refused.id} failed` };
  if (io.isTerminal) io.stderr('sluice: asking the venue; a read waits at most 5 s\n');
  const net = ports.openNet(config);
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: [],
    stacks: options.debug,
  });
  try {
    return { readings: await reader.venue(machine, { net, logger, withRetry: NO_RETRY }) };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return { unchecked: 'the venue does not answer', failure: `the venue: ${error.message}` };
  } finally {
    await net.close();
  }
}

const ADDRESS_IDS: ReadonlySet<string> = new Set(['https', 'public_host', 'tls_verification']);

/** @throws SafetyRefusal when the account of the key cannot be read */
async function acceptAccount(
  { stateDir }: SluiceConfig,
  readings: VenueReadings | undefined,
  io: Io,
): Promise<number> {
  const presented = readings?.presented;
  if (presented === undefined)
    throw new SafetyRefusal('the account of the key cannot be read: sluice doctor shows why');
  if (!(await io.files.exists(stateDir))) {
    io.stdout(`${stateDir} does not exist yet: its first start learns the account\n`);
    return EXIT.done;
  }
  const known = await readFingerprint(io.files, stateDir);
  const learned = learnedFingerprint(
    known === undefined ? undefined : { ...known, ids: [] },
    presented,
    freshSecret(),
  );
  await writeFingerprint(io.files, stateDir, learned);
  io.stdout(`${stateDir} belongs to the account of this key now\n`);
  return EXIT.done;
}

function printResults(
  results: readonly InterlockResult[],
  { path, mode }: SluiceConfig,
  canStart: boolean,
  io: Io,
): void {
  const width = Math.max(...results.map(({ id }) => id.length));
  for (const { id, severity, result, found, mend } of results) {
    const word = WORDS[result === 'failed' ? severity : result];
    io.stdout(`${word.padEnd(10)}${id.padEnd(width)}  ${oneLine(found)}\n`);
    if (mend !== null) io.stdout(`${' '.repeat(10)}${' '.repeat(width)}  mend: ${oneLine(mend)}\n`);
  }
  const end = canStart ? 'can start' : 'cannot start (exit code 4)';
  io.stdout(`${path}, mode: ${mode}: ${end}\n`);
}

const WORDS = { ok: 'ok', unchecked: 'unchecked', hard: 'REFUSES', soft: 'warns' } as const;
