import type { Cancel, Files, Logger, Scheduler } from '../../core/ports.js';
import { readClocks, type ReadableClocks } from '../../io/net/clock-reading.js';
import { HEARTBEAT_INTERVAL_MS, writeHeartbeat, type DaemonHeartbeat } from './heartbeat-file.js';
import { readIncidents, incidentText, type Incident } from './incident-file.js';

/** Real ms without a beat after which the daemon looks for actions of a supervisor. */
const LONG_GAP_MS = 5_000;

export interface HeartbeatParts extends ReadableClocks {
  readonly files: Pick<Files, 'writeAt' | 'read'>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly stateDir: string;
  readonly pid: number;
  /** The candle of the beat, now. */
  readonly candle: () => DaemonHeartbeat['candle'];
}

/**
 * The heartbeat of a daemon: a file that it overwrites every second. A hung event loop and a disk that hangs both
 * end it, and nothing else does.
 */
export class HeartbeatWriter {
  readonly #parts: HeartbeatParts;
  readonly run: string;
  #count = 0;
  #isPlannedStop = false;
  #isFailing = false;
  #cancel: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();
  #beatAt: number;
  #reported = 0;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.run = `${parts.pid}-${Math.round(parts.clock.utcMs())}`;
    this.#beatAt = parts.clock.monotonicMs();
  }

  /** The candle that a beat would name now. */
  get candle(): DaemonHeartbeat['candle'] {
    return this.#parts.candle();
  }

  /** The first beat is durable when it resolves. */
  async start(): Promise<void> {
    await this.#beat();
    this.#schedule();
  }

  /** The policy of a stop has been carried out: the supervisor has nothing to do. */
  planStop(): void {
    this.#isPlannedStop = true;
  }

  /** The last beat says whether the stop was planned. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#writing;
    if (this.#isPlannedStop) await this.#beat();
  }

  #schedule(): void {
    const { scheduler, clock } = this.#parts;
    this.#cancel = scheduler.after(HEARTBEAT_INTERVAL_MS, () => {
      const gap = clock.monotonicMs() - this.#beatAt;
      this.#writing = this.#beat().then(() => {
        if (gap > LONG_GAP_MS) return this.#reportIncidents();
        return undefined;
      });
      void this.#writing.then(() => {
        if (this.#cancel !== undefined) this.#schedule();
      });
    });
  }

  /** A beat that fails must not end the daemon: a supervisor then takes it for dead. */
  async #beat(): Promise<void> {
    const { files, stateDir, pid, logger, clock } = this.#parts;
    this.#count += 1;
    this.#beatAt = clock.monotonicMs();
    try {
      await writeHeartbeat(files, stateDir, {
        v: 1,
        ...readClocks(this.#parts),
        run: this.run,
        pid,
        count: this.#count,
        state: this.#isPlannedStop ? 'stopped' : 'running',
        candle: this.#parts.candle(),
      });
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.warn({ error }, HEARTBEAT_FAILED);
      this.#isFailing = true;
    }
  }

  /** The daemon hung, or the machine slept: a supervisor may have acted meanwhile. */
  async #reportIncidents(): Promise<void> {
    const { files, stateDir, logger } = this.#parts;
    try {
      const own = (await readIncidents(files, stateDir)).filter(({ run }) => run === this.run);
      logIncidents(own.slice(this.#reported), logger);
      this.#reported = own.length;
    } catch (error) {
      logger.warn({ error }, "the supervisor's record of its cancels cannot be read");
    }
  }
}

const HEARTBEAT_FAILED =
  'the heartbeat cannot be written: a supervisor will take this daemon for dead and cancel its entries. ' +
  'Free the disk of the state folder';

/** One warning for each time that a supervisor has acted. */
export function logIncidents(incidents: readonly Incident[], logger: Logger): void {
  for (const incident of incidents) {
    const fields = { run: incident.run, orders: incident.cancels };
    logger.warn(fields, incidentText(incident));
  }
}
