import type { Clock, Files, Logger, Random, Scheduler } from '../core/ports.js';

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
}

/** One connection made, by any process that shares the file. */
interface Made {
  readonly by: string;
  readonly utcMs: number;
}

const MINUTE_MS = 60_000;

/**
 * Limits how often a connection is opened, also across restarts, so that a crash loop cannot lock
 * this machine out. Own connections are aged on monotonic time, those of other processes on UTC.
 */
export class ConnectionBudget {
  readonly #options: ConnectionBudgetOptions;
  readonly #perMinute: number;
  readonly #name: string;
  readonly #own: { readonly utcMs: number; readonly monotonicMs: number }[] = [];
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
      ...foreign.map((made) => ageOf(made, clock.utcMs())),
    ].sort((a, b) => a - b);
    const limiting = ages[this.#perMinute - 1];
    return limiting === undefined ? 0 : Math.ceil(MINUTE_MS - limiting);
  }

  async #record(foreign: readonly Made[]): Promise<void> {
    const { clock, file } = this.#options;
    this.#own.push({ utcMs: clock.utcMs(), monotonicMs: clock.monotonicMs() });
    if (file === undefined) return;
    const own = this.#own.map(({ utcMs }) => ({ by: this.#name, utcMs }));
    const bytes = new TextEncoder().encode(JSON.stringify([...foreign, ...own]));
    try {
      await file.files.replace(file.path, bytes);
    } catch (error) {
      this.#fault(error, 'The connection count cannot be written: it will not survive a restart');
    }
  }

  /** Connections of the last minute that other processes, or earlier ones of ours, made. */
  async #foreign(): Promise<readonly Made[]> {
    const { file, clock } = this.#options;
    if (file === undefined) return [];
    try {
      const bytes = await file.files.read(file.path);
      if (bytes === undefined) return [];
      const now = clock.utcMs();
      return madeFromText(new TextDecoder().decode(bytes)).filter(
        (made) => made.by !== this.#name && ageOf(made, now) < MINUTE_MS,
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

/** A stamp from the future means that the clock was set back: it counts as just made. */
const ageOf = (made: Made, utcMs: number): number => Math.max(0, utcMs - made.utcMs);

/** @throws SyntaxError when the text is not a list of connections */
function madeFromText(text: string): Made[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isMade)) {
    throw new SyntaxError('The file is not a list of connections');
  }
  return parsed;
}

const isMade = (value: unknown): value is Made =>
  typeof value === 'object' &&
  value !== null &&
  'by' in value &&
  typeof value.by === 'string' &&
  'utcMs' in value &&
  typeof value.utcMs === 'number';
