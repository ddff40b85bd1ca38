import type { Clock, Logger, Net } from '../../core/ports.js';

/** Real ms of one request. */
const TIMEOUT_MS = 5_000;

export interface DeadManSettings {
  readonly url: string;
  /** Real ms between two requests. */
  readonly everyMs: number;
}

export interface DeadManParts {
  readonly net: Pick<Net, 'request'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
}

/**
 * Requests an address regularly while the bot decides on fresh candles. The service behind it alerts when the
 * requests stay away: the only alert that outlives the machine.
 */
export class DeadMan {
  readonly #settings: DeadManSettings;
  readonly #parts: DeadManParts;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isUnderWay = false;
  #hasFailed = false;

  constructor(settings: DeadManSettings, parts: DeadManParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Called about once a second. */
  step(isFresh: boolean): void {
    const now = this.#parts.clock.monotonicMs();
    if (!isFresh || this.#isUnderWay || now < this.#nextAt) return;
    this.#nextAt = now + this.#settings.everyMs;
    void this.ping();
  }

  /** @returns the failure; undefined: the service has answered with 2xx */
  async ping(): Promise<string | undefined> {
    const { net, logger } = this.#parts;
    this.#isUnderWay = true;
    const failure = await net
      .request({ method: 'GET', url: this.#settings.url, headers: {}, timeoutMs: TIMEOUT_MS })
      .then(
        ({ status }) => (status >= 200 && status < 300 ? undefined : `it answers ${status}`),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    this.#isUnderWay = false;
    if (failure !== undefined && !this.#hasFailed)
      logger.warn({}, `notify: the request to notify.dead_man.url fails: ${failure}`);
    this.#hasFailed = failure !== undefined;
    return failure;
  }
}
