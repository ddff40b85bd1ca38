const ZERO = 48;
const NINE = 57;
const POINT = 46;
const MINUS = 45;
const COMMA = 44;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const EXACT_BELOW = 2 ** 53;
/** 10^0 … 10^22: the powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const JSON_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Parses decimal numbers from bytes without allocating strings.
 *
 * The result is exactly `Number(text)`. An integer below 2^53 divided by a power of ten up to 10^22 is
 * one operation on exact operands, hence correctly rounded. All other texts go through `Number`.
 */
export class DecimalScanner {
  /** Offset after the last number. */
  end = 0;
  /** The text. It may be replaced between two numbers. */
  bytes: Uint8Array;
  readonly #delimiter: number;

  /** @param delimiter byte between cells; a comma by default */
  constructor(bytes: Uint8Array, delimiter = COMMA) {
    this.bytes = bytes;
    this.#delimiter = delimiter;
  }

  /** The number in the cell at `start`; NaN if the cell is not a number. */
  read(start: number): number {
    const bytes = this.bytes;
    const { length } = bytes;
    let offset = start;
    const negative = bytes[offset] === MINUS;
    if (negative) offset++;
    const first = offset;
    let mantissa = 0;
    let point = -1;
    for (; offset < length; offset++) {
      const byte = bytes[offset] as number;
      if (byte >= ZERO && byte <= NINE) mantissa = mantissa * 10 + (byte - ZERO);
      else if (byte === POINT && point < 0) point = offset;
      else break;
    }
    this.end = offset;
    const places = point < 0 ? 0 : offset - point - 1;
    const digits = offset - first - (point < 0 ? 0 : 1);
    const exact = digits > 0 && mantissa < EXACT_BELOW && places < POWERS.length;
    if (!exact || !this.#atCellEnd(offset)) return this.#readSlowly(start);
    const value = places === 0 ? mantissa : mantissa / (POWERS[places] as number);
    return negative ? -value : value;
  }

  #atCellEnd(offset: number): boolean {
    const byte = this.bytes[offset];
    return (
      byte === this.#delimiter ||
      byte === NEWLINE ||
      byte === CARRIAGE_RETURN ||
      offset >= this.bytes.length
    );
  }

  #readSlowly(start: number): number {
    let end = start;
    while (!this.#atCellEnd(end)) end++;
    this.end = end;
    const text = new TextDecoder().decode(this.bytes.subarray(start, end)).trim();
    const value = JSON_NUMBER.test(text) ? Number(text) : NaN;
    return Number.isFinite(value) ? value : NaN;
  }
}
