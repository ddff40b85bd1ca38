import { UsageError } from './failure.js';

export type SqlValue = string | number | null;

export interface Statement {
  run(...values: readonly SqlValue[]): unknown;
  raw(): { all(...values: readonly SqlValue[]): readonly (readonly SqlValue[])[] };
}

/** The part of a libsql connection that is used here. */
export interface Connection {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

/** @param options.timeout for how long it waits for the lock of another connection, ms */
export type Libsql = new (path: string, options: { readonly timeout: number }) => Connection;

/**
 * Loaded when it is needed: no other command pays for it.
 * @param need who needs it for what, for the message
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
