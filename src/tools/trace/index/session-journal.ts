import { GENESIS } from '../../../io/log/log-frame.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../../../execution/journal/journal-record.js';
import { UsageError } from '../../../core/command-errors.js';
import { journalNames } from './journal-logs.js';
import { follow, logPaths, type LogPorts } from './log-follower.js';
import type { Session } from './session-log.js';

/** The journal at the start of a session, and the records that the session wrote. */
export interface SessionJournal {
  readonly priorRecords: readonly JournalRecord[];
  /** Payloads in journal order. */
  readonly sessionRecords: AsyncGenerator<Uint8Array>;
}

interface Segment {
  readonly name: string;
  /** How many records were journaled before its first one. */
  readonly first: number;
  /** How many records a compaction wrote in place of those. */
  readonly snapshot: number;
}

/** @throws UsageError when it was archived and the archive was removed */
export async function sessionJournal(
  { name, header }: Session,
  directory: string,
  ports: LogPorts,
): Promise<SessionJournal> {
  const segments = await segmentsOf(directory, ports);
  const segment = segments.findLast(({ first }) => first <= header.journalStart);
  if (segment === undefined) {
    throw new UsageError(
      `the journal before session ${name} was archived, and the archive was removed`,
    );
  }
  const payloads = payloadsOf(directory, segment.name, ports);
  const priorRecords: JournalRecord[] = [];
  const count = segment.snapshot + header.journalStart - segment.first;
  while (priorRecords.length < count) {
    const next = await payloads.next();
    if (next.done === true) break;
    priorRecords.push(decodeJournalRecord(next.value));
  }
  return { priorRecords, sessionRecords: payloads };
}

async function segmentsOf(directory: string, ports: LogPorts): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  for (const name of await journalNames(ports, directory)) {
    for await (const { base } of follow(ports, logPaths(directory, name), GENESIS, FIRST_BYTES)) {
      const snapshot = base === undefined ? 0 : base.snapshot.count - 1;
      segments.push({ name, first: base?.recordsBefore ?? 0, snapshot });
      break;
    }
  }
  return segments;
}

const FIRST_BYTES = 64 * 1024;

async function* payloadsOf(
  directory: string,
  name: string,
  ports: LogPorts,
): AsyncGenerator<Uint8Array> {
  for await (const { records } of follow(ports, logPaths(directory, name), GENESIS)) {
    for (const { payload } of records) yield payload;
  }
}

/** Compares the current encoding, so that a record of an older version can be equal too. */
function isSameRecord(record: JournalRecord, payload: Uint8Array): boolean {
  const bytes = Buffer.from(encodeJournalRecord(record));
  return bytes.equals(payload) || bytes.equals(encodeJournalRecord(decodeJournalRecord(payload)));
}

/** Compares the records of a replay with the journal, record by record. */
export class JournalComparison {
  readonly #sessionRecords: AsyncGenerator<Uint8Array>;
  readonly #replayed: JournalRecord[] = [];
  #ended = false;
  /** A record differs: the code has changed since the run. */
  differs = false;

  constructor(sessionRecords: AsyncGenerator<Uint8Array>) {
    this.#sessionRecords = sessionRecords;
  }

  add(record: JournalRecord): void {
    if (!this.#ended) this.#replayed.push(record);
  }

  /** Compares the added records. A journal may end first: its last records were not durable. */
  async compare(): Promise<void> {
    for (const record of this.#replayed) {
      if (this.#ended) break;
      const next = await this.#sessionRecords.next();
      if (next.done === true) this.#ended = true;
      else if (!isSameRecord(record, next.value)) {
        this.differs = true;
        this.#ended = true;
      }
    }
    this.#replayed.length = 0;
  }

  async close(): Promise<void> {
    await this.#sessionRecords.return(undefined);
  }
}
