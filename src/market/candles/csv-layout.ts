import {
  CANDLE_FIELDS,
  candleColumnsOf,
  isCandleField,
  type NamedColumns,
} from './column-names.js';
import { CandleFileError } from './candle-file-error.js';
import { isoTime } from './time-unit.js';

/** Delimiter, header and columns of a CSV file. */
export interface CsvLayout {
  readonly delimiter: ',' | ';' | '\t';
  /** The names of the header. Without a header: the fields in their order. */
  readonly names: readonly string[];
  readonly hasHeader: boolean;
  /** Offset of the first row. */
  readonly bodyOffset: number;
  /** Number of lines above the first row. */
  readonly linesAbove: number;
}

export interface CsvLayoutOptions {
  /** Columns that the user named. Default: the known names of the header. */
  readonly columns?: NamedColumns;
}

const NEWLINE = 10;
/** A title, an address or comments above the header, as some sites write. */
const MAX_PREAMBLE = 10;
const EMPTY: NamedColumns = new Map();
const DELIMITERS = ['\t', ';', ','] as const;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Recognizes delimiter and header of a CSV file: the first line is a header if a cell of it is no number and no
 * time. Lines above it without a delimiter, and lines that begin with #, are left out.
 * @param isField whether a cell is the name of a field
 * @throws CandleFileError for an empty file
 */
export function csvLayout(
  bytes: Uint8Array,
  name: string,
  options: {
    readonly isField: (name: string) => boolean;
    readonly defaultNames: readonly string[];
  },
): CsvLayout {
  const lines = firstLines(bytes);
  const index = lines.findIndex(({ text }) => isTable(text));
  const first = lines[index];
  if (first === undefined) {
    const form = options.defaultNames.join(',');
    const fault =
      lines.length === 0
        ? 'the file is empty'
        : `its first lines hold no table ("${excerpt(lines)}")`;
    throw new CandleFileError(`${name}: ${fault}; the first line is ${form}`);
  }
  const delimiter = DELIMITERS.find((each) => first.text.includes(each)) ?? ',';
  const cells = first.text.split(delimiter).map(cellText);
  const hasHeader =
    cells.some(options.isField) || !(isValue(cells[0] ?? '') && isValue(cells[1] ?? ''));
  return {
    delimiter,
    hasHeader,
    names: hasHeader ? cells : cells.map((_, at) => options.defaultNames[at] ?? `column ${at + 1}`),
    bodyOffset: hasHeader ? first.end : first.start,
    linesAbove: first.line - (hasHeader ? 0 : 1),
  };
}

/** Layout of candles, and the field of each column; -1 for a column that is ignored. */
export function candleLayout(
  bytes: Uint8Array,
  name: string,
  options: CsvLayoutOptions & { readonly isVolumeOptional: boolean },
): { readonly layout: CsvLayout; readonly fieldByColumn: readonly number[] } {
  const layout = csvLayout(bytes, name, { isField: isCandleField, defaultNames: CANDLE_FIELDS });
  const columns = candleColumnsOf(layout.names, options.columns ?? EMPTY, {
    place: `${name}:${Math.max(1, layout.linesAbove)}`,
    isVolumeOptional: options.isVolumeOptional,
  });
  return { layout, fieldByColumn: layout.names.map((_, column) => columns.indexOf(column)) };
}

interface Line {
  readonly text: string;
  /** Number of the line, from 1. */
  readonly line: number;
  readonly start: number;
  /** Offset after the newline. */
  readonly end: number;
}

/** The first lines that hold text. */
function firstLines(bytes: Uint8Array): readonly Line[] {
  const lines: Line[] = [];
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let line = 1; start < bytes.length && lines.length <= MAX_PREAMBLE; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    const text = new TextDecoder().decode(bytes.subarray(start, end)).replace(/\r?\n$/, '');
    if (text.trim() !== '') lines.push({ text, line, start, end });
    start = end;
  }
  return lines;
}

const isTable = (text: string): boolean =>
  !text.startsWith('#') && DELIMITERS.some((delimiter) => text.includes(delimiter));

const cellText = (cell: string): string =>
  cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

const isValue = (cell: string): boolean => NUMBER.test(cell) || isoTime(cell) !== undefined;

const excerpt = ([first]: readonly Line[]): string => first?.text.slice(0, 40) ?? '';
