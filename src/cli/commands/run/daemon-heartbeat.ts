import type { Logger } from '../../../core/ports.js';
import { bootClockOf } from '../../../io/net/clock-reading.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { Bot } from '../../../live/bot/bot.js';
import type { CandleTimes } from '../../../live/status/candle-times.js';
import { readHeartbeat } from '../../../live/supervisor/heartbeat-file.js';
import { HeartbeatWriter, logIncidents } from '../../../live/supervisor/heartbeat.js';
import { readIncidents } from '../../../live/supervisor/incident-file.js';
import { latestCandle } from '../../../live/supervisor/latest-candle.js';
import type { Io } from '../../command-io.js';

export interface DaemonHeartbeatParts {
  readonly bot: Bot;
  readonly stateDir: string;
  readonly logger: Logger;
  readonly candleTimes: CandleTimes;
}

/** Logs the cancels of a supervisor since the last heartbeat of the folder, then begins this run's own. */
export async function startHeartbeat(
  { bot, stateDir, logger, candleTimes }: DaemonHeartbeatParts,
  io: Io,
): Promise<HeartbeatWriter> {
  const { files } = io;
  const last = await readHeartbeat(files, stateDir);
  const incidents = await readIncidents(files, stateDir);
  logIncidents(
    incidents.filter(({ run }) => run === last?.run),
    logger,
  );
  const { venueTime: startedAt } = bot.venueTime;
  const heartbeat = new HeartbeatWriter({
    ...io,
    ...(await bootClockOf(nodeProcessFacts)),
    logger,
    stateDir,
    pid: nodeProcessFacts.pid,
    candle: () =>
      latestCandle({ hosts: bot.engine.hosts, candleTimes, startedAt, ...bot.venueTime }),
  });
  await heartbeat.start();
  return heartbeat;
}
