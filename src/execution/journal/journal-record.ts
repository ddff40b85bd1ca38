import { hash as digest } from 'node:crypto';
import { z } from 'zod';
import { decisionKey, type OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import { migrated, versionOf } from './journal-migrations.js';
import { JOURNAL_VERSION, journalRecord } from './journal-schema.js';
import { JournalRecordError } from './journal-record-error.js';
import { terms } from './journal-values.js';
import { fastDecoder, fastEncoder, UNSURE } from './fast-codec.js';

/**
 * Encoding of journal records: one JSON line per frame, version first, keys in the order of
 * journal-schema.ts, decimals as text. An unknown field or type is refused, since a journal that is
 * understood only in part proves nothing (hazard J15).
 */

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

/** @throws ZodError for a value that is no record: a bug of the caller */
export function encodeJournalRecord(value: JournalRecord): Uint8Array {
  const versioned = { v: JOURNAL_VERSION, ...sorted(value) } as Versioned;
  const quick = encodeFast(versioned);
  const raw = quick === UNSURE ? z.encode(journalRecord, versioned) : quick;
  return encoder.encode(`${JSON.stringify(raw)}\n`);
}

/**
 * Reads this version and older ones. @throws JournalRecordError naming the field, or the readable
 * versions
 */
export function decodeJournalRecord(bytes: Uint8Array): JournalRecord {
  const raw = migrated(parseLine(bytes));
  if (raw === undefined) throw new JournalRecordError(versionText(bytes));
  const value = validated(raw);
  assertOneDecision(value);
  return value;
}

const CURRENT = encoder.encode(`{"v":${JOURNAL_VERSION},`);

/** Whether these bytes are of the version that is written now. */
export const isCurrentRecord = (bytes: Uint8Array): boolean =>
  CURRENT.every((byte, at) => bytes[at] === byte);

/** The intent as the risk gate approved it. */
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

/** SHA-256, hex, of the terms sent under a client order id: equal ids must have equal payloads. */
export function payloadHashOf(id: string, value: OrderTerms): string {
  const quick = encodeTermsFast(value);
  const payload = JSON.stringify([id, quick === UNSURE ? z.encode(terms, value) : quick]);
  return digest('sha256', payload, 'hex');
}

const decodeFast = fastDecoder(journalRecord, 'v');
const encodeFast = fastEncoder(journalRecord);
const encodeTermsFast = fastEncoder(terms);

function validated(raw: unknown): JournalRecord {
  const quick = decodeFast(raw);
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

/** Values of a verdict come in any order; equal verdicts must have equal bytes. */
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
