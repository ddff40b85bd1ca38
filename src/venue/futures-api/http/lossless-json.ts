/**
 * A JSON value whose numbers are the text of their token, so that `12345678.123456789` keeps every digit.
 * The venue sends the same figure as a number in one answer and as a string in another; here both are
 * text. The schema of a field limits its length: one absurd number must not hide the rest of the answer.
 *
 * The reader is our own because the npm package `lossless-json` has no limits: deep nesting overflows its
 * stack, and its reviver runs only after the whole text was read.
 */
export type JsonValue =
  null | boolean | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

const MAX_DEPTH = 64;
const MAX_KEYS = 10_000;
/** An own `__proto__` would change the prototype of the object that it is copied to. */
const DROPPED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws SyntaxError unless the text is one JSON value within the limits of depth and keys */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  return reader.readDocument();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** V8 copies shorter slices of a text; a longer one keeps the whole text in memory. */
const MIN_SHARED_LENGTH = 13;
/** A copy: the id of an order outlives the list of hundreds of rows that it was read from. */
const ownText = (text: string): string =>
  text.length < MIN_SHARED_LENGTH ? text : (JSON.parse(JSON.stringify(text)) as string);

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

class JsonReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): JsonValue {
    const value = this.#value(0);
    this.#skipBlank();
    if (this.#offset < this.#text.length) this.#fail('more text after the value');
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH}`);
    this.#skipBlank();
    switch (this.#text[this.#offset]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return ownText(this.#string());
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonValue {
    const entries: Record<string, JsonValue> = {};
    let keys = 0;
    this.#offset += 1;
    if (this.#consume('}')) return entries;
    do {
      this.#skipBlank();
      const key = this.#string();
      if (!this.#consume(':')) this.#fail('expected ":"');
      const value = this.#value(depth + 1);
      if (!DROPPED_KEYS.has(key)) entries[key] = value;
      keys += 1;
      if (keys > MAX_KEYS) this.#fail(`more than ${MAX_KEYS} keys`);
    } while (this.#consume(','));
    if (!this.#consume('}')) this.#fail('expected "," or "}"');
    return entries;
  }

  #array(depth: number): JsonValue {
    const items: JsonValue[] = [];
    this.#offset += 1;
    if (this.#consume(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#consume(','));
    if (!this.#consume(']')) this.#fail('expected "," or "]"');
    return items;
  }

  #string(): string {
    const plain = this.#plainString();
    if (plain !== undefined) return plain;
    const token = this.#match(STRING) ?? this.#fail('expected a string');
    return JSON.parse(token) as string;
  }

  /** A string without escapes. Nearly all are, and need no second pass. */
  #plainString(): string | undefined {
    const from = this.#offset + 1;
    if (this.#text.charCodeAt(this.#offset) !== QUOTE) return undefined;
    for (let at = from; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        this.#offset = at + 1;
        return this.#text.slice(from, at);
      }
      if (code === BACKSLASH || code < FIRST_PRINTABLE) return undefined;
    }
    return undefined;
  }

  #number(): string {
    return this.#match(NUMBER) ?? this.#fail('expected a value');
  }

  #literal<T>(token: string, value: T): T {
    if (!this.#text.startsWith(token, this.#offset)) this.#fail('expected a value');
    this.#offset += token.length;
    return value;
  }

  #consume(token: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#offset] !== token) return false;
    this.#offset += 1;
    return true;
  }

  #skipBlank(): void {
    while (isBlank(this.#text.charCodeAt(this.#offset))) this.#offset += 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const token = pattern.exec(this.#text)?.[0];
    if (token !== undefined) this.#offset += token.length;
    return token;
  }

  #fail(what: string): never {
    throw new SyntaxError(`Not JSON at character ${this.#offset}: ${what}`);
  }
}
