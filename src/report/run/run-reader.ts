import { join } from 'node:path';
import { z } from 'zod';
import type { Files } from '../../core/ports.js';
import { RESULT_FILE } from './run-folder-writer.js';
import { resultSchema, SCHEMA_VERSION, type RunResult } from './result-schema.js';
import { TABLES, type RunTables } from './run-hash.js';

/** A folder that holds no run that this version can read. */
export interface RunFault {
  /** The fault and its remedy. */
  readonly problem: string;
}

export type RunRead = { readonly result: RunResult } | RunFault;

const versionSchema = z.object({ schema_version: z.number().int() });
const decoder = new TextDecoder();

/** Reads `result.json` of a folder. */
export async function readRun(folder: string, files: Files): Promise<RunRead> {
  const bytes = await files.read(join(folder, RESULT_FILE));
  if (bytes === undefined)
    return { problem: `it has no ${RESULT_FILE}: a run that was cut off while it was written` };
  const json = jsonOf(bytes);
  const version = versionSchema.safeParse(json);
  if (!version.success) {
    return {
      problem:
        json === undefined
          ? `${RESULT_FILE} is no whole JSON: it was cut off or changed; run the backtest again`
          : `${RESULT_FILE} has no schema_version: an earlier version of Sluice made it; run the backtest again`,
    };
  }
  const { schema_version: found } = version.data;
  if (found > SCHEMA_VERSION) {
    return {
      problem: `${RESULT_FILE} has schema ${found}, and this version reads schema ${SCHEMA_VERSION}: update Sluice`,
    };
  }
  const parsed = resultSchema.safeParse(json);
  if (parsed.success) return { result: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  return { problem: `${RESULT_FILE} was changed: ${place}: ${issue?.message ?? 'not valid'}` };
}

/** The tables of a run; undefined when one is missing. */
export async function readTables(folder: string, files: Files): Promise<RunTables | undefined> {
  const contents = await Promise.all(TABLES.map((name) => files.read(join(folder, name))));
  const [trades, equity, fills] = contents;
  if (trades === undefined || equity === undefined || fills === undefined) return undefined;
  return { 'trades.csv': trades, 'equity.csv': equity, 'fills.csv': fills };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    // The caller reports it with the file.
    return undefined;
  }
}
