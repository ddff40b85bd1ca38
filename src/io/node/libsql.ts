import { UsageError } from '../../core/command-errors.js';

export type SqlValue = string | number | null;

export interface SqliteStatement {
  run(...values: readonly SqlValue[]): unknown;
  raw(): { all(...values: readonly SqlValue[]): readonly (readonly SqlValue[])[] };
}

/** The part of a libsql connection that Sluice uses. */
export interface SqliteConnection {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** @param options.timeout how long to wait for the lock of another connection, ms */
export type Libsql = new (path: string, options: { readonly timeout: number }) => SqliteConnection;

/**
 * Loads libsql on demand, so that other commands do not pay for it.
 * @param need the feature that needs it, for the message
 */
export async function loadLibsql(need: string): Promise<Libsql> {
  try {
    const { default: constructor } = await import('libsql');
    return constructor as unknown as Libsql;
  } catch (cause) {
    throw new UsageError(
      `the package libsql has no build for this machine (${process.platform} ${process.arch}), and ${need}`,
      { cause },
    );
  }
}
