import type { Instrument } from '../../core/instrument.js';
import type { Files, Logger } from '../../core/ports.js';
import { recordFromText, recordText } from '../../core/record-json.js';

const VERSION = 1;

interface SavedFile {
  readonly v: typeof VERSION;
  readonly instruments: readonly Instrument[];
}

export interface SavedInstrumentsParts {
  readonly files: Pick<Files, 'read' | 'replace'>;
  readonly stateDir: string;
  readonly logger: Logger;
}

/**
 * The rules of a bot's instruments, as the venue last listed them. A start with something open uses them while the
 * list cannot be read: an exit needs them.
 */
export class SavedInstruments {
  readonly #parts: SavedInstrumentsParts;
  readonly #path: string;

  constructor(parts: SavedInstrumentsParts) {
    this.#parts = parts;
    this.#path = `${parts.stateDir}/instruments.json`;
  }

  /** Those of other symbols stay. A file that cannot be written is logged: the run has the list. */
  async save(instruments: readonly Instrument[]): Promise<void> {
    const { files, logger } = this.#parts;
    const before = await this.#read();
    const symbols = new Set(instruments.map(({ symbol }) => symbol));
    const others = before.filter(({ symbol }) => !symbols.has(symbol));
    const content: SavedFile = {
      v: VERSION,
      instruments: [...instruments, ...others].sort(bySymbol),
    };
    const text = recordText(content);
    if (text === recordText({ v: VERSION, instruments: before })) return;
    try {
      await files.replace(this.#path, new TextEncoder().encode(text));
    } catch (error) {
      logger.warn({ error: String(error) }, `${this.#path} cannot be written`);
    }
  }

  /** @returns undefined unless every one of the symbols is there */
  async read(symbols: readonly string[]): Promise<readonly Instrument[] | undefined> {
    const saved = await this.#read();
    const isComplete = symbols.every((each) => saved.some(({ symbol }) => symbol === each));
    return isComplete ? saved : undefined;
  }

  async #read(): Promise<readonly Instrument[]> {
    const { files, logger } = this.#parts;
    try {
      const bytes = await files.read(this.#path);
      if (bytes === undefined) return [];
      const file = recordFromText(new TextDecoder().decode(bytes)) as Partial<SavedFile>;
      return file.v === VERSION && Array.isArray(file.instruments) ? file.instruments : [];
    } catch (error) {
      logger.warn({ error: String(error) }, `${this.#path} cannot be read`);
      return [];
    }
  }
}

const bySymbol = (a: Instrument, b: Instrument): number => (a.symbol < b.symbol ? -1 : 1);
