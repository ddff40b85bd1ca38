import { assert } from '../../core/assert.js';
import type { Clock, Files, Log } from '../../core/ports.js';
import type { StateNote } from '../journal-store.js';
import { closePart, gzipAtOnce, removeLog, type Gzip, type PartPorts } from './closed-part.js';
import { partsOf, RECORD_DIRECTORY, type Part } from './part-names.js';
import { RotatingLog } from './rotating-log.js';

/** Half an hour to an hour of a busy bot; compressed, some 300 kB. */
const PART_BYTES = 4 * 1024 * 1024;
/** A log of a version that did not rotate may be too long to be compressed in memory: it stays. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Newest sessions that are kept, where none of their files tells its age. */
const KEPT_SESSIONS = 50;
const KEEP_DAYS = 14;
const DAY_MS = 86_400_000;

export interface RecordOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Sessions that ended longer ago are deleted; absent: `KEEP_DAYS`. */
  readonly keepDays?: number;
  /** Absent: at once, in this thread. */
  readonly gzip?: Gzip;
  /** Bytes after which a part is closed; absent: the default. */
  readonly recordPartBytes?: number;
  /** A failure here stops nobody: the record is not needed to trade. */
  readonly note?: (note: StateNote) => void;
}

/** The recorded sessions of a state folder. One process has it, under the state lock. */
export class RecordStore {
  readonly #options: RecordOptions;
  readonly #directory: string;
  readonly #folder: string;
  readonly #ports: PartPorts;
  #session = '';
  #tidying: Promise<void> = Promise.resolve();

  constructor(directory: string, options: RecordOptions) {
    this.#options = options;
    this.#directory = directory;
    this.#folder = `${directory}/${RECORD_DIRECTORY}`;
    const { files, gzip = gzipAtOnce, clock } = options;
    this.#ports = { files, gzip, utcMs: () => clock.utcMs() };
  }

  /** A fresh record, for one session. @throws LogWriteError */
  async begin(): Promise<Log> {
    const { files, recordPartBytes } = this.#options;
    await files.makeDirectory(this.#folder);
    const last = (await partsOf(this.#directory, files)).at(-1);
    this.#session = String(last === undefined ? 1 : Number(last.session) + 1).padStart(6, '0');
    return RotatingLog.open({
      files,
      folder: this.#folder,
      session: this.#session,
      partBytes: recordPartBytes ?? PART_BYTES,
      full: async (stem) => {
        await this.#try(`${stem}.log is not compressed yet`, () =>
          closePart(this.#ports, this.#folder, { stem }),
        );
        await this.#try('old sessions were not deleted', () => this.#prune());
      },
      stuck: (error) => {
        this.#warn('the record goes on in the same file', error);
      },
    });
  }

  /** Compresses what earlier sessions left, and deletes what is too old; `settled` waits for it. */
  tidy(): void {
    this.#tidying = this.#tidying.then(() =>
      this.#try('the record was not tidied', () => this.#tidy()),
    );
  }

  settled(): Promise<void> {
    return this.#tidying;
  }

  async #tidy(): Promise<void> {
    await this.#prune();
    const names = new Set(await this.#options.files.list(this.#folder));
    for (const part of await this.#earlierParts()) {
      // A log, or its head, beside the closed part: the end was cut off between the two.
      const isLeft = names.has(`${part.stem}.log`) || names.has(`${part.stem}.head`);
      if (part.closedAt === undefined) await this.#compress(part);
      else if (isLeft) await removeLog(this.#options.files, this.#folder, part.stem);
    }
  }

  async #prune(): Promise<void> {
    const parts = await this.#earlierParts();
    const tooOld = this.#tooOld(parts);
    // The first part first: without it a session is none.
    for (const { session, file, stem } of parts.filter((part) => tooOld.has(part.session))) {
      assert(session !== this.#session, 'The session that is being recorded is never deleted');
      await this.#options.files.remove(`${this.#folder}/${file}`);
      await removeLog(this.#options.files, this.#folder, stem);
    }
  }

  async #earlierParts(): Promise<readonly Part[]> {
    const parts = await partsOf(this.#directory, this.#options.files);
    return parts.filter(({ session }) => session !== this.#session);
  }

  /** A replay needs a session from its beginning: it goes whole, when all of it is old enough. */
  #tooOld(parts: readonly Part[]): ReadonlySet<string> {
    const { clock, keepDays = KEEP_DAYS } = this.#options;
    const since = clock.utcMs() - keepDays * DAY_MS;
    const sessions = [...new Set(parts.map(({ session }) => session))];
    const beyond = sessions.slice(0, Math.max(0, sessions.length + 1 - KEPT_SESSIONS));
    const isTooOld = (session: string): boolean => {
      const ages = parts.filter((part) => part.session === session).map(({ closedAt }) => closedAt);
      if (ages.some((closedAt) => closedAt === undefined)) {
        return beyond.includes(session) && ages.every((closedAt) => closedAt === undefined);
      }
      return ages.every((closedAt) => closedAt !== undefined && closedAt < since);
    };
    return new Set(sessions.filter(isTooOld));
  }

  async #compress({ stem }: Part): Promise<void> {
    if ((await this.#sizeOf(stem)) > MOST_BYTES) return;
    await this.#try(`${stem}.log stays as it is`, () =>
      closePart(this.#ports, this.#folder, { stem }),
    );
  }

  async #sizeOf(stem: string): Promise<number> {
    const file = await this.#options.files.openAppend(`${this.#folder}/${stem}.log`);
    await file.close();
    return file.initialSize;
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#warn(what, error);
    }
  }

  #warn(what: string, error: unknown): void {
    const text = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    this.#options.note?.({ level: 'warn', text, fields: { folder: this.#folder } });
  }
}
