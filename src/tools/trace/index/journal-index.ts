import type { Files } from '../../../core/ports.js';
import {
  decodeJournalRecord,
  type JournalRecord,
  type JournalRecordOf,
} from '../../../execution/journal/journal-record.js';
import type { RangeReader } from '../../../io/node/node-ranges.js';
import { IndexStore, IndexUnusableError, logOfAddress, offsetOfAddress } from './index-store.js';
import { DatabasePathError, openDatabase, type Database, type Value } from './database.js';
import { indexJournal, type Progress } from './journal-logs.js';
import { logPaths, readRecordAt, type LogPorts } from './log-follower.js';

export const INDEX_FILE = 'index.db';

export interface IndexPorts extends LogPorts {
  readonly files: Files;
  readonly progress: Progress;
  /** Prints a warning on standard error. */
  readonly warn: (text: string) => void;
}

export interface IndexedOrder {
  readonly id: number;
  readonly clientOrderId: string;
  readonly decision: string | undefined;
  readonly leg: number | undefined;
  readonly strategy: string | undefined;
  readonly at: number;
}

/**
 * Finds journal records by order, decision or command. The index is a cache beside the journal: it holds
 * addresses, and the records are read from the journal. A broken index is rebuilt.
 */
export class JournalIndex {
  readonly store: IndexStore;
  readonly directory: string;
  readonly #ports: LogPorts;
  readonly #readers = new Map<number, Promise<{ reader: RangeReader; path: string }>>();

  constructor(store: IndexStore, ports: LogPorts, directory: string) {
    this.store = store;
    this.directory = directory;
    this.#ports = ports;
  }

  /** Finds orders by client id, venue id or a prefix; at most `limit`, oldest first. */
  orders(text: string, limit: number): readonly IndexedOrder[] {
    const exact = this.#orders('client = ? or venue = ?', [text, text], limit);
    if (exact.length > 0) return exact;
    const range = [text, `${text}\uffff`, text, `${text}\uffff`];
    const where = '(client >= ? and client < ?) or (venue >= ? and venue < ?)';
    return this.#orders(where, range, limit);
  }

  ordersOfDecision(decision: string): readonly IndexedOrder[] {
    return this.#orders('decision = ?', [decision], MAX_ORDERS_PER_DECISION);
  }

  /** Keys with this prefix, of decisions with orders and of refused ones. */
  decisions(prefix: string, limit: number): readonly string[] {
    const range = [prefix, `${prefix}\uffff`] as const;
    const rows = this.#all(
      `select decision from orders where decision >= ? and decision < ?
       union select decision from refusals where decision >= ? and decision < ? limit ?`,
      [...range, ...range, limit],
    );
    return rows.map(([decision]) => String(decision));
  }

  /** Ids next to this one in sort order, and the newest ids. */
  neighbours(text: string): readonly string[] {
    const rows = [
      ...this.#all('select client from orders where client < ? order by client desc limit 5', [
        text,
      ]),
      ...this.#all('select client from orders where client >= ? order by client limit 5', [text]),
      ...this.newest(200).map((id) => [id] as const),
    ];
    return [...new Set(rows.map(([client]) => String(client)))];
  }

  newest(count: number): readonly string[] {
    const sql = 'select client from orders where decision is not null order by id desc limit ?';
    return this.#all(sql, [count]).map(([client]) => String(client));
  }

  count(): number {
    const sql = 'select count(*) from orders where decision is not null';
    return Number(this.#all(sql, [])[0]?.[0]);
  }

  async recordsOf(order: IndexedOrder): Promise<readonly JournalRecord[]> {
    const rows = this.#all('select place from traces where owner = ? order by place', [order.id]);
    return this.#read(rows);
  }

  async refusals(decision: string): Promise<readonly JournalRecord[]> {
    return this.#read(
      this.#all('select place from refusals where decision = ? order by place', [decision]),
    );
  }

  async command(commandId: string): Promise<JournalRecord | undefined> {
    const rows = this.#all("select place from marks where type = 'command' and name = ? limit 1", [
      commandId,
    ]);
    return (await this.#read(rows))[0];
  }

  async header(): Promise<JournalRecord | undefined> {
    const rows = this.#all(
      "select place from marks where type = 'header' order by place limit 1",
      [],
    );
    return (await this.#read(rows))[0];
  }

  /** The last change of mode up to a venue time. */
  async modeAt(venueTime: number): Promise<JournalRecord | undefined> {
    const rows = this.#all(
      "select place from marks where type = 'mode' and at <= ? order by at desc, place desc limit 1",
      [venueTime],
    );
    return (await this.#read(rows))[0];
  }

  /** Decisions of a person on what a strategy id holds, oldest first; a compaction repeats them. */
  async ownershipDecisions(): Promise<readonly JournalRecordOf<'ownership'>[]> {
    const rows = this.#all("select place from marks where type = 'ownership' order by place", []);
    return (await this.#read(rows)).filter((record) => record.type === 'ownership');
  }

  async payloadAt(address: number): Promise<Uint8Array> {
    const log = logOfAddress(address);
    let opened = this.#readers.get(log);
    if (opened === undefined) this.#readers.set(log, (opened = this.#open(log)));
    const { reader, path } = await opened;
    return readRecordAt(reader, path, offsetOfAddress(address));
  }

  async close(): Promise<void> {
    for (const opened of this.#readers.values()) await (await opened).reader.close();
    this.store.database.close();
  }

  async #open(log: number): Promise<{ reader: RangeReader; path: string }> {
    const name = this.store.logs().find(({ id }) => id === log)?.name;
    if (name === undefined) throw new IndexUnusableError(`log ${log} is unknown`);
    const path = logPaths(this.directory, name).log;
    return { reader: await this.#ports.ranges.open(path), path };
  }

  /** Reads records in order, each once: a compaction writes retained records again. */
  async #read(rows: readonly (readonly Value[])[]): Promise<readonly JournalRecord[]> {
    const seen = new Set<string>();
    const records: JournalRecord[] = [];
    for (const [address] of rows) {
      const payload = await this.payloadAt(Number(address));
      const text = Buffer.from(payload).toString('latin1');
      if (!seen.has(text)) records.push(decodeJournalRecord(payload));
      seen.add(text);
    }
    return records;
  }

  #orders(where: string, values: readonly Value[], limit: number): readonly IndexedOrder[] {
    const columns = 'id, client, decision, leg, strategy, at';
    const rows = this.#all(`select ${columns} from orders where ${where} order by id limit ?`, [
      ...values,
      limit,
    ]);
    return rows.map(([id, client, decision, leg, strategy, at]) => ({
      id: Number(id),
      clientOrderId: String(client),
      decision: decision === null ? undefined : String(decision),
      leg: leg === null ? undefined : Number(leg),
      strategy: strategy === null ? undefined : String(strategy),
      at: Number(at),
    }));
  }

  #all(sql: string, values: readonly Value[]): readonly (readonly Value[])[] {
    return this.store.database.all(sql, ...values);
  }
}

const MAX_ORDERS_PER_DECISION = 100;

/**
 * Opens the index of a state folder and adds the records that are durable since. A missing or broken
 * index, or one of another layout, is rebuilt. When the file cannot be written, the index is in memory.
 *
 * @throws LogCorruptError, JournalRecordError of the journal itself
 */
export async function openJournalIndex(
  directory: string,
  ports: IndexPorts,
  rebuild: boolean,
): Promise<JournalIndex> {
  const path = `${directory}/${INDEX_FILE}`;
  if (rebuild) await removeIndex(path, ports.files);
  try {
    return await openAt(path, directory, ports);
  } catch (error) {
    if (isUnwritable(error)) {
      ports.warn(`${path} cannot be written (${textOf(error)}): the index is built in memory`);
      return openAt(':memory:', directory, ports);
    }
    if (!isUnusable(error)) throw error;
    ports.warn(`${path} cannot be used (${textOf(error)}): it is rebuilt`);
    await removeIndex(path, ports.files);
    return openAt(path, directory, ports);
  }
}

async function openAt(path: string, directory: string, ports: IndexPorts): Promise<JournalIndex> {
  const database: Database = await openDatabase(path);
  try {
    const store = new IndexStore(database);
    await indexJournal(store, ports, directory, ports.progress);
    return new JournalIndex(store, ports, directory);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function removeIndex(path: string, files: Files): Promise<void> {
  for (const end of ['', '-wal', '-shm', '-journal']) await files.remove(`${path}${end}`);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const isUnwritable = (error: unknown): boolean =>
  error instanceof DatabasePathError ||
  /^SQLITE_(CANTOPEN|READONLY|PERM|FULL|IOERR|LOCKED|BUSY)/.test(codeOf(error));

/** Errors of libsql for a broken database, including missing tables. */
const isUnusable = (error: unknown): boolean =>
  error instanceof IndexUnusableError || /^SQLITE_/.test(codeOf(error));

const textOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : codeOf(error);
