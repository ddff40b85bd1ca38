import { textFromFixed, type Fixed } from '../../core/fixed/fixed.js';

/** A JSON number as exact text, so that money never becomes a binary float. */
export class WireNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type WireValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | WireNumber
  | readonly WireValue[]
  | { readonly [key: string]: WireValue };

/** A ledger value as an exact JSON number. */
export const exactNumber = (value: Fixed): WireNumber => new WireNumber(textFromFixed(value));

/** JSON text; undefined members are omitted. */
export function wireJson(value: WireValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return 'null';
    default:
      return value === null ? 'null' : structureJson(value);
  }
}

function structureJson(value: Exclude<WireValue, string | number | boolean | null | undefined>) {
  if (value instanceof WireNumber) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    if (isNumberTable(value)) return JSON.stringify(value);
    for (const item of value as readonly WireValue[]) {
      text += text === '' ? wireJson(item) : `,${wireJson(item)}`;
    }
    return `[${text}]`;
  }
  const members = value as { readonly [key: string]: WireValue };
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${keyJson(key)}${wireJson(member)}`;
  }
  return `{${text}}`;
}

/** Rows of plain numbers, as candles are: the built-in writer takes a fifth of the time for them. */
const isNumberTable = (rows: readonly WireValue[]): boolean =>
  rows.length > 0 &&
  rows.every(
    (row) => Array.isArray(row) && (row as WireValue[]).every((cell) => typeof cell === 'number'),
  );

const MAX_CACHED_KEYS = 1_000;
const keyCache = new Map<string, string>();

/** `"key":`, cached, since answers use few names. */
function keyJson(key: string): string {
  const cached = keyCache.get(key);
  if (cached !== undefined) return cached;
  const text = `${JSON.stringify(key)}:`;
  if (keyCache.size < MAX_CACHED_KEYS) keyCache.set(key, text);
  return text;
}
