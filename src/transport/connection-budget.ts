import type { BootClock, Clock, Files, Logger, Random, Scheduler } from '../core/ports.js';
import { isMoment, momentNow, msSince, type Moment } from './moment.js';

/** One small file that is read and replaced whole. */
export interface StateFile {
  readonly files: Pick<Files, 'read' | 'replace'>;
  readonly path: string;
}

export interface ConnectionBudgetOptions {
  /** New connections in any minute. Default 8 of the 10 that the peer allows (hazard I4). */
  readonly perMinute?: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** Where the count survives a restart; processes that name the same file share the budget. */
  readonly file?: StateFile;
  /** Tells how old what stands in the file is, whatever the wall clock did meanwhile. */
  readonly boot?: BootClock;
}

/** One connection made, by any process that shares the file. */
interface Made extends Moment {
  readonly by: string;
}

const MINUTE_MS = 60_000;

/**
 * Limits how often a connection is opened, also across restarts, so that a crash loop cannot lock
 * this machine out. Own connections are aged on monotonic time, those of other processes on the
 * machine's own since its start.
 */
export class ConnectionBudget {
  readonly #options: ConnectionBudgetOptions;
  readonly #perMinute: number;
  readonly #name: string;
  readonly #own: { readonly made: Made; readonly monotonicMs: number }[] = [];
  #turn: Promise<void> = Promise.resolve();
  #sayFileFault = true;

  constructor(options: ConnectionBudgetOptions) {
    this.#options = options;
    this.#perMinute = options.perMinute ?? 8;
    this.#name = Math.floor(options.random.next() * 2 ** 48).toString(36);
  }

  /** Resolves when a connection may be opened now; it is counted, durably, before that. */
  acquire(): Promise<void> {
    const mine = this.#turn.then(() => this.#take());
    this.#turn = mine;
    return mine;
  }

  async #take(): Promise<void> {
    for (;;) {
      const foreign = await this.#foreign();
      const waitMs = this.#waitMs(foreign);
      if (waitMs <= 0) {
        await this.#record(foreign);
        return;
      }
      await new Promise<void>((resolve) => this.#options.scheduler.after(waitMs, resolve));
    }
  }

  #waitMs(foreign: readonly Made[]): number {
    const { clock } = this.#options;
    const now = clock.monotonicMs();
    while (this.#own[0] !== undefined && now - this.#own[0].monotonicMs >= MINUTE_MS) {
      this.#own.shift();
    }
    const ages = [
      ...this.#own.map(({ monotonicMs }) => now - monotonicMs),
      ...foreign.map((made) => msSince(made, this.#options)),
    ].sort((a, b) => a - b);
    const limiting = ages[this.#perMinute - 1];
    return limiting === undefined ? 0 : Math.ceil(MINUTE_MS - limiting);
  }

  async #record(foreign: readonly Made[]): Promise<void> {
    const { clock, file } = this.#options;
    const now = { by: this.#name, ...momentNow(this.#options) };
    this.#own.push({ made: now, monotonicMs: clock.monotonicMs() });
    if (file === undefined) return;
    const own = this.#own.map(({ made }) => made);
    const bytes = new TextEncoder().encode(JSON.stringify([...foreign, ...own]));
    try {
      await file.files.replace(file.path, bytes);
    } catch (error) {
      this.#fault(error, 'The connection count cannot be written: it will not survive a restart');
    }
  }

  /** Connections of the last minute that other processes, or earlier ones of ours, made. */
  async #foreign(): Promise<readonly Made[]> {
    const { file } = this.#options;
    if (file === undefined) return [];
    try {
      const bytes = await file.files.read(file.path);
      if (bytes === undefined) return [];
      return madeFromText(new TextDecoder().decode(bytes)).filter(
        (made) => made.by !== this.#name && msSince(made, this.#options) < MINUTE_MS,
      );
    } catch (error) {
      this.#fault(error, 'The connection count cannot be read: only this process is counted');
      return [];
    }
  }

  #fault(error: unknown, message: string): void {
    if (!this.#sayFileFault) return;
    this.#sayFileFault = false;
    this.#options.logger.warn({ cause: String(error), path: this.#options.file?.path }, message);
  }
}

/** @throws SyntaxError when the text is not a list of connections */
function madeFromText(text: string): Made[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isMade)) {
    throw new SyntaxError('The file is not a list of connections');
  }
  return parsed;
}

const isMade = (value: unknown): value is Made =>
  isMoment(value) && 'by' in value && typeof value.by === 'string';
