import { GENESIS } from '../../execution/log/log-frame.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../../execution/journal/journal-record.js';
import { UsageError } from '../failure.js';
import { journalNames } from './journal-logs.js';
import { follow, logPaths, type LogPorts } from './log-follower.js';
import type { Session } from './session-log.js';

/** The journal as a session found it, and then what it wrote. */
export interface SessionJournal {
  readonly before: readonly JournalRecord[];
  /** Payloads in their order. */
  readonly own: AsyncGenerator<Uint8Array>;
}

interface Segment {
  readonly name: string;
  /** Records ever journaled before its own first one. */
  readonly first: number;
  /** What a compaction wrote in place of those. */
  readonly snapshot: number;
}

/** @throws UsageError when it was archived and the archive is removed by now */
export async function sessionJournal(
  { name, header }: Session,
  directory: string,
  ports: LogPorts,
): Promise<SessionJournal> {
  const segments = await segmentsOf(directory, ports);
  const segment = segments.findLast(({ first }) => first <= header.journalStart);
  if (segment === undefined) {
    throw new UsageError(
      `what the journal held when session ${name} began was archived, and the archive is removed by now`,
    );
  }
  const payloads = payloadsOf(directory, segment.name, ports);
  const before: JournalRecord[] = [];
  const count = segment.snapshot + header.journalStart - segment.first;
  while (before.length < count) {
    const next = await payloads.next();
    if (next.done === true) break;
    before.push(decodeJournalRecord(next.value));
  }
  return { before, own: payloads };
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

/** Also where an older version wrote it in its own words. */
function isSame(record: JournalRecord, payload: Uint8Array): boolean {
  const bytes = Buffer.from(encodeJournalRecord(record));
  return bytes.equals(payload) || bytes.equals(encodeJournalRecord(decodeJournalRecord(payload)));
}

/** Whether a replay decides what was journaled, record by record. */
export class JournalComparison {
  readonly #own: AsyncGenerator<Uint8Array>;
  readonly #replayed: JournalRecord[] = [];
  #ended = false;
  /** A record differs: the code that is replayed is not the code that ran. */
  differs = false;

  constructor(own: AsyncGenerator<Uint8Array>) {
    this.#own = own;
  }

  add(record: JournalRecord): void {
    if (!this.#ended) this.#replayed.push(record);
  }

  /** Compares what was added. A journal that ends first lost what was not durable yet. */
  async compare(): Promise<void> {
    for (const record of this.#replayed) {
      if (this.#ended) break;
      const next = await this.#own.next();
      if (next.done === true) this.#ended = true;
      else if (!isSame(record, next.value)) {
        this.differs = true;
        this.#ended = true;
      }
    }
    this.#replayed.length = 0;
  }

  async close(): Promise<void> {
    await this.#own.return(undefined);
  }
}
