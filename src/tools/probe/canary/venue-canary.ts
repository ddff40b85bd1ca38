import type { Cancel, Files, Logger, Scheduler } from '../../../core/ports.js';
import {
  changedAnswers,
  changeText,
  mergedAnswers,
  readAnswers,
  writeAnswers,
  type VenueAnswers,
} from './venue-answers.js';

/** Real ms after the start before the first read: the start itself needs the request budget. */
const FIRST_MS = 60_000;
/** Changes that one alert names. */
const MAX_NAMED = 5;

/** In the state folder: the answers that are known. */
export const ANSWERS_FILE = 'venue-answers.json';

export interface VenueCanaryParts {
  readonly read: () => Promise<VenueAnswers>;
  readonly files: Pick<Files, 'read' | 'replace'>;
  readonly path: string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Real ms from the end of one read to the next. */
  readonly everyMs: number;
  /** Called once for the changes of a read. */
  readonly onChanged: (text: string) => void;
}

/**
 * Reads the venue's answers on a schedule, beside the engine: it neither sends events nor writes to the journal. A
 * change is reported once, then it is the known answer.
 */
export class VenueCanary {
  readonly #parts: VenueCanaryParts;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(parts: VenueCanaryParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule(Math.min(FIRST_MS, this.#parts.everyMs));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancel = this.#parts.scheduler.after(delayMs, () => {
      void this.#look().finally(() => {
        this.#schedule(this.#parts.everyMs);
      });
    });
  }

  /** A read that fails is logged; the engine's own alerts cover an outage. */
  async #look(): Promise<void> {
    const { read, files, path, logger, onChanged } = this.#parts;
    try {
      const now = await read();
      if (this.#isClosed) return;
      const known = await readAnswers(files, path);
      const isSameVenue = known?.venue === now.venue;
      const before = isSameVenue ? known : now;
      const changes = changedAnswers(before, now);
      await writeAnswers(files, path, mergedAnswers(before, now));
      if (changes.length === 0) return;
      const named = changes.slice(0, MAX_NAMED).map(changeText).join('; ');
      const more = changes.length > MAX_NAMED ? `; and ${changes.length - MAX_NAMED} more` : '';
      logger.warn({ changes }, "the venue's answers have changed");
      onChanged(`${named}${more}`);
    } catch (error) {
      if (!this.#isClosed) logger.info({ error }, "the venue's answers cannot be read now");
    }
  }
}
