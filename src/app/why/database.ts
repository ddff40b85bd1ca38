import {
  loadLibsql,
  type Connection,
  type Libsql,
  type SqlValue,
  type Statement,
} from '../libsql.js';

/** The little that is asked of libsql, behind a face of our own. */
export interface Database {
  exec(sql: string): void;
  /** Rows as arrays. */
  all(sql: string, ...values: readonly Value[]): readonly (readonly Value[])[];
  run(sql: string, ...values: readonly Value[]): void;
  /** All or nothing; nobody else writes meanwhile. */
  transaction(work: () => void): void;
  close(): void;
}

export type Value = SqlValue;

/** How long a second reader waits while the first one writes the index. */
const BUSY_MS = 120_000;

/** Loaded when it is needed: no other command pays for it. @param path a file or `:memory:` */
export async function openDatabase(path: string): Promise<Database> {
  const connection = connect(await loadLibsql('why needs its index'), path);
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
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

/** There can be no database at that path. */
export class DatabasePathError extends Error {
  override readonly name = 'DatabasePathError';
}

function connect(Constructor: Libsql, path: string): Connection {
  try {
    return new Constructor(path, { timeout: BUSY_MS });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new DatabasePathError(detail, { cause });
  }
}
