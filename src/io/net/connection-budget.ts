import type { BootClock, Clock, Files, Logger, Random, Scheduler } from '../../core/ports.js';
import { isClockReading, readClocks, msSince, type ClockReading } from './clock-reading.js';

/** A small file that is read and replaced as a whole. */
export interface StateFile {
  readonly files: Pick<Files, 'read' | 'replace'>;
  readonly path: string;
}

export interface ConnectionBudgetOptions {
  /** New connections in any minute. Default 8: the venue allows 10 (hazard I4). */
  readonly perMinute?: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** Persists the count across restarts. Processes with the same file share the budget. */
  readonly file?: StateFile;
  /** Makes the ages in the file independent of steps of the wall clock. */
  readonly boot?: BootClock;
}

/** One opened connection of any process that shares the file. */
interface ConnectionRecord extends ClockReading {
  readonly by: string;
}

const MINUTE_MS = 60_000;
/** A longer wait for a connection is logged, and not again for a while. */
const LONG_WAIT_MS = 1_000;
const LOG_INTERVAL_MS = 600_000;

/**
 * Limits how often a connection is opened, also across restarts, so that the venue does not block this
 * machine during a crash loop. Own connections age on monotonic time, those of other processes on the
 * time since boot.
 */
export class ConnectionBudget {
  readonly #options: ConnectionBudgetOptions;
  readonly #perMinute: number;
  readonly #name: string;
  readonly #ownConnections: { readonly record: ConnectionRecord; readonly monotonicMs: number }[] =
    [];
  #queue: Promise<void> = Promise.resolve();
  #shouldLogFileError = true;
  #waitLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionBudgetOptions) {
    this.#options = options;
    this.#perMinute = options.perMinute ?? 8;
    this.#name = Math.floor(options.random.next() * 2 ** 48).toString(36);
  }

  /** Resolves when a connection may be opened. It is counted, durably, before that. */
  acquire(): Promise<void> {
    const permit = this.#queue.then(() => this.#acquirePermit());
    this.#queue = permit;
    return permit;
  }

  async #acquirePermit(): Promise<void> {
    for (;;) {
      const others = await this.#connectionsOfOtherProcesses();
      const waitMs = this.#waitMs(others);
      if (waitMs <= 0) {
        await this.#recordConnection(others);
        return;
      }
      if (waitMs > LONG_WAIT_MS) this.#logWait(waitMs);
      await new Promise<void>((resolve) => this.#options.scheduler.after(waitMs, resolve));
    }
  }

  #logWait(waitMs: number): void {
    const now = this.#options.clock.monotonicMs();
    if (now - this.#waitLoggedAt < LOG_INTERVAL_MS) return;
    this.#waitLoggedAt = now;
    const seconds = Math.ceil(waitMs / 1_000);
    this.#options.logger.warn(
      { wait_s: seconds },
      `market data waits ${seconds} s for its connection: ${this.#perMinute} were opened within a minute, which is the limit`,
    );
  }

  #waitMs(others: readonly ConnectionRecord[]): number {
    const { clock } = this.#options;
    const now = clock.monotonicMs();
    while (
      this.#ownConnections[0] !== undefined &&
      now - this.#ownConnections[0].monotonicMs >= MINUTE_MS
    ) {
      this.#ownConnections.shift();
    }
    const ages = [
      ...this.#ownConnections.map(({ monotonicMs }) => now - monotonicMs),
      ...others.map((record) => msSince(record, this.#options)),
    ].sort((a, b) => a - b);
    const limiting = ages[this.#perMinute - 1];
    return limiting === undefined ? 0 : Math.ceil(MINUTE_MS - limiting);
  }

  async #recordConnection(others: readonly ConnectionRecord[]): Promise<void> {
    const { clock, file } = this.#options;
    const record = { by: this.#name, ...readClocks(this.#options) };
    this.#ownConnections.push({ record, monotonicMs: clock.monotonicMs() });
    if (file === undefined) return;
    const own = this.#ownConnections.map((connection) => connection.record);
    const bytes = new TextEncoder().encode(JSON.stringify([...others, ...own]));
    try {
      await file.files.replace(file.path, bytes);
    } catch (error) {
      this.#warnOnce(
        error,
        'The connection count cannot be written: it will not survive a restart',
      );
    }
  }

  /** Connections of the last minute that other processes, or previous runs of this one, opened. */
  async #connectionsOfOtherProcesses(): Promise<readonly ConnectionRecord[]> {
    const { file } = this.#options;
    if (file === undefined) return [];
    try {
      const bytes = await file.files.read(file.path);
      if (bytes === undefined) return [];
      return connectionsFromText(new TextDecoder().decode(bytes)).filter(
        (record) => record.by !== this.#name && msSince(record, this.#options) < MINUTE_MS,
      );
    } catch (error) {
      this.#warnOnce(error, 'The connection count cannot be read: only this process is counted');
      return [];
    }
  }

  #warnOnce(error: unknown, message: string): void {
    if (!this.#shouldLogFileError) return;
    this.#shouldLogFileError = false;
    this.#options.logger.warn({ cause: String(error), path: this.#options.file?.path }, message);
  }
}

/** @throws SyntaxError when the text is not a list of connections */
function connectionsFromText(text: string): ConnectionRecord[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isConnectionRecord)) {
    throw new SyntaxError('The file is not a list of connections');
  }
  return parsed;
}

const isConnectionRecord = (value: unknown): value is ConnectionRecord =>
  isClockReading(value) && 'by' in value && typeof value.by === 'string';
