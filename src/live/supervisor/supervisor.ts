import type { Clock, Files, Logger, Scheduler } from '../../core/ports.js';
import { OWNER_NAME } from '../../io/log/state-lock.js';
import { decodeHeartbeat, heartbeatPathIn, type DaemonHeartbeat } from './heartbeat-file.js';
import { EntrySweep, type EntrySweepParts, type SweepVenue } from './entry-sweep.js';
import { IncidentLog, type IncidentLine } from './incident-file.js';
import { SilenceDetector } from './silence-detector.js';

const POLL_MS = 1_000;

export interface SupervisorVenue extends SweepVenue {
  close(): Promise<void>;
}

export interface SupervisorParts {
  readonly files: Pick<Files, 'read' | 'openAppend'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly stateDir: string;
  /** Real ms without a sign of life after which entries are canceled. */
  readonly afterMs: number;
  /** Whether the daemon answers a question on its operator channel. */
  readonly isAnswering: () => Promise<boolean>;
  readonly entries: EntrySweepParts['entries'];
  /** Opens the venue's interface for one incident, with the secret of that moment. */
  readonly openVenue: () => Promise<SupervisorVenue>;
  readonly onLine?: (line: IncidentLine) => void;
}

/** One silence in which the supervisor acts. */
interface ActiveIncident {
  readonly log: IncidentLog;
  readonly sweep: EntrySweep;
  readonly close: () => Promise<void>;
  isReported: boolean;
}

/**
 * Watches the heartbeat of a daemon from a process of its own. When it stops, the supervisor cancels the entries
 * that the journal knows, and nothing else. It sends nothing while the daemon lives, starts nothing, and writes
 * neither the journal nor the lock of the state folder. Every sign of life ends its work at once: a beat, another
 * owner of the folder, or an answer on the operator channel. A planned stop counts as life.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #detector = new SilenceDetector();
  #heartbeat: DaemonHeartbeat | undefined;
  #incident: ActiveIncident | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Watches until `stopped` resolves. */
  async run(stopped: Promise<void>): Promise<void> {
    // A race with `stopped` would leave a reaction in it at each step, for as long as the process lives.
    const stop = { isRequested: false, wake: (): void => undefined };
    void stopped.then(() => {
      stop.isRequested = true;
      stop.wake();
    });
    while (!stop.isRequested) {
      await this.step();
      await new Promise<void>((resolve) => {
        stop.wake = resolve;
        if (stop.isRequested) resolve();
        else this.#parts.scheduler.after(POLL_MS, resolve);
      });
    }
    await this.#end('the supervisor was stopped');
  }

  /** One look at the state folder, and what follows from it. */
  async step(): Promise<void> {
    const { clock, afterMs, logger } = this.#parts;
    const sign = await this.#readSign();
    const silentMs = this.#detector.observe(sign, clock.monotonicMs());
    if (silentMs === 0) await this.#end('the daemon shows signs of life');
    if (silentMs < afterMs) return;
    if (this.#incident === undefined) {
      if (await this.#parts.isAnswering()) {
        this.#detector.reset();
        logger.warn({}, 'the heartbeat has stopped, but the daemon answers: nothing is canceled');
        return;
      }
      await this.#begin(silentMs, sign);
    }
    await this.#incident?.sweep.step();
    this.#reportDone();
  }

  async #begin(silentMs: number, sign: string | undefined): Promise<void> {
    const { logger, entries } = this.#parts;
    const run = this.#heartbeat?.run ?? '';
    const seconds = Math.round(silentMs / 1_000);
    logger.error(
      { run, pid: this.#heartbeat?.pid },
      `no heartbeat for ${seconds} s: canceling entries`,
    );
    const venue = await this.#parts.openVenue();
    const log = await IncidentLog.open(run, this.#parts);
    await log.write({ kind: 'silent', silent_ms: silentMs, pid: this.#heartbeat?.pid ?? null });
    const isSilent = async (): Promise<boolean> => (await this.#readSign()) === sign;
    const sweep = new EntrySweep({ ...this.#parts, log, venue, entries, isSilent });
    this.#incident = { log, sweep, close: () => venue.close(), isReported: false };
  }

  #reportDone(): void {
    const { logger } = this.#parts;
    if (this.#incident?.sweep.isDone !== true || this.#incident.isReported) return;
    this.#incident.isReported = true;
    logger.warn(
      {},
      'every entry of the silent daemon has ended; stops and reduce-only orders stay',
    );
  }

  async #end(reason: string): Promise<void> {
    const incident = this.#incident;
    if (incident === undefined) return;
    this.#incident = undefined;
    this.#parts.logger.warn({}, `the supervisor's work ends: ${reason}`);
    await incident.log.write({ kind: 'over', reason });
    await incident.log.close();
    await incident.close();
  }

  /** Changes with each sign of life. undefined: no daemon is known, or its stop was planned. */
  async #readSign(): Promise<string | undefined> {
    const { files, stateDir } = this.#parts;
    const beat = await files.read(heartbeatPathIn(stateDir));
    if (beat === undefined) return undefined;
    // A beat that is being written does not parse: the one before it stays the last known.
    this.#heartbeat = decodeHeartbeat(beat) ?? this.#heartbeat;
    if (this.#heartbeat === undefined || this.#heartbeat.state === 'stopped') return undefined;
    const owner = await files.read(`${stateDir}/${OWNER_NAME}`);
    const decoder = new TextDecoder();
    return `${decoder.decode(beat)}\n${owner === undefined ? '' : decoder.decode(owner)}`;
  }
}
