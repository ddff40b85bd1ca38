/** A JSON number as text: 0.10 stays 0.10, so that printed digits can be compared. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Json =
  null | boolean | string | JsonNumber | readonly Json[] | { readonly [field: string]: Json };

const TOKEN =
  /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/y;

/** Undefined if the text is not JSON. */
export function readJson(text: string): Json | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  // The text is valid JSON, so the reader below needs no checks.
  TOKEN.lastIndex = 0;
  return readValue(text, nextToken(text));
}

interface Token {
  readonly mark: string | undefined;
  readonly value: Json | undefined;
}

function nextToken(text: string): Token {
  const [, mark, string, number, literal] = TOKEN.exec(text) ?? [];
  if (mark !== undefined) return { mark, value: undefined };
  if (string !== undefined) return { mark, value: JSON.parse(string) as string };
  if (number !== undefined) return { mark, value: new JsonNumber(number) };
  return { mark, value: JSON.parse(literal ?? 'null') as boolean | null };
}

function readValue(text: string, token: Token): Json {
  if (token.mark === '{') return readObject(text);
  if (token.mark === '[') return readArray(text);
  return token.value ?? null;
}

function readObject(text: string): Json {
  const fields: Record<string, Json> = {};
  for (let token = nextToken(text); token.mark !== '}'; token = nextToken(text)) {
    if (token.mark === ',') continue;
    nextToken(text);
    fields[token.value as string] = readValue(text, nextToken(text));
  }
  return fields;
}

function readArray(text: string): Json {
  const items: Json[] = [];
  for (let token = nextToken(text); token.mark !== ']'; token = nextToken(text)) {
    if (token.mark !== ',') items.push(readValue(text, token));
  }
  return items;
}
