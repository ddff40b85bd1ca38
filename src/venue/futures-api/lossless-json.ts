/**
 * A JSON value whose numbers are kept as the text of their token: `12345678.123456789` stays that.
 * The venue sends the same figure as a number here and as a string there (interface, Conventions);
 * this way both read alike and neither loses a digit. How long a number may be is for the field to say:
 * an absurd one must not hide the rest of the answer.
 */
export type JsonValue =
  null | boolean | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

const MAX_DEPTH = 64;
const MAX_KEYS = 10_000;
/** An own `__proto__` would change the prototype of whatever it is assigned to (reliability S-40). */
const DROPPED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws SyntaxError for anything that is not one JSON text within the limits of S-40 */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  return reader.whole();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue {
    const value = this.#value(0);
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail('more text after the value');
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH}`);
    this.#skipBlank();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonValue {
    const entries: Record<string, JsonValue> = {};
    let keys = 0;
    this.#at += 1;
    if (this.#take('}')) return entries;
    do {
      this.#skipBlank();
      const key = this.#string();
      if (!this.#take(':')) this.#fail('expected ":"');
      const value = this.#value(depth + 1);
      if (!DROPPED_KEYS.has(key)) entries[key] = value;
      keys += 1;
      if (keys > MAX_KEYS) this.#fail(`more than ${MAX_KEYS} keys`);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('expected "," or "}"');
    return entries;
  }

  #array(depth: number): JsonValue {
    const items: JsonValue[] = [];
    this.#at += 1;
    if (this.#take(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('expected "," or "]"');
    return items;
  }

  #string(): string {
    const plain = this.#plainString();
    if (plain !== undefined) return plain;
    const token = this.#match(STRING) ?? this.#fail('expected a string');
    return JSON.parse(token) as string;
  }

  /** One that means what it shows: nearly all do, and need no second reading. */
  #plainString(): string | undefined {
    const from = this.#at + 1;
    if (this.#text.charCodeAt(this.#at) !== QUOTE) return undefined;
    for (let at = from; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return this.#text.slice(from, at);
      }
      if (code === BACKSLASH || code < FIRST_PRINTABLE) return undefined;
    }
    return undefined;
  }

  #number(): string {
    return this.#match(NUMBER) ?? this.#fail('expected a value');
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('expected a value');
    this.#at += word.length;
    return value;
  }

  #take(sign: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipBlank(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    if (token !== undefined) this.#at += token.length;
    return token;
  }

  #fail(what: string): never {
    throw new SyntaxError(`Not JSON at character ${this.#at}: ${what}`);
  }
}
