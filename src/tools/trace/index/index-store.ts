import type { LogPosition } from '../../../io/log/log-frame.js';
import type { Database, Value } from './database.js';
import type { IndexRows } from './index-rows.js';

/** A file of another layout is deleted and rebuilt from the journal. */
const LAYOUT = '3';

const TABLES = `
create table meta (name text primary key, value text not null) without rowid;
create table logs (
  id integer primary key, name text not null unique,
  count integer not null, bytes integer not null, hash text not null
);
create table orders (
  id integer primary key, client text not null unique, venue text,
  decision text, leg integer, strategy text, symbol text, at integer not null
);
create index orders_by_venue on orders (venue);
create index orders_by_decision on orders (decision);
create table traces (owner integer, place integer, primary key (owner, place)) without rowid;
create table refusals (decision text, place integer, primary key (decision, place)) without rowid;
create table marks (
  type text, name text, at integer, place integer, primary key (type, name, at, place)
) without rowid;
create table candles (
  log integer, kind text, symbol text, first integer, last integer, live integer, place integer
);
create index candles_by_end on candles (log, kind, symbol, last);
create table replays (session text primary key, watches text not null) without rowid;
create table stories (
  session text, strategy text, symbol text, open integer, story text not null,
  primary key (session, strategy, symbol, open)
) without rowid;
insert into meta values ('layout', '${LAYOUT}');
`;

/** One number holds a log and an offset in it: 524,288 logs of up to 16 GiB. */
const LOG_BYTES = 2 ** 34;
export const recordAddress = (log: number, offset: number): number => log * LOG_BYTES + offset;
export const logOfAddress = (address: number): number => Math.floor(address / LOG_BYTES);
export const offsetOfAddress = (address: number): number => address % LOG_BYTES;

/** The indexed part of a log. */
export interface IndexedLog {
  readonly id: number;
  readonly name: string;
  readonly end: LogPosition;
}

export interface CandleRow {
  readonly kind: string;
  readonly symbol: string;
  /** Open times, ms UTC. */
  readonly first: number;
  readonly last: number;
  readonly live: boolean;
  readonly address: number;
}

/** Writes the index. Each call is one transaction, so an interrupted write changes nothing. */
export class IndexStore {
  readonly database: Database;
  #nextOrder: number;

  constructor(database: Database) {
    this.database = database;
    this.#prepare();
    this.#nextOrder = Number(database.all('select coalesce(max(id), 0) from orders')[0]?.[0]) + 1;
  }

  logs(): readonly IndexedLog[] {
    return this.database
      .all('select id, name, count, bytes, hash from logs order by id')
      .map(([id, name, count, bytes, hash]) => ({
        id: Number(id),
        name: String(name),
        end: {
          count: Number(count),
          bytes: Number(bytes),
          hash: Uint8Array.from(Buffer.from(String(hash), 'hex')),
        },
      }));
  }

  log(name: string): IndexedLog | undefined {
    return this.logs().find((each) => each.name === name);
  }

  /** @returns its id */
  addLog(name: string, end: LogPosition): number {
    this.database.run(
      'insert into logs (name, count, bytes, hash) values (?, ?, ?, ?)',
      name,
      end.count,
      end.bytes,
      hexOf(end.hash),
    );
    return this.log(name)?.id ?? 0;
  }

  rename(id: number, name: string): void {
    this.database.run('update logs set name = ? where id = ?', name, id);
  }

  /** Removes all rows of a log that was replaced. */
  removeLog({ id }: IndexedLog): void {
    const range = [recordAddress(id, 0), recordAddress(id + 1, 0)] as const;
    this.database.transaction(() => {
      for (const table of ['traces', 'refusals', 'marks', 'candles']) {
        this.database.run(`delete from ${table} where place >= ? and place < ?`, ...range);
      }
      this.database.run('delete from orders where id not in (select owner from traces)');
      this.database.run('delete from logs where id = ?', id);
    });
  }

  /** Adds the rows of records up to `end`, and `end` itself. */
  addRecords(log: number, rows: IndexRows, end: LogPosition): void {
    this.database.transaction(() => {
      const ids = this.#addOrders(rows);
      this.#insert(
        'traces',
        2,
        rows.orderRecords.map(([client, address]) => [ids.get(client) ?? 0, address]),
      );
      this.#insert('refusals', 2, rows.refusals);
      this.#insert('marks', 4, rows.otherRecords);
      this.#setEnd(log, end);
    });
  }

  addCandles(log: number, rows: readonly CandleRow[], end: LogPosition): void {
    this.database.transaction(() => {
      const values = rows.map(
        ({ kind, symbol, first, last, live, address }) =>
          [log, kind, symbol, first, last, live ? 1 : 0, address] as const,
      );
      this.#insert('candles', 7, values);
      this.#setEnd(log, end);
    });
  }

  /** The recorded candles of a symbol in a session whose range overlaps [from, to), in record order. */
  candlesBetween(
    session: string,
    range: {
      readonly kind: string;
      readonly symbol: string;
      readonly from: number;
      readonly to: number;
    },
  ): readonly { readonly address: number; readonly live: boolean }[] {
    const { kind, symbol, from, to } = range;
    const rows = this.database.all(
      `select place, live from candles
       where log in (select id from logs where name = ? or name like ?)
       and kind = ? and symbol = ? and first < ? and last >= ? order by place`,
      ...[`record/${session}`, `record/${session}-%`, kind, symbol, to, from],
    );
    return rows.map(([place, live]) => ({ address: Number(place), live: live === 1 }));
  }

  #prepare(): void {
    const { database } = this;
    database.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    database.exec('pragma cache_size = -131072;');
    const tables = database.all("select name from sqlite_master where type = 'table'");
    if (tables.length === 0) {
      database.transaction(() => {
        database.exec(TABLES);
      });
    }
    const layout = database.all("select value from meta where name = 'layout'")[0]?.[0];
    if (layout !== LAYOUT) throw new IndexUnusableError(`layout ${String(layout)}`);
  }

  #addOrders({ orders }: IndexRows): ReadonlyMap<string, number> {
    const ids = new Map<string, number>();
    const inserted: Value[][] = [];
    for (const [client, row] of orders) {
      const known = this.database.all('select id from orders where client = ?', client)[0]?.[0];
      const id = known === undefined ? this.#nextOrder++ : Number(known);
      ids.set(client, id);
      const { orderId, decision, leg, strategy, symbol, at } = row;
      if (known === undefined) {
        inserted.push([id, client, orderId, decision, leg, strategy, symbol, at]);
      } else {
        this.database.run(MERGE_ORDER, orderId, decision, leg, strategy, symbol, at, id);
      }
    }
    this.#insert('orders', 8, inserted);
    return ids;
  }

  /** Inserts many rows per statement, because a call costs more than a row. */
  #insert(table: string, columns: number, rows: readonly (readonly Value[])[]): void {
    const row = `(${Array(columns).fill('?').join(', ')})`;
    for (let at = 0; at < rows.length;) {
      const some = rows.length - at >= ROWS_AT_ONCE ? ROWS_AT_ONCE : 1;
      const values = Array(some).fill(row).join(', ');
      this.database.run(
        `insert or ignore into ${table} values ${values}`,
        ...rows.slice(at, at + some).flat(),
      );
      at += some;
    }
  }

  #setEnd(log: number, end: LogPosition): void {
    this.database.run(
      'update logs set count = ?, bytes = ?, hash = ? where id = ?',
      end.count,
      end.bytes,
      hexOf(end.hash),
      log,
    );
  }
}

const ROWS_AT_ONCE = 100;

const MERGE_ORDER = `update orders set venue = coalesce(?, venue), decision = coalesce(?, decision),
  leg = coalesce(?, leg), strategy = coalesce(?, strategy), symbol = coalesce(?, symbol),
  at = min(?, at) where id = ?`;

/** The index must be deleted and rebuilt. */
export class IndexUnusableError extends Error {
  override readonly name = 'IndexUnusableError';
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
