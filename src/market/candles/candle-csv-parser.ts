import { CandleColumns } from './candle-columns.js';
import { CandleFileError } from './candle-file-error.js';
import { candleRowFault, LARGEST_PRICE } from './candle-row-fault.js';
import { CANDLE_FIELDS, type CandleField } from './column-names.js';
import { candleLayout, type CsvLayout, type CsvLayoutOptions } from './csv-layout.js';
import { DecimalScanner } from './decimal-scanner.js';
import {
  isoTime,
  scaleBySize,
  timeInMs,
  TIME_SCALES,
  type TimeScale,
  type TimeUnit,
} from './time-unit.js';

export interface CandleCsvOptions extends CsvLayoutOptions {
  /** `optional` for mark-price files, which have no volume: it is then 0. Default `required`. */
  readonly volume?: 'required' | 'optional';
  /** Unit of the times. Default: by their size. */
  readonly timeUnit?: TimeUnit;
  /** `any`: the rows may be unsorted and repeated. Default `ascending`. */
  readonly order?: 'ascending' | 'any';
}

/** Candles of a CSV file, and the recognized form of the file. */
export interface CandleCsv {
  readonly columns: CandleColumns;
  readonly layout: CsvLayout;
  /** Column of each field in the file; -1 for an absent volume. */
  readonly columnByField: readonly number[];
  readonly timeUnit: TimeUnit;
}

const IGNORED = -1;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
/** A quoted file has quotes within its first bytes. */
const QUOTES_WITHIN = 1_024;
/** A row of six numbers is rarely shorter. It only sets the initial capacity. */
const BYTES_PER_ROW = 48;
/** Times of a named unit lie in the years 1990 to 2100: another unit puts them outside. */
const EARLIEST_MS = Date.UTC(1990, 0);
const LATEST_MS = Date.UTC(2100, 0);

const hasQuotes = (bytes: Uint8Array): boolean => bytes.subarray(0, QUOTES_WITHIN).includes(QUOTE);

const withoutQuotes = (bytes: Uint8Array): Uint8Array => bytes.filter((byte) => byte !== QUOTE);

/** Text without quotes. A quoted cell with a delimiter inside is refused later, by the width of its row. */
export const unquoted = (bytes: Uint8Array): Uint8Array =>
  hasQuotes(bytes) ? withoutQuotes(bytes) : bytes;

/** Reads a file block by block. The first block holds the lines above the rows; each block ends with a line. */
export class CandleCsvParser {
  #bytes: Uint8Array = new Uint8Array();
  readonly #name: string;
  readonly #options: CandleCsvOptions;
  readonly #columns: CandleColumns;
  readonly #layout: CsvLayout;
  readonly #fieldByColumn: readonly number[];
  readonly #delimiter: number;
  readonly #numbers: DecimalScanner;
  readonly #isQuoted: boolean;
  /** Values of the current row, by field. */
  readonly #row = new Float64Array(CANDLE_FIELDS.length);
  #line: number;
  #offset: number;
  #scale: TimeScale | undefined;
  #isIso = false;
  #lastOpenTime = -Infinity;

  /** @param size of the whole text in bytes, for the capacity of the columns */
  constructor(first: Uint8Array, name: string, options: CandleCsvOptions, size = first.length) {
    this.#name = name;
    this.#isQuoted = hasQuotes(first);
    const bytes = this.#isQuoted ? withoutQuotes(first) : first;
    this.#options = options;
    const isVolumeOptional = options.volume === 'optional';
    const { layout, fieldByColumn } = candleLayout(bytes, name, { ...options, isVolumeOptional });
    this.#layout = layout;
    this.#fieldByColumn = fieldByColumn;
    this.#columns = new CandleColumns(Math.ceil(size / BYTES_PER_ROW));
    this.#delimiter = layout.delimiter.charCodeAt(0);
    this.#numbers = new DecimalScanner(this.#bytes, this.#delimiter);
    this.#line = layout.linesAbove;
    this.#offset = layout.bodyOffset;
    this.#scale = TIME_SCALES.find(({ unit }) => unit === options.timeUnit);
  }

  /** Reads the rows of the next block; the first one is that of the constructor. */
  read(block: Uint8Array): void {
    const bytes = this.#isQuoted ? withoutQuotes(block) : block;
    const { length } = bytes;
    this.#bytes = bytes;
    this.#numbers.bytes = bytes;
    while (this.#offset < length) {
      if (this.#skipBlankLine()) continue;
      this.#line++;
      this.#readRow();
      this.#appendRow();
    }
    this.#offset = 0;
  }

  end(): CandleCsv {
    if (this.#columns.length === 0) {
      throw new CandleFileError(`${this.#name}: no candle below the header; the file is empty`);
    }
    return {
      columns: this.#columns,
      layout: this.#layout,
      columnByField: CANDLE_FIELDS.map((_, field) => this.#fieldByColumn.indexOf(field)),
      timeUnit: this.#isIso ? 'iso' : (this.#scale?.unit ?? 'ms'),
    };
  }

  #skipBlankLine(): boolean {
    const bytes = this.#bytes;
    let end = this.#offset;
    if (bytes[end] === CARRIAGE_RETURN) end++;
    if (end < bytes.length && bytes[end] !== NEWLINE) return false;
    this.#offset = end + 1;
    this.#line++;
    return true;
  }

  #readRow(): void {
    const bytes = this.#bytes;
    const fieldAt = this.#fieldByColumn;
    const last = fieldAt.length - 1;
    const numbers = this.#numbers;
    for (let column = 0; column <= last; column++) {
      const field = fieldAt[column] as number;
      const start = this.#offset;
      if (field === IGNORED) numbers.end = this.#cellEnd(start);
      else {
        const value = numbers.read(start);
        this.#row[field] = value === value ? value : this.#readIsoTime(field, start);
      }
      const byte = bytes[numbers.end];
      const ends = byte !== this.#delimiter;
      if (ends !== (column === last)) this.#failWidth(column, ends);
      this.#offset = numbers.end + 1;
      if (byte === CARRIAGE_RETURN && bytes[this.#offset] === NEWLINE) this.#offset++;
    }
  }

  /** Reads an ISO 8601 time as epoch milliseconds. */
  #readIsoTime(field: number, start: number): number {
    const end = this.#cellEnd(start);
    const text = new TextDecoder().decode(this.#bytes.subarray(start, end));
    const time = field === 0 ? isoTime(text.trim()) : undefined;
    if (time === undefined) this.#failCell(field, text);
    if (this.#scale !== undefined) this.#failUnit(text.trim());
    this.#isIso = true;
    this.#numbers.end = end;
    return time;
  }

  #appendRow(): void {
    const row = this.#row;
    const openTime = this.#isIso ? this.#isoMs(row[0] as number) : this.#epochMs(row[0] as number);
    const open = row[1] as number;
    const high = row[2] as number;
    const low = row[3] as number;
    const close = row[4] as number;
    const volume = row[5] as number;
    const top = open > close ? open : close;
    const bottom = open < close ? open : close;
    const isValid = low > 0 && high >= top && high <= LARGEST_PRICE && low <= bottom && volume >= 0;
    if (!isValid || !(openTime > this.#lastOpenTime)) this.#failRow(openTime);
    this.#lastOpenTime = this.#options.order === 'any' ? -Infinity : openTime;
    this.#columns.append(openTime, open, high, low, close, volume);
  }

  /** A row of a file in ISO times is read as ms; a small number there is an epoch time. */
  #isoMs(time: number): number {
    if (Math.abs(time) < EARLIEST_MS) this.#failUnit(String(time));
    return time;
  }

  #epochMs(time: number): number {
    const scale = (this.#scale ??= scaleBySize(time));
    if (scale === undefined) this.#failTime(time);
    const isNamed = this.#options.timeUnit !== undefined;
    if (!isNamed && !(time >= scale.from && time < scale.below)) this.#failUnit(String(time));
    const ms = timeInMs(time, scale);
    if (!Number.isSafeInteger(ms)) this.#failTime(time);
    if (isNamed && !(ms >= EARLIEST_MS && ms < LATEST_MS)) this.#failNamedUnit(time, ms, scale);
    return ms;
  }

  #failRow(openTime: number): never {
    const [, open, high, low, close, volume] = this.#row as unknown as FullRow;
    const candle = { openTime, open, high, low, close, volume };
    const fault = candleRowFault(candle, this.#lastOpenTime);
    this.#fail(fault?.column ?? 'row', fault?.problem ?? 'is no candle: repair the row');
  }

  #failTime(time: number): never {
    this.#fail(
      'open_time',
      `${time} is not a time: write whole epoch seconds or milliseconds, or 2025-05-05T00:00:00Z`,
    );
  }

  #failUnit(time: string): never {
    const unit = this.#scale?.unit ?? 'iso';
    this.#fail(
      'open_time',
      `${time} changes the unit of the rows above (${unit}): use one unit throughout`,
    );
  }

  #failNamedUnit(time: number, ms: number, { unit }: TimeScale): never {
    const year = Number.isSafeInteger(ms) ? new Date(ms).getUTCFullYear() : 'no year';
    const other = scaleBySize(time)?.unit ?? 'iso';
    this.#fail('open_time', `${time} in ${unit} is of ${year}: give --time-unit ${other}`);
  }

  #failCell(field: number, cell: string): never {
    const text = cell.slice(0, 40);
    if (field === 0) {
      const hint = 'write epoch seconds or milliseconds, or 2025-05-05T00:00:00Z';
      this.#fail('open_time', `"${text}" is not a number: ${hint}`);
    }
    const quoted = cell.startsWith('"') ? 'write numbers without quotes' : undefined;
    const comma = /^\d+,\d+$/.test(cell.trim()) ? 'write a decimal point' : undefined;
    const missing = /^(nan|null|none|)$/i.test(cell.trim()) ? 'repair or drop the row' : undefined;
    const hint = quoted ?? comma ?? missing ?? 'write a plain decimal number';
    this.#fail(CANDLE_FIELDS[field] as CandleField, `"${text}" is not a number: ${hint}`);
  }

  #failWidth(column: number, short: boolean): never {
    const width = this.#fieldByColumn.length;
    if (!short) {
      this.#fail('row', `has more cells than the header's ${width}: repair or drop the row`);
    }
    const field =
      CANDLE_FIELDS[this.#fieldByColumn[column + 1] ?? IGNORED] ?? `column ${column + 2}`;
    this.#fail(
      field,
      `is missing: the row has ${column + 1} of ${width} cells; is the file cut off?`,
    );
  }

  #fail(column: string, problem: string): never {
    throw new CandleFileError(`${this.#name}:${this.#line}: ${column} ${problem}`);
  }

  #cellEnd(start: number): number {
    const bytes = this.#bytes;
    let end = start;
    while (end < bytes.length) {
      const byte = bytes[end];
      if (byte === this.#delimiter || byte === NEWLINE || byte === CARRIAGE_RETURN) break;
      end++;
    }
    return end;
  }
}

type FullRow = readonly [number, number, number, number, number, number];
