import type { Currency } from '../../core/currency.js';
import type { Files } from '../../core/ports.js';
import { closingsOf, ledgerCsv } from '../../report/books/ledger-csv.js';
import type { LocalTime } from '../../report/books/local-time.js';
import type { Statement, WalletReading } from '../../report/books/statement.js';

/** In the state folder; it has a folder for each zone. */
export const LEDGER_FOLDER = 'ledger';
/** UTC ms after the end of a day before it is final: a venue may book its last rows a little later. */
const FINAL_AFTER_MS = 10 * 60_000;
const FILE = /^(\d{4}-\d{2}-\d{2})\.csv$/;

/** A day of a zone, from its start (inclusive) to its end, ms UTC. */
export interface ArchiveDay {
  readonly day: string;
  readonly from: number;
  readonly to: number;
}

export interface LedgerArchiveOptions {
  readonly files: Files;
  /** Of one zone: days of two zones overlap. */
  readonly folder: string;
  readonly time: LocalTime;
}

/** Ledgers of finished days, a CSV file each, which are never changed. */
export class LedgerArchive {
  readonly #options: LedgerArchiveOptions;

  constructor(options: LedgerArchiveOptions) {
    this.#options = options;
  }

  /**
   * Days that have ended and have no file, oldest first: from the day after the first file, else from the day of
   * the first row. @param endedBy ms UTC: a day that ends later is not finished
   */
  async missingDays(
    firstRowAt: number | undefined,
    endedBy: number,
  ): Promise<readonly ArchiveDay[]> {
    const { files, folder, time } = this.#options;
    await files.makeDirectory(folder);
    const present = new Set(
      (await files.list(folder)).flatMap((name) => FILE.exec(name)?.[1] ?? []),
    );
    const [firstDay = firstRowAt === undefined ? undefined : time.day(firstRowAt)] = [
      ...present,
    ].sort();
    const days: ArchiveDay[] = [];
    let from = firstDay === undefined ? undefined : time.dayStart(firstDay);
    while (from !== undefined) {
      const to = time.nextDayStart(from);
      if (to + FINAL_AFTER_MS > endedBy) break;
      const day = time.day(from);
      if (!present.has(day)) days.push({ day, from, to });
      from = to;
    }
    return days;
  }

  /** The wallet at the start of a day, as the file of the day before has it. */
  async openingOf({ from }: ArchiveDay, currency: Currency): Promise<WalletReading | undefined> {
    const { files, time } = this.#options;
    const bytes = await files.read(this.#pathOf(time.day(from - 1)));
    if (bytes === undefined) return undefined;
    const wallet = closingsOf(new TextDecoder().decode(bytes)).get(currency);
    return wallet === undefined ? undefined : { at: from, wallet };
  }

  /** @returns false: another process has written the day meanwhile, and its file stands */
  write({ day }: ArchiveDay, statements: readonly Statement[]): Promise<boolean> {
    const { files, time } = this.#options;
    const { text } = ledgerCsv(statements, time, 'venue');
    return files.createExclusive(this.#pathOf(day), new TextEncoder().encode(text));
  }

  #pathOf(day: string): string {
    return `${this.#options.folder}/${day}.csv`;
  }
}
