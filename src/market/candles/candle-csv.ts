import { gunzipSync } from 'node:zlib';
import { CandleColumns } from './candle-columns.js';
import { DecimalScanner } from './decimal-scanner.js';

/** An invalid candle file. The message names file, line and column, and states the remedy. */
export class CandleFileError extends Error {
  override readonly name = 'CandleFileError';
}

export interface CandleCsvOptions {
  /** `optional` for mark-price files, which have no volume: it is then 0. Default `required`. */
  readonly volume?: 'required' | 'optional';
}

const FIELDS = ['open_time', 'open', 'high', 'low', 'close', 'volume'] as const;
type Field = (typeof FIELDS)[number];
const FIELD_OF_NAME: ReadonlyMap<string, number> = new Map([
  ...FIELDS.map((name, field): [string, number] => [name, field]),
  ['timestamp', 0],
  ['time', 0],
  ['date', 0],
  ['datetime', 0],
]);
const IGNORED = -1;

const COMMA = 44;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
/** 1e11 s is the year 5138 and 1e11 ms is 1973, so the size of a time determines its unit. */
const MIN_MS = 1e11;
const MAX_MS = 1e14;
/** Limit of an unpacked gzip, against decompression bombs: about twenty million rows. */
const MAX_BYTES = 1_200_000_000;
/** A row of six numbers is rarely shorter. It only sets the initial capacity. */
const BYTES_PER_ROW = 48;

/**
 * Parses candles from CSV, plain or gzip: `open_time,open,high,low,close,volume`. The header is
 * required, columns may be in any order, other columns are ignored. LF or CRLF, no quotes.
 *
 * `open_time` (or `timestamp`, `time`, `date`, `datetime`) is in epoch seconds or milliseconds,
 * distinguished by size, or an ISO 8601 time, in UTC unless it names a zone. Each number is exactly
 * `Number(text)`. Times must ascend. Gaps are allowed (see `candleGaps`).
 *
 * @param name name of the file, for messages
 * @throws CandleFileError for anything but a valid series
 */
export function parseCandleCsv(
  bytes: Uint8Array,
  name: string,
  options: CandleCsvOptions = {},
): CandleColumns {
  return new CandleCsvParser(decompress(bytes, name), name, options).parse();
}

/** Unpacks a gzip and returns other bytes unchanged. @throws CandleFileError */
export function decompress(bytes: Uint8Array, name: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CandleFileError(
      `${name}: the gzip cannot be unpacked (${reason}); is it cut off? Fetch it again`,
      { cause },
    );
  }
}

class CandleCsvParser {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  readonly #volumeOptional: boolean;
  readonly #columns: CandleColumns;
  readonly #numbers: DecimalScanner;
  /** Values of the current row, by field. */
  readonly #row = new Float64Array(FIELDS.length);
  #fieldByColumn: readonly number[] = [];
  #line = 1;
  #offset = 0;
  #timeScale = 0;
  #lastOpenTime = -Infinity;

  constructor(bytes: Uint8Array, name: string, options: CandleCsvOptions) {
    this.#bytes = bytes;
    this.#name = name;
    this.#volumeOptional = options.volume === 'optional';
    this.#columns = new CandleColumns(Math.ceil(bytes.length / BYTES_PER_ROW));
    this.#numbers = new DecimalScanner(bytes);
  }

  parse(): CandleColumns {
    this.#readHeader();
    const { length } = this.#bytes;
    while (this.#offset < length) {
      if (this.#skipBlankLine()) continue;
      this.#line++;
      this.#readRow();
      this.#appendRow();
    }
    if (this.#columns.length === 0) {
      throw new CandleFileError(`${this.#name}: no candle below the header; the file is empty`);
    }
    return this.#columns;
  }

  #readHeader(): void {
    const bytes = this.#bytes;
    const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    const header = new TextDecoder().decode(bytes.subarray(start, end)).trim();
    if (header === '') {
      throw new CandleFileError(
        `${this.#name}: the file is empty; the first line is ${FIELDS.join(',')}`,
      );
    }
    const names = header.split(',').map((text) => text.trim().toLowerCase());
    this.#fieldByColumn = names.map((text) => FIELD_OF_NAME.get(text) ?? IGNORED);
    this.#checkHeader(header);
    this.#offset = end + 1;
  }

  #checkHeader(header: string): void {
    FIELDS.forEach((field, index) => {
      const count = this.#fieldByColumn.filter((at) => at === index).length;
      if (count > 1) this.#fail(field, 'is twice in the header: remove one of them');
      if (count === 1 || (field === 'volume' && this.#volumeOptional)) return;
      this.#fail(
        field,
        `is missing: the header is "${header.slice(0, 120)}" and must name ${FIELDS.join(',')}, ` +
          'separated by commas',
      );
    });
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
      if (field === IGNORED) numbers.end = cellEnd(bytes, start);
      else {
        const value = numbers.read(start);
        this.#row[field] = value === value ? value : this.#readIsoTime(field, start);
      }
      const byte = bytes[numbers.end];
      const ends = byte !== COMMA;
      if (ends !== (column === last)) this.#failWidth(column, ends);
      this.#offset = numbers.end + 1;
      if (byte === CARRIAGE_RETURN && bytes[this.#offset] === NEWLINE) this.#offset++;
    }
  }

  /** Reads an ISO 8601 time as epoch milliseconds. */
  #readIsoTime(field: number, start: number): number {
    const end = cellEnd(this.#bytes, start);
    const text = new TextDecoder().decode(this.#bytes.subarray(start, end));
    const time = field === 0 ? isoTime(text.trim()) : undefined;
    if (time === undefined) this.#failCell(field, start);
    this.#numbers.end = end;
    return time;
  }

  #appendRow(): void {
    const row = this.#row;
    const openTime = this.#openTimeMs(row[0] as number);
    const open = row[1] as number;
    const high = row[2] as number;
    const low = row[3] as number;
    const close = row[4] as number;
    const volume = row[5] as number;
    const top = open > close ? open : close;
    const bottom = open < close ? open : close;
    const isValid = low > 0 && high >= top && low <= bottom && volume >= 0;
    if (!isValid || !(openTime > this.#lastOpenTime)) this.#failRow(openTime);
    this.#lastOpenTime = openTime;
    this.#columns.append(openTime, open, high, low, close, volume);
  }

  #openTimeMs(time: number): number {
    const scale = time >= MIN_MS ? 1 : 1_000;
    if (this.#timeScale === 0) this.#timeScale = scale;
    if (scale !== this.#timeScale) {
      this.#fail('open_time', `${time} changes the unit: use seconds or milliseconds throughout`);
    }
    if (!Number.isSafeInteger(time) || time < 0 || time >= MAX_MS) {
      this.#fail('open_time', `${time} is not a time: write whole epoch seconds or milliseconds`);
    }
    return time * scale;
  }

  #failRow(openTime: number): never {
    const [, open, high, low, close, volume] = this.#row as unknown as number[];
    const last = this.#lastOpenTime;
    if (openTime === last) {
      this.#fail('open_time', `${instant(openTime)} occurs twice: keep one row for each time`);
    }
    if (openTime < last) {
      const order = `${instant(openTime)} is not after ${instant(last)} of the row before`;
      this.#fail('open_time', `${order}: sort the rows by time`);
    }
    if (!((low as number) > 0)) this.#fail('low', `${low} is not above 0: drop or repair the row`);
    if ((high as number) < (low as number)) {
      this.#fail('high', `${high} is below low ${low}: repair the row`);
    }
    if ((volume as number) < 0) this.#fail('volume', `${volume} is negative: repair the row`);
    const outside = (high as number) < Math.max(open as number, close as number) ? 'high' : 'low';
    const value = outside === 'high' ? high : low;
    const side = outside === 'high' ? 'below' : 'above';
    this.#fail(outside, `${value} is ${side} open ${open} or close ${close}: repair the row`);
  }

  #failCell(field: number, start: number): never {
    const text = new TextDecoder().decode(this.#bytes.subarray(start, cellEnd(this.#bytes, start)));
    const quoted = this.#bytes[start] === QUOTE;
    const advice = quoted ? 'write numbers without quotes' : 'write a plain decimal number';
    const hint =
      field === 0 && !quoted
        ? 'write epoch seconds or milliseconds, or 2025-05-05T00:00:00Z'
        : advice;
    this.#fail(FIELDS[field] as Field, `"${text.slice(0, 40)}" is not a number: ${hint}`);
  }

  #failWidth(column: number, short: boolean): never {
    const width = this.#fieldByColumn.length;
    if (!short) {
      this.#fail('row', `has more cells than the header's ${width}: repair or drop the row`);
    }
    const field = FIELDS[this.#fieldByColumn[column + 1] ?? IGNORED] ?? `column ${column + 2}`;
    this.#fail(
      field,
      `is missing: the row has ${column + 1} of ${width} cells; is the file cut off?`,
    );
  }

  #fail(column: string, problem: string): never {
    throw new CandleFileError(`${this.#name}:${this.#line}: ${column} ${problem}`);
  }
}

function cellEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  while (end < bytes.length) {
    const byte = bytes[end];
    if (byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN) break;
    end++;
  }
  return end;
}

/** `2025-05-05`, `2025-05-05 00:01`, `2025-05-05T00:01:00.000Z`, `2025-05-05T00:01:00+05:30`. */
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?$/;

/** ms UTC; undefined for any other text. */
function isoTime(text: string): number | undefined {
  const [, day, minute = '00:00', seconds = ':00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Date.parse reads 30 February as 2 March.
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${day}T${minute}${seconds.slice(0, 7)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const instant = (timeMs: number): string => new Date(timeMs).toISOString();
