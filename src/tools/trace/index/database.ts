import {
  loadLibsql,
  type SqliteConnection,
  type Libsql,
  type SqlValue,
  type SqliteStatement,
} from '../../../io/node/libsql.js';

/** The part of libsql that the index uses. */
export interface Database {
  exec(sql: string): void;
  /** Rows as arrays. */
  all(sql: string, ...values: readonly Value[]): readonly (readonly Value[])[];
  run(sql: string, ...values: readonly Value[]): void;
  /** Runs atomically, with an exclusive write lock. */
  transaction(work: () => void): void;
  close(): void;
}

export type Value = SqlValue;

/** Real ms that a second process waits while the first one writes the index. */
const BUSY_MS = 120_000;

/** Imports libsql on demand, because only `why` needs it. @param path a file or `:memory:` */
export async function openDatabase(path: string): Promise<Database> {
  const connection = connect(await loadLibsql('why needs its index'), path);
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = connection.prepare(sql)));
    return statement;
  };
  return {
    exec: (sql) => void connection.exec(sql),
    all: (sql, ...values) =>
      prepared(sql)
        .raw()
        .all(...values),
    run: (sql, ...values) => void prepared(sql).run(...values),
    transaction(work) {
      connection.exec('begin immediate');
      try {
        work();
        connection.exec('commit');
      } catch (error) {
        connection.exec('rollback');
        throw error;
      }
    },
    close() {
      statements.clear();
      connection.close();
    },
  };
}

/** No database can be opened at the path. */
export class DatabasePathError extends Error {
  override readonly name = 'DatabasePathError';
}

function connect(LibsqlDatabase: Libsql, path: string): SqliteConnection {
  try {
    return new LibsqlDatabase(path, { timeout: BUSY_MS });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new DatabasePathError(detail, { cause });
  }
}
