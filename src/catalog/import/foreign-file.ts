import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { NamedColumns } from '../../market/candles/column-names.js';
import type { TimeUnit } from '../../market/candles/time-unit.js';
import type { FundingColumns } from '../columns.js';
import type { DatasetKind } from '../dataset.js';

/** Form of a file. The kind of program that wrote it needs no name: columns and times are recognized. */
export type ForeignFormat = 'csv' | 'json' | 'parquet' | 'feather' | 'zip';
export const FOREIGN_FORMATS = ['csv', 'json', 'parquet', 'feather', 'zip'] as const;

/** A file of another program. */
export interface ForeignFile {
  /** As the user gave it, for messages and for recognition by its name and folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Content of the `.CHECKSUM` file beside it. */
  readonly checksum?: Uint8Array;
}

/** Facts that the user gives. An absent one is recognized, or asked for by an error. */
export interface ForeignOptions {
  readonly format?: ForeignFormat;
  readonly kind?: DatasetKind;
  readonly symbol?: string;
  readonly interval?: Interval;
  readonly columns?: NamedColumns;
  readonly timeUnit?: TimeUnit;
  /** Sorts the rows by time and drops rows that are repeated without a difference. */
  readonly isSorting?: boolean;
}

/** Form of a file as it was recognized. */
export interface RecognizedForm {
  readonly format: ForeignFormat;
  /** `open_time=Date, open=Open`; fields with their column. */
  readonly columns: string;
  readonly timeUnit: TimeUnit;
  /** Of a CSV file. */
  readonly delimiter?: ',' | ';' | '\t';
  /** Of a CSV file. */
  readonly hasHeader?: boolean;
}

/** SHA-256 of a file, in hexadecimal digits. */
export interface FileChecksum {
  readonly sha256: string;
  /** Whether a `.CHECKSUM` file beside it gives the same. */
  readonly isVerified: boolean;
}

interface Series {
  /** The file as the user gave it. */
  readonly file: string;
  /** The file, and the member of an archive after a slash. */
  readonly path: string;
  readonly symbol: string;
  readonly form: RecognizedForm;
  readonly checksum: FileChecksum;
  readonly warnings: readonly string[];
}

/** The candles of one file. */
export interface ForeignCandles extends Series {
  readonly kind: 'klines' | 'mark-klines';
  readonly interval: Interval;
  readonly columns: CandleColumns;
}

/** The funding rates of one file. */
export interface ForeignFunding extends Series {
  readonly kind: 'funding';
  readonly columns: FundingColumns;
}

export type ForeignSeries = ForeignCandles | ForeignFunding;
