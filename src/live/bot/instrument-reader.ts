import type { Instrument } from '../../core/instrument.js';
import type { Logger } from '../../core/ports.js';
import { VenueError } from '../../venue/venue.js';
import type { BotParts } from './bot-parts.js';
import { isKeyRefusal } from './key-refusal-detector.js';

export interface InstrumentReaderParts extends Pick<
  BotParts,
  'venue' | 'withRetry' | 'savedInstruments' | 'keyRefusedError'
> {
  readonly logger: Logger;
  /** Whether the work ends soon enough for a start. @throws its error */
  readonly endsInTime: (work: Promise<unknown>) => Promise<boolean>;
}

/** The instruments of a start. */
export class InstrumentReader {
  readonly #parts: InstrumentReaderParts;

  constructor(parts: InstrumentReaderParts) {
    this.#parts = parts;
  }

  /**
   * The venue's list; with something open, and while it cannot be read, that of an earlier run.
   * @throws VenueError, and the error of a refused key
   */
  async read(symbols: readonly string[], isOpen: boolean): Promise<readonly Instrument[]> {
    const { savedInstruments, logger, endsInTime } = this.#parts;
    const reading = this.#readList(symbols);
    if (savedInstruments === undefined || !isOpen) return reading;
    const isRead = await endsInTime(reading).catch((error: unknown) => {
      if (error instanceof VenueError && error.isTransient) return false;
      throw error;
    });
    if (isRead) return reading;
    const saved = await savedInstruments.read(symbols);
    if (saved === undefined) return reading;
    logger.warn(
      { symbols },
      'the instruments cannot be read: their rules are those of an earlier run',
    );
    // The engine reads the list again each hour.
    void reading.catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'the instruments were not read');
    });
    return saved;
  }

  async #readList(symbols: readonly string[]): Promise<readonly Instrument[]> {
    const { venue, withRetry, savedInstruments, keyRefusedError } = this.#parts;
    try {
      const listed = await withRetry(() => venue.instruments(symbols));
      await savedInstruments?.save(listed.filter(({ symbol }) => symbols.includes(symbol)));
      return listed;
    } catch (error) {
      const refused = error instanceof VenueError && isKeyRefusal(error.status);
      throw refused ? keyRefusedError(error.message) : error;
    }
  }
}
