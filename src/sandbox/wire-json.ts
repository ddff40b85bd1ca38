import { textFromFixed, type Fixed } from '../core/fixed.js';

/** A JSON number by its exact text: money never passes through a binary float. */
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

/** A JSON number of a ledger value, to the last place. */
export const exactNumber = (value: Fixed): WireNumber => new WireNumber(textFromFixed(value));

/** JSON text; members that are undefined are left out. */
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

const MOST_KEYS = 1_000;
const keys = new Map<string, string>();

/** `"key":`, made once for each of the few names that answers are made of. */
function keyJson(key: string): string {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(key)}:`;
  if (keys.size < MOST_KEYS) keys.set(key, text);
  return text;
}
