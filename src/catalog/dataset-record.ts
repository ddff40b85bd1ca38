import { z } from 'zod';
import { unionOf, type CoveredRange, type DataGap, type TimeRange } from './coverage.js';

/** The origin of rows: a file or a venue. */
export interface DataSource {
  /** Such as `btcusdt-1m.csv.gz` or the address of the venue. */
  readonly text: string;
  /** SHA-256 of the file, hexadecimal; null: a venue. */
  readonly sha256: string | null;
  /**
   * The range that the source answered for, ms UTC, `toMs` exclusive. A venue has no further rows in it. Default: that
   * of the rows.
   */
  readonly answered?: TimeRange;
}

/** A source with its own range and rows, ms UTC; `toMs` exclusive. */
export interface SourcePart extends TimeRange {
  readonly text: string;
  readonly sha256: string | null;
  /** Rows that it gave. */
  readonly rows: number;
}

/** A source of the rows of a file. */
export interface RecordedSource extends SourcePart {
  /** ms UTC of this machine. */
  readonly importedMs: number;
}

/** One state of an Arrow file. */
export interface FileState {
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  readonly ranges: readonly CoveredRange[];
  readonly gaps: readonly DataGap[];
  /** In the order of their writes. */
  readonly sources: readonly RecordedSource[];
}

/**
 * The record beside an Arrow file. It is written first: until the Arrow file is replaced, its checksum is that of
 * the previous state, so that a crash between the two leaves a valid pair.
 */
export interface DatasetRecord {
  readonly current: FileState;
  readonly previous: FileState | null;
}

const instantSchema = z.iso.datetime().transform((text) => Date.parse(text));
const rangeFields = { from: instantSchema, to: instantSchema };
const shaSchema = z.string().regex(/^[0-9a-f]{64}$/);

const stateSchema = z
  .strictObject({
    sha256: shaSchema,
    bytes: z.number().int(),
    rows: z.number().int(),
    coverage: z.array(z.strictObject({ ...rangeFields, rows: z.number().int() })),
    gaps: z.array(z.strictObject({ ...rangeFields, missing: z.number().int() })),
    sources: z.array(
      z.strictObject({
        source: z.string(),
        sha256: shaSchema.nullable(),
        ...rangeFields,
        rows: z.number().int(),
        imported_at: instantSchema,
      }),
    ),
  })
  .transform(({ coverage, gaps, sources, ...state }): FileState => ({
    ...state,
    ranges: coverage.map(({ from, to, rows }) => ({ fromMs: from, toMs: to, rows })),
    gaps: gaps.map(({ from, to, missing }) => ({ fromMs: from, toMs: to, missing })),
    sources: sources.map(({ source, sha256, from, to, rows, imported_at }) => ({
      text: source,
      sha256,
      fromMs: from,
      toMs: to,
      rows,
      importedMs: imported_at,
    })),
  }));

const recordSchema = z.strictObject({
  schema: z.literal(1),
  current: stateSchema,
  previous: stateSchema.nullable(),
});

/** @returns undefined for bytes that are no record */
export function decodeRecord(bytes: Uint8Array): DatasetRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const parsed = recordSchema.safeParse(value);
  return parsed.success
    ? { current: parsed.data.current, previous: parsed.data.previous }
    : undefined;
}

export function encodeRecord({ current, previous }: DatasetRecord): Uint8Array {
  const record = {
    schema: 1,
    current: stateJson(current),
    previous: previous === null ? null : stateJson(previous),
  };
  return new TextEncoder().encode(`${JSON.stringify(record, null, 2)}\n`);
}

/** A state as JSON, with times in ISO 8601. */
export const stateJson = ({ ranges, gaps, sources, ...state }: FileState) => ({
  ...state,
  coverage: ranges.map(({ rows, ...range }) => ({ ...rangeJson(range), rows })),
  gaps: gaps.map(({ missing, ...range }) => ({ ...rangeJson(range), missing })),
  sources: sources.map(({ text, sha256, rows, importedMs, ...range }) => ({
    source: text,
    sha256,
    ...rangeJson(range),
    rows,
    imported_at: instant(importedMs),
  })),
});

const rangeJson = ({ fromMs, toMs }: TimeRange) => ({ from: instant(fromMs), to: instant(toMs) });

const instant = (ms: number): string => new Date(ms).toISOString();

/** Ranges that need no download: rows, and times that a venue has answered for. A file may lack rows. */
export const answeredRanges = ({ ranges, sources }: FileState): readonly TimeRange[] =>
  unionOf([...ranges, ...sources.filter(({ sha256 }) => sha256 === null)]);

/** Adds a source. A repeated write of one source to an adjacent or overlapping range extends its entry. */
export function withSource(
  sources: readonly RecordedSource[],
  added: RecordedSource,
): readonly RecordedSource[] {
  const index = sources.findIndex(
    (each) =>
      each.text === added.text &&
      each.sha256 === added.sha256 &&
      each.fromMs <= added.toMs &&
      each.toMs >= added.fromMs,
  );
  const same = sources[index];
  if (same === undefined) return [...sources, added];
  if (added.rows === 0 && same.fromMs <= added.fromMs && same.toMs >= added.toMs) return sources;
  const joined: RecordedSource = {
    ...added,
    fromMs: Math.min(same.fromMs, added.fromMs),
    toMs: Math.max(same.toMs, added.toMs),
    rows: same.rows + added.rows,
  };
  return sources.with(index, joined);
}
