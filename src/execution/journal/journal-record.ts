import { hash as digest } from 'node:crypto';
import { z } from 'zod';
import { decisionKey, type OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import { migrated, versionOf } from './journal-migrations.js';
import { JOURNAL_VERSION, journalRecord, terms } from './journal-schema.js';
import { quickDecoder, quickEncoder, UNSURE } from './quick-codec.js';

/**
 * The journal's words: one JSON line a frame, version first, keys in the order of journal-schema.ts,
 * decimals as text. A field or type that this version does not know refuses to be read, since a
 * journal that is half understood proves nothing (hazard J15).
 */

/** The bytes of a frame are not a record that this version can read. */
export class JournalRecordError extends Error {
  override readonly name = 'JournalRecordError';
}

type Versioned = z.output<typeof journalRecord>;
type WithoutVersion<R> = R extends unknown ? Omit<R, 'v'> : never;

export type JournalRecord = WithoutVersion<Versioned>;
export type JournalRecordType = JournalRecord['type'];
export type JournalRecordOf<Type extends JournalRecordType> = Extract<
  JournalRecord,
  { readonly type: Type }
>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws ZodError when the record is not one: a broken promise of the caller */
export function encodeJournalRecord(value: JournalRecord): Uint8Array {
  const versioned = { v: JOURNAL_VERSION, ...sorted(value) } as Versioned;
  const quick = quicklyWritten(versioned);
  const raw = quick === UNSURE ? z.encode(journalRecord, versioned) : quick;
  return encoder.encode(`${JSON.stringify(raw)}\n`);
}

/** Of this version or an older one. @throws JournalRecordError naming the field, or the versions that can be read */
export function decodeJournalRecord(bytes: Uint8Array): JournalRecord {
  const raw = migrated(parseLine(bytes));
  if (raw === undefined) throw new JournalRecordError(versionText(bytes));
  const value = checked(raw);
  assertOneDecision(value);
  return value;
}

const CURRENT = encoder.encode(`{"v":${JOURNAL_VERSION},`);

/** Whether these bytes say that they are of the version that is written now. */
export const isCurrentRecord = (bytes: Uint8Array): boolean =>
  CURRENT.every((byte, at) => bytes[at] === byte);

/** The intent as it was judged: what a restart goes on with. */
export function intentOfRecord(value: JournalRecordOf<'intent' | 'past'>): OrderIntent {
  const { strategyId, ordinal, leg, referencePrice, decidedAt, validUntil } = value;
  return {
    strategyId,
    cause: value.cause,
    ordinal,
    leg,
    terms: value.terms,
    referencePrice,
    decidedAt,
    validUntil,
  };
}

/** SHA-256, hex, of what the venue is asked for under an id: equal ids must have equal payloads. */
export function payloadHashOf(id: string, value: OrderTerms): string {
  const quick = termsQuickly(value);
  const payload = JSON.stringify([id, quick === UNSURE ? z.encode(terms, value) : quick]);
  return digest('sha256', payload, 'hex');
}

const quickly = quickDecoder(journalRecord, 'v');
const quicklyWritten = quickEncoder(journalRecord);
const termsQuickly = quickEncoder(terms);

function checked(raw: unknown): JournalRecord {
  const quick = quickly(raw);
  if (quick !== UNSURE) return quick as JournalRecord;
  const parsed = z.safeDecode(journalRecord, raw as z.input<typeof journalRecord>);
  if (parsed.success) {
    const { v: _version, ...value } = parsed.data;
    return value;
  }
  throw new JournalRecordError(`Journal record: ${z.prettifyError(parsed.error)}`, {
    cause: parsed.error,
  });
}

/** A verdict's values come in any order; the bytes must not tell. */
function sorted(value: JournalRecord): JournalRecord {
  if (value.type !== 'verdict') return value;
  const keys = Object.keys(value.values).sort();
  return {
    ...value,
    values: Object.fromEntries(keys.map((key) => [key, value.values[key] ?? ''])),
  };
}

function versionText(bytes: Uint8Array): string {
  const version = versionOf(parseLine(bytes));
  return `Journal record of version ${JSON.stringify(version)}; this version reads 1 to ${JOURNAL_VERSION}`;
}

function parseLine(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new JournalRecordError('Journal record is not a line of JSON', { cause });
  }
}

function assertOneDecision(value: JournalRecord): void {
  if (value.type !== 'intent') return;
  const expected = decisionKey(value.cause, value.ordinal);
  if (value.decisionKey === expected) return;
  throw new JournalRecordError(
    `Journal record: decision key ${value.decisionKey} does not belong to its cause, ${expected}`,
  );
}
