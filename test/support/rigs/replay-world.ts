import { configFromYaml } from '../../../src/config/config.js';
import { loadRestartedStrategies } from '../../../src/live/strategies/restarted-strategies.js';
import { loadStrategies } from '../../../src/live/strategies/load-strategies.js';
import { buildEngine } from '../../../src/live/bot/build-engine.js';
import { readSessionRecords } from '../../../src/live/record/session-records.js';
import { readSession } from '../../../src/engine/recorder.js';
import { truncationPointsOf, ReplaySink, type ReplayResult } from '../../../src/engine/replay.js';
import { openFramedLog } from '../../../src/io/log/framed-log.js';
import { decodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import { recover } from '../../../src/execution/recovery/recovery.js';
import { STATE_DIR, type BotWorld } from './bot-world.js';

/** Replays the newest session on a world's disk. */
export async function replayOf(world: BotWorld, session = '000001'): Promise<ReplayResult> {
  const files = world.files.copy();
  const journal = (await openFramedLog(files, STATE_DIR, 'journal')).read();
  const record = await readSessionRecords(files, STATE_DIR, session);
  const { header, events } = readSession(record);
  const config = configFromYaml(header.configPath, new TextEncoder().encode(header.configText));
  const { operator } = header;
  const strategies = operator === undefined ? await loadStrategies(config) : [];
  const stopAtCalls = truncationPointsOf(events);
  const restarts = await loadRestartedStrategies(config, events);
  const inputs = {
    config,
    strategies,
    restarts,
    stopAtCalls,
    ...(operator !== undefined && { operator }),
  };
  const before = journal.slice(0, header.journalStart).map(decodeJournalRecord);
  const sink = new ReplaySink(journal.slice(header.journalStart));
  const engine = buildEngine(inputs, sink, recover(before, config.account));
  return sink.run(engine, events);
}
