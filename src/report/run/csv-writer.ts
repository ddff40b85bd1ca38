import { FIXED_PLACES, SCALE, textFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import { DAY_MS } from '../../core/interval.js';

const [COMMA, LINE_FEED, MINUS, DOT, DIGIT_0] = [0x2c, 0x0a, 0x2d, 0x2e, 0x30] as const;
const LAST_ASCII = 0x7f;
/** UTF-8 bytes of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;
/** Bytes of the longest cell that is no text. */
const WIDEST = 40;

/**
 * A table as UTF-8 bytes. They are written straight into one memory: a million rows of strings keep the garbage
 * collector busy for longer than they take to write. Cells are not quoted: their texts have no comma.
 */
export class CsvWriter {
  #bytes: Uint8Array;
  #length = 0;
  #isRowStart = true;
  /** Days since 1970 of the instant before, and its date: `2025-01-05T`. */
  #day = NaN;
  #date = '';

  /** @param expectedBytes size of the table, roughly: memory that is not written to costs nothing */
  constructor(header: string, expectedBytes: number) {
    this.#bytes = new Uint8Array(header.length + WIDEST + expectedBytes);
    this.text(header).endRow();
  }

  text(text: string): this {
    this.#startCell(BYTES_PER_UNIT * text.length);
    this.#put(text);
    return this;
  }

  /** The shortest plain decimal of an exact value. */
  fixed(value: Fixed): this {
    if (typeof value === 'bigint') return this.text(textFromFixed(value));
    this.#startCell(WIDEST);
    if (value < 0) this.#putByte(MINUS);
    const size = Math.abs(value);
    const places = size % SCALE;
    this.#putDigits((size - places) / SCALE, 1);
    if (places === 0) return this;
    this.#putByte(DOT);
    this.#putDigits(places, FIXED_PLACES);
    this.#dropZeros();
    return this;
  }

  /** The shortest plain decimal of at most 8 places. */
  number(value: number): this {
    if (!(Math.abs(value) < 1e21)) return this.text(String(value));
    this.#startCell(WIDEST);
    const start = this.#length;
    if (Number.isSafeInteger(value) && value >= 0) this.#putDigits(value, 1);
    else {
      this.#put(value.toFixed(8));
      this.#dropZeros();
      if (this.#bytes[this.#length - 1] === DOT) this.#length -= 1;
      const isMinusZero = this.#bytes[start] === MINUS && this.#bytes[start + 1] === DIGIT_0;
      if (isMinusZero && this.#length === start + 2) {
        this.#length = start;
        this.#putByte(DIGIT_0);
      }
    }
    return this;
  }

  /** ISO 8601 in UTC. @param time ms UTC */
  instant(time: number): this {
    const day = Math.floor(time / DAY_MS);
    if (day !== this.#day) {
      const text = new Date(time).toISOString();
      this.#date = text.slice(0, text.indexOf('T') + 1);
      this.#day = day;
    }
    this.#startCell(WIDEST);
    this.#put(this.#date);
    const ms = Math.trunc(time) - day * DAY_MS;
    this.#putDigits(Math.floor(ms / 3_600_000), 2);
    this.#put(':');
    this.#putDigits(Math.floor(ms / 60_000) % 60, 2);
    this.#put(':');
    this.#putDigits(Math.floor(ms / 1_000) % 60, 2);
    this.#putByte(DOT);
    this.#putDigits(ms % 1_000, 3);
    this.#put('Z');
    return this;
  }

  endRow(): void {
    this.#reserve(1);
    this.#putByte(LINE_FEED);
    this.#isRowStart = true;
  }

  /** The table so far. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #startCell(maxBytes: number): void {
    this.#reserve(1 + maxBytes);
    if (!this.#isRowStart) this.#putByte(COMMA);
    this.#isRowStart = false;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const wider = new Uint8Array(2 * needed);
    wider.set(this.bytes());
    this.#bytes = wider;
  }

  #putByte(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  #put(text: string): void {
    const start = this.#length;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > LAST_ASCII) {
        const rest = this.#bytes.subarray(start);
        this.#length = start + new TextEncoder().encodeInto(text, rest).written;
        return;
      }
      this.#bytes[start + at] = code;
    }
    this.#length = start + text.length;
  }

  /** @param value a whole number, at least 0. @param minDigits filled up with zeros */
  #putDigits(value: number, minDigits: number): void {
    let count = 1;
    for (let bound = 10; bound <= value; bound *= 10) count += 1;
    if (count < minDigits) count = minDigits;
    let rest = value;
    for (let at = this.#length + count - 1; at >= this.#length; at -= 1) {
      const tenth = Math.floor(rest / 10);
      this.#bytes[at] = DIGIT_0 + (rest - tenth * 10);
      rest = tenth;
    }
    this.#length += count;
  }

  /** After a decimal point. */
  #dropZeros(): void {
    while (this.#bytes[this.#length - 1] === DIGIT_0) this.#length -= 1;
  }
}
