import { gunzipSync } from 'node:zlib';
import { CandleColumns } from './candle-columns.js';
import { DecimalScanner } from './decimal-scanner.js';

/** A candle file that cannot be trusted. The message names file, line and column, and what to do. */
export class CandleFileError extends Error {
  override readonly name = 'CandleFileError';
}

export interface CandleCsvOptions {
  /** `optional` for mark-price files, which have none: volume is 0 then. Default `required`. */
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
/** 1e11 s is the year 5138 and 1e11 ms is 1973: no candle lies where the units could be mixed up. */
const MS_FROM = 1e11;
const MS_UNTIL = 1e14;
/** A bound for what a small gzip may unfold to: about twenty million rows. */
const MAX_BYTES = 1_200_000_000;
/** A row of six numbers is rarely shorter; only a first guess at the size. */
const BYTES_PER_ROW = 48;

/**
 * Candles from CSV, plain or gzip: `open_time,open,high,low,close,volume`, header required, columns
 * in any order, others ignored; LF or CRLF, no quotes. `open_time` (or `timestamp`, `time`, `date`,
 * `datetime`) is in epoch seconds or milliseconds, told apart by size, or an ISO 8601 time, in UTC
 * where it names no zone. Each number is exactly `Number(text)`. Times must
 * ascend; gaps are allowed (see `candleGaps`).
 *
 * @param name   of the file, for messages
 * @throws CandleFileError for anything that is not a sound series
 */
export function parseCandleCsv(
  bytes: Uint8Array,
  name: string,
  options: CandleCsvOptions = {},
): CandleColumns {
  return new CandleCsvParser(unpack(bytes, name), name, options).parse();
}

/** The bytes of a file that may be gzip. @throws CandleFileError */
export function unpack(bytes: Uint8Array, name: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CandleFileError(
      `${name}: the gzip cannot be unpacked (${why}); is it cut off? Fetch it again`,
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
  /** Values of the row being read, by field. */
  readonly #row = new Float64Array(FIELDS.length);
  #fieldAt: readonly number[] = [];
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
    this.#fieldAt = names.map((text) => FIELD_OF_NAME.get(text) ?? IGNORED);
    this.#checkHeader(header);
    this.#offset = end + 1;
  }

  #checkHeader(header: string): void {
    FIELDS.forEach((field, index) => {
      const count = this.#fieldAt.filter((at) => at === index).length;
      if (count > 1) this.#fail(field, 'stands twice in the header: leave one of them out');
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
    const fieldAt = this.#fieldAt;
    const last = fieldAt.length - 1;
    const numbers = this.#numbers;
    for (let column = 0; column <= last; column++) {
      const field = fieldAt[column] as number;
      const start = this.#offset;
      if (field === IGNORED) numbers.end = cellEnd(bytes, start);
      else {
        const value = numbers.read(start);
        this.#row[field] = value === value ? value : this.#stamp(field, start);
      }
      const byte = bytes[numbers.end];
      const ends = byte !== COMMA;
      if (ends !== (column === last)) this.#failWidth(column, ends);
      this.#offset = numbers.end + 1;
      if (byte === CARRIAGE_RETURN && bytes[this.#offset] === NEWLINE) this.#offset++;
    }
  }

  /** A time that is no number, in epoch milliseconds. */
  #stamp(field: number, start: number): number {
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
    const sound = low > 0 && high >= top && low <= bottom && volume >= 0;
    if (!sound || !(openTime > this.#lastOpenTime)) this.#failRow(openTime);
    this.#lastOpenTime = openTime;
    this.#columns.append(openTime, open, high, low, close, volume);
  }

  #openTimeMs(time: number): number {
    const scale = time >= MS_FROM ? 1 : 1_000;
    if (this.#timeScale === 0) this.#timeScale = scale;
    if (scale !== this.#timeScale) {
      this.#fail('open_time', `${time} changes the unit: use seconds or milliseconds throughout`);
    }
    if (!Number.isSafeInteger(time) || time < 0 || time >= MS_UNTIL) {
      this.#fail('open_time', `${time} is not a time: write whole epoch seconds or milliseconds`);
    }
    return time * scale;
  }

  #failRow(openTime: number): never {
    const [, open, high, low, close, volume] = this.#row as unknown as number[];
    const last = this.#lastOpenTime;
    if (openTime === last) {
      this.#fail('open_time', `${instant(openTime)} stands twice: keep one row for each time`);
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
    const wanted =
      field === 0 && !quoted
        ? 'write epoch seconds or milliseconds, or 2025-05-05T00:00:00Z'
        : advice;
    this.#fail(FIELDS[field] as Field, `"${text.slice(0, 40)}" is not a number: ${wanted}`);
  }

  #failWidth(column: number, short: boolean): never {
    const width = this.#fieldAt.length;
    if (!short) {
      this.#fail('row', `has more cells than the header's ${width}: repair or drop the row`);
    }
    const field = FIELDS[this.#fieldAt[column + 1] ?? IGNORED] ?? `column ${column + 2}`;
    this.#fail(
      field,
      `is missing: the row has ${column + 1} of ${width} cells; is the file cut off?`,
    );
  }

  #fail(column: string, what: string): never {
    throw new CandleFileError(`${this.#name}:${this.#line}: ${column} ${what}`);
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

/** ms UTC; undefined when it is no time. */
function isoTime(text: string): number | undefined {
  const [, day, minute = '00:00', seconds = ':00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Date.parse takes 30 February for 2 March.
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${day}T${minute}${seconds.slice(0, 7)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const instant = (timeMs: number): string => new Date(timeMs).toISOString();
