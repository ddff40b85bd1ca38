import { readSession } from '../engine/recorder.js';
import { ReplaySink, type ReplayResult } from '../engine/replay.js';
import { openFramedLog } from '../execution/framed-log.js';
import { decodeJournalRecord } from '../execution/journal-record.js';
import { recover } from '../execution/recovery.js';
import { acquireStateLock } from '../execution/state-lock.js';
import type { Io, ReplayOptions } from './command-options.js';
import { configFromYaml } from './config.js';
import { EXIT } from './exit-code.js';
import { UsageError } from './failure.js';
import { loadStrategies } from './load-strategies.js';
import { nodeProcessFacts } from './ports/process-facts.js';
import { JOURNAL, RECORD_DIRECTORY, sessionNames } from './state-folder.js';
import { codeOf } from './system-error.js';
import { buildEngine } from './wire.js';

interface SessionResult extends ReplayResult {
  readonly session: string;
}

/**
 * Feeds every recorded session of a state folder to a fresh engine and compares what it journals with
 * what was journaled. Sends nothing.
 */
export async function replayCommand(options: ReplayOptions, io: Io): Promise<number> {
  const { stateDir } = options;
  const names = await recordedSessions(stateDir, io);
  // Nobody may write while we read; opening a log may mend its tail.
  const lock = await acquireStateLock(io.files, stateDir, nodeProcessFacts);
  try {
    const results = await replaySessions(stateDir, names, io);
    io.stdout(options.json ? `${JSON.stringify(jsonOf(results))}\n` : textOf(results));
    return results.every((result) => result.identical) ? EXIT.done : EXIT.failed;
  } finally {
    await lock.release();
  }
}

async function recordedSessions(stateDir: string, io: Io): Promise<readonly string[]> {
  const names = await sessionNames(stateDir, io.files).catch((error: unknown) => {
    // The path leads through a file.
    if (codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });
  if (names.length === 0) {
    throw new UsageError(
      `${stateDir} holds no record of a run: give the state_dir of a daemon (its summary prints it)`,
    );
  }
  return names;
}

async function replaySessions(
  stateDir: string,
  names: readonly string[],
  io: Io,
): Promise<readonly SessionResult[]> {
  const journal = await readLog(io, stateDir, JOURNAL);
  const logs = await Promise.all(
    names.map(async (name) => ({
      name,
      log: await readLog(io, `${stateDir}/${RECORD_DIRECTORY}`, name),
    })),
  );
  // A start that was cut off before its first sync has decided nothing.
  const sessions = logs
    .filter(({ log }) => log.length > 0)
    .map(({ name, log }) => ({ name, ...readSession(log) }));
  const results: SessionResult[] = [];
  for (const [index, session] of sessions.entries()) {
    const end = sessions[index + 1]?.header.journalStart ?? journal.length;
    const { journalStart, configPath, configText, operator } = session.header;
    const config = configFromYaml(configPath, new TextEncoder().encode(configText));
    const strategies = operator === undefined ? await loadStrategies(config) : [];
    const inputs = { config, strategies, ...(operator !== undefined && { operator }) };
    const before = journal.slice(0, journalStart).map(decodeJournalRecord);
    const sink = new ReplaySink(journal.slice(journalStart, end));
    const engine = buildEngine(inputs, sink, recover(before, config.account));
    results.push({ session: session.name, ...sink.run(engine, session.events) });
  }
  return results;
}

async function readLog(io: Io, directory: string, name: string): Promise<readonly Uint8Array[]> {
  const log = await openFramedLog(io.files, directory, name);
  const records = log.read();
  await log.close();
  return records;
}

const jsonOf = (results: readonly SessionResult[]) => ({
  identical: results.every((result) => result.identical),
  sessions: results,
});

function textOf(results: readonly SessionResult[]): string {
  const lines = results.map(
    ({ session, events, intents, verdicts, records, identical }) =>
      `session ${session}: ${events} events, ${intents} intents, ${verdicts} verdicts, ${records} journal records: ${identical ? 'identical' : 'DIFFERENT'}`,
  );
  const first = results.find((result) => result.difference !== undefined)?.difference;
  if (first !== undefined) {
    lines.push(
      `first difference at event ${first.event}, record ${first.record}:`,
      `  journaled ${first.journaled?.trimEnd() ?? 'nothing'}`,
      `  replayed  ${first.replayed?.trimEnd() ?? 'nothing'}`,
    );
  }
  lines.push(first === undefined ? 'identical' : 'different');
  return `${lines.join('\n')}\n`;
}
