import { assert } from '../../core/assert.js';
import type { Clock, Files, Gzip, AppendLog } from '../../core/ports.js';
import type { StateNote } from '../state/journal-store.js';
import { compressPart, gzipInline, removeLog, type PartPorts } from './compressed-part.js';
import { listParts, RECORD_DIRECTORY, type RecordPart } from './part-names.js';
import { RotatingLog } from './rotating-log.js';

/** Half an hour to an hour of a busy bot; compressed, some 300 kB. */
const PART_BYTES = 4 * 1024 * 1024;
/** A log of a version without rotation may be too long to compress in memory: it stays. */
const MAX_COMPRESSIBLE_BYTES = 64 * 1024 * 1024;
/** Newest sessions that are retained where no file shows its age. */
const KEPT_SESSIONS = 50;
const KEEP_DAYS = 14;
const DAY_MS = 86_400_000;

export interface RecordOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Age in days after which ended sessions are deleted; absent: `KEEP_DAYS`. */
  readonly keepDays?: number;
  /** Absent: compresses synchronously, in this thread. */
  readonly gzip?: Gzip;
  /** Bytes after which a part is closed; absent: the default. */
  readonly recordPartBytes?: number;
  /** A failure here does not stop the bot: trading does not need the record. */
  readonly note?: (note: StateNote) => void;
}

/** The recorded sessions of a state folder. One process owns it, under the state lock. */
export class RecordStore {
  readonly #options: RecordOptions;
  readonly #directory: string;
  readonly #folder: string;
  readonly #ports: PartPorts;
  #session = '';
  #maintenance: Promise<void> = Promise.resolve();

  constructor(directory: string, options: RecordOptions) {
    this.#options = options;
    this.#directory = directory;
    this.#folder = `${directory}/${RECORD_DIRECTORY}`;
    const { files, gzip = gzipInline, clock } = options;
    this.#ports = { files, gzip, utcMs: () => clock.utcMs() };
  }

  /** Starts the record of one session. @throws LogWriteError */
  async start(): Promise<AppendLog> {
    const { files, recordPartBytes } = this.#options;
    await files.makeDirectory(this.#folder);
    const last = (await listParts(this.#directory, files)).at(-1);
    this.#session = String(last === undefined ? 1 : Number(last.session) + 1).padStart(6, '0');
    return RotatingLog.open({
      files,
      folder: this.#folder,
      session: this.#session,
      partBytes: recordPartBytes ?? PART_BYTES,
      onPartClosed: async (stem) => {
        await this.#try(`${stem}.log is not compressed yet`, () =>
          compressPart(this.#ports, this.#folder, { stem }),
        );
        await this.#try('old sessions were not deleted', () => this.#prune());
      },
      onRotationFailed: (error) => {
        this.#warn('the record continues in the same file', error);
      },
    });
  }

  /** Compresses parts of previous sessions, and deletes expired ones; `settled` waits for it. */
  startMaintenance(): void {
    this.#maintenance = this.#maintenance.then(() =>
      this.#try('the record was not tidied', () => this.#runMaintenance()),
    );
  }

  maintenanceDone(): Promise<void> {
    return this.#maintenance;
  }

  async #runMaintenance(): Promise<void> {
    await this.#prune();
    const names = new Set(await this.#options.files.list(this.#folder));
    for (const part of await this.#previousParts()) {
      // A log, or its head, beside the closed part: a crash came between the two.
      const isLeft = names.has(`${part.stem}.log`) || names.has(`${part.stem}.head`);
      if (part.closedAt === undefined) await this.#compress(part);
      else if (isLeft) await removeLog(this.#options.files, this.#folder, part.stem);
    }
  }

  async #prune(): Promise<void> {
    const parts = await this.#previousParts();
    const tooOld = this.#expiredSessions(parts);
    // The first part first: a session without it does not count.
    for (const { session, file, stem } of parts.filter((part) => tooOld.has(part.session))) {
      assert(session !== this.#session, 'The session that is being recorded is never deleted');
      await this.#options.files.remove(`${this.#folder}/${file}`);
      await removeLog(this.#options.files, this.#folder, stem);
    }
  }

  async #previousParts(): Promise<readonly RecordPart[]> {
    const parts = await listParts(this.#directory, this.#options.files);
    return parts.filter(({ session }) => session !== this.#session);
  }

  /** A replay needs a session from its start, so all parts are deleted together, when all have expired. */
  #expiredSessions(parts: readonly RecordPart[]): ReadonlySet<string> {
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

  async #compress({ stem }: RecordPart): Promise<void> {
    if ((await this.#sizeOf(stem)) > MAX_COMPRESSIBLE_BYTES) return;
    await this.#try(`${stem}.log stays as it is`, () =>
      compressPart(this.#ports, this.#folder, { stem }),
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
