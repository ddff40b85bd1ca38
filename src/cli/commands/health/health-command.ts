import { EXIT } from '../../../core/exit-code.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { daemonHealth, type DaemonHealth } from '../../../live/supervisor/daemon-health.js';
import { readHeartbeat } from '../../../live/supervisor/heartbeat-file.js';
import { bootClockOf } from '../../../io/net/clock-reading.js';
import type { Io } from '../../command-io.js';
import { findTarget } from '../../operator-target.js';
import type { HealthOptions } from './health-options.js';

/** Real ms after which a file that was being written is read again. */
const RETRY_MS = 200;

/** @returns 0 when the daemon decides, 1 when it does not; the reason is printed */
export async function healthCommand(options: HealthOptions, io: Io): Promise<number> {
  const { stateDir } = await findTarget(options, io);
  const clocks = { clock: io.clock, ...(await bootClockOf(nodeProcessFacts)) };
  const beat = (await readHeartbeat(io.files, stateDir)) ?? (await readAgain(stateDir, io));
  const health = daemonHealth(beat, { clocks, maxLateMs: options.maxLateMs });
  print(health, stateDir, options, io);
  return health.healthy ? EXIT.done : EXIT.failed;
}

async function readAgain(
  stateDir: string,
  { files, scheduler }: Io,
): ReturnType<typeof readHeartbeat> {
  await new Promise<void>((resolve) => {
    scheduler.after(RETRY_MS, resolve);
  });
  return readHeartbeat(files, stateDir);
}

function print(health: DaemonHealth, stateDir: string, { json }: HealthOptions, io: Io): void {
  if (json) io.stdout(`${JSON.stringify({ state_dir: stateDir, ...health })}\n`);
  else io.stdout(`${health.healthy ? 'healthy' : 'unhealthy'}: ${health.reason}\n`);
}
