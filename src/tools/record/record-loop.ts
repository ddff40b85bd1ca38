import { CommandFailure, StartError } from '../../core/command-errors.js';
import type { Scheduler } from '../../core/ports.js';
import { codeOf, systemText } from '../../core/system-error.js';
import type { FundingRecorder } from './funding-recorder.js';
import type { RecordEvent } from './record-event.js';

export interface RecordLoopOptions {
  readonly scheduler: Scheduler;
  readonly symbols: readonly string[];
  /** Absent: without a key the venue names no funding rate. */
  readonly funding?: Pick<FundingRecorder, 'read' | 'settle' | 'dueInMs'>;
  /** Writes the candles that have closed since the last time. Absent: no candles. */
  readonly candles?: () => Promise<void>;
  /** Ends the recorder. @throws StartError when the catalogue has reached its bound */
  readonly checkSize: () => Promise<void>;
  /** ms between two readings of a rate. */
  readonly everyMs: number;
  /** ms between two readings of the candles. */
  readonly candlesEveryMs: number;
  readonly onEvent: (event: RecordEvent) => void;
  /** Once a minute. */
  readonly onStatus: () => void;
}

/** Pause between two calls with the key: at most 30 calls a minute, and a bot with the same key keeps its own. */
const CALL_SPACING_MS = 2_000;
const RETRY_MS = 10_000;
/** The length of the venue's limit (interface: limits). */
const RATE_LIMIT_MS = 60_000;
const STATUS_MS = 60_000;

/** Reads rates and candles until it is stopped. An outage or a full disk is named once, and its work is done later. */
export class RecordLoop {
  readonly #options: RecordLoopOptions;
  readonly #failing = new Map<string, string>();
  #isStopped = false;
  #hasRead = false;
  #wake: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#wake = resolve));

  constructor(options: RecordLoopOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Work that failed last and has not been made up for. */
  get failures(): readonly string[] {
    return [...this.#failing].map(([what, text]) => `${what}: ${text}`);
  }

  /** @throws StartError for a refused key at the start, or a catalogue that has reached its bound */
  async run(): Promise<void> {
    const loops = [this.#funding(), this.#candles(), this.#status()];
    try {
      await Promise.all(loops);
    } finally {
      this.stop();
      await Promise.allSettled(loops);
    }
  }

  async #funding(): Promise<void> {
    const { funding, everyMs } = this.#options;
    if (funding === undefined) return;
    while (!this.#isStopped) {
      const retryMs = await this.#fundingRound(funding);
      const dueMs = retryMs ?? Math.min(everyMs, funding.dueInMs() ?? everyMs);
      await this.#pause(Math.max(CALL_SPACING_MS, dueMs));
    }
    await this.#attempt('funding', () => funding.settle());
  }

  /** @returns ms until the round is repeated; undefined: it is done */
  async #fundingRound(
    funding: NonNullable<RecordLoopOptions['funding']>,
  ): Promise<number | undefined> {
    for (const [index, symbol] of this.#options.symbols.entries()) {
      if (index > 0) await this.#pause(CALL_SPACING_MS);
      if (this.#isStopped) return undefined;
      let retryMs: number | undefined;
      const isDone = await this.#attempt('funding', async () => {
        retryMs = await this.#readRate(funding, symbol);
      });
      if (!isDone) return RETRY_MS;
      if (retryMs !== undefined) return retryMs;
    }
    return undefined;
  }

  async #readRate(
    funding: NonNullable<RecordLoopOptions['funding']>,
    symbol: string,
  ): Promise<number | undefined> {
    const outcome = await funding.read(symbol);
    if (outcome === undefined) {
      this.#hasRead = true;
      this.#recovered('venue');
      this.#recovered(symbol);
      return undefined;
    }
    const { kind, status } = outcome;
    const reason = outcome.kind === 'no' ? `HTTP ${status}: ${outcome.text}` : outcome.cause;
    if (status === 401 || status === 403) {
      if (!this.#hasRead)
        throw new StartError(
          `the venue refuses the key (${reason}): check --secret-file, or leave it out to record candles alone`,
        );
      this.#failed('venue', `the venue refuses the key (${reason})`);
      return RATE_LIMIT_MS;
    }
    if (kind === 'no' && status !== 429) {
      // One symbol that the venue does not list must not hold up the others.
      this.#failed(symbol, `the venue refuses its rate (${reason})`);
      return undefined;
    }
    this.#failed('venue', `it does not name its rates (${reason})`);
    return status === 429 ? RATE_LIMIT_MS : RETRY_MS;
  }

  async #candles(): Promise<void> {
    const { candles, checkSize, candlesEveryMs } = this.#options;
    let isDone = true;
    while (!this.#isStopped) {
      await checkSize();
      if (candles !== undefined) isDone = await this.#attempt('candles', candles);
      await this.#pause(isDone ? candlesEveryMs : RATE_LIMIT_MS);
    }
    if (candles !== undefined && isDone) await this.#attempt('candles', candles);
  }

  async #status(): Promise<void> {
    while (!this.#isStopped) {
      await this.#pause(STATUS_MS);
      if (!this.#isStopped) this.#options.onStatus();
    }
  }

  /** @returns whether it succeeded. @throws errors that no repetition mends */
  async #attempt(what: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
    } catch (error) {
      if (error instanceof StartError && what === 'funding') throw error;
      if (error instanceof CommandFailure) this.#failed(what, error.message);
      else if (error instanceof Error && codeOf(error) !== undefined)
        this.#failed(what, systemText(error));
      else throw error;
      return false;
    }
    this.#recovered(what);
    return true;
  }

  #failed(what: string, text: string): void {
    if (!this.#failing.has(what))
      this.#options.onEvent({ event: 'note', text: `${what}: ${text}; it is tried again` });
    this.#failing.set(what, text);
  }

  #recovered(what: string): void {
    if (this.#failing.delete(what))
      this.#options.onEvent({ event: 'note', text: `${what}: works again` });
  }

  /** Until the time is over, or the recorder is stopped. */
  async #pause(waitMs: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      cancel = this.#options.scheduler.after(waitMs, resolve);
    });
    await Promise.race([over, this.#stopped]);
    cancel();
  }
}
