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
  if (value instanceof WireNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(wireJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value as { readonly [key: string]: WireValue })
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${wireJson(member)}`);
  return `{${members.join(',')}}`;
}
