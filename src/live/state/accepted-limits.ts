import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { SafetyRefusal } from '../../core/command-errors.js';
import type { Files } from '../../core/ports.js';
import { limitsRecordSchema, type LimitsRecord } from '../../risk/catalog/limits-record.js';

/** Limits of the last start of this state folder. */
const LAST_FILE = 'risk-limits.json';
/** Limits that a person has accepted for the next start. */
const ACCEPTED_FILE = 'risk-accepted.json';
/** Key of the signature, readable by the owner only. */
const KEY_FILE = 'risk.key';

const lastSchema = z.object({ v: z.literal(1), record: limitsRecordSchema });
const acceptedSchema = z.object({
  v: z.literal(1),
  record: limitsRecordSchema,
  signature: z.string(),
});

/**
 * The limits that a state folder remembers (control R44). The signature has its key in the same folder: it shows
 * that `sluice risk accept` ran for this folder and these limits. It protects against accidents, not against a
 * person who may write in the folder.
 */
export class AcceptedLimits {
  readonly #files: Files;
  readonly #directory: string;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** Limits of the last start; undefined: there was none. @throws SafetyRefusal for an unreadable file */
  async last(): Promise<LimitsRecord | undefined> {
    return readLastLimits(this.#files, this.#directory);
  }

  /** The accepted limits; undefined: none, or with a signature of another folder or content. */
  async accepted(): Promise<LimitsRecord | undefined> {
    const found = await readStored(this.#files, this.#path(ACCEPTED_FILE), acceptedSchema);
    const key = await this.#key();
    if (found === undefined || key === undefined) return undefined;
    return signatureOf(found.record, key) === found.signature ? found.record : undefined;
  }

  /** Signs the limits for the next start. @param newKey used if the folder has no key yet */
  async accept(record: LimitsRecord, newKey: string): Promise<void> {
    await this.#files.makeDirectory(this.#directory);
    await this.#files.createExclusive(this.#path(KEY_FILE), bytesOf(newKey));
    const key = (await this.#key()) ?? newKey;
    await this.#write(ACCEPTED_FILE, { v: 1, record, signature: signatureOf(record, key) });
  }

  /** Called by a start that may trade. Accepted limits apply once. */
  async recordStart(record: LimitsRecord, usesAcceptance: boolean): Promise<void> {
    const content = { v: 1, record };
    const before = await this.#files.read(this.#path(LAST_FILE));
    if (before === undefined || new TextDecoder().decode(before) !== textOf(content))
      await this.#write(LAST_FILE, content);
    if (usesAcceptance) await this.#files.remove(this.#path(ACCEPTED_FILE));
  }

  /** Limits were tightened since: an earlier acceptance does not cover their end. */
  async revoke(): Promise<void> {
    await this.#files.remove(this.#path(ACCEPTED_FILE));
  }

  #path(name: string): string {
    return `${this.#directory}/${name}`;
  }

  async #key(): Promise<string | undefined> {
    const bytes = await this.#files.read(this.#path(KEY_FILE));
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  async #write(name: string, content: unknown): Promise<void> {
    await this.#files.replace(this.#path(name), bytesOf(textOf(content)));
  }
}

/** Limits of the last start; undefined: there was none. @throws SafetyRefusal for an unreadable file */
export async function readLastLimits(
  files: Pick<Files, 'read'>,
  directory: string,
): Promise<LimitsRecord | undefined> {
  return (await readStored(files, `${directory}/${LAST_FILE}`, lastSchema))?.record;
}

async function readStored<T>(
  files: Pick<Files, 'read'>,
  path: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const parsed = schema.safeParse(jsonOf(bytes));
  if (parsed.success) return parsed.data;
  throw new SafetyRefusal(
    `${path} cannot be read, so that loosened limits would not be noticed: compare the limits with sluice risk show CONFIG, then remove the file`,
  );
}

/** First characters of the hash of the limits, for people. */
export const limitsHash = (record: LimitsRecord): string =>
  createHash('sha256').update(canonicalText(record)).digest('hex').slice(0, 16);

const signatureOf = (record: LimitsRecord, key: string): string =>
  createHmac('sha256', key).update(canonicalText(record)).digest('hex');

/** The same text for the same limits, in any order of the keys. */
const canonicalText = ({ preset, given, limits }: LimitsRecord): string =>
  JSON.stringify([
    preset,
    [...given].sort(),
    Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

const textOf = (content: unknown): string => `${JSON.stringify(content, null, 1)}\n`;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** undefined for a text that is not JSON, which no schema accepts. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
