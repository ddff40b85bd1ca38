import { hash, scryptSync } from 'node:crypto';
import { z } from 'zod';
import type { Files } from '../../core/ports.js';
import { SafetyRefusal } from '../../core/command-errors.js';

/** In the state folder. It holds neither the secret nor an id of the venue, only hashes of them. */
export const FINGERPRINT_FILE = 'account.json';

/** Ids that are kept: the newest of each list, so that a venue which forgets old rows is still recognized. */
const MAX_IDS = 200;
const KEY_BYTES = 32;

const schema = z.strictObject({
  v: z.literal(1),
  salt: z.string().min(16),
  key: z.string(),
  ids: z.array(z.string()),
});

/** Facts of its account that a state keeps. */
export type AccountFingerprint = Readonly<z.output<typeof schema>>;

/**
 * `first`: a new state. `unlearned`: a journal without a fingerprint. `same-key`: the key of the last start.
 * `same-account`: another key, and a known id in the account's lists. `unproved`: another key, and no id is
 * known. `other-account`: another key, and none of the known ids.
 */
export type FingerprintMatch =
  'first' | 'unlearned' | 'same-key' | 'same-account' | 'unproved' | 'other-account';

/** The account that a key opens now. */
export interface PresentedAccount {
  readonly secret: string;
  /** Ids of orders and transfers, which the venue never gives twice. */
  readonly ids: readonly string[];
}

export function matchFingerprint(
  known: AccountFingerprint | undefined,
  presented: PresentedAccount,
  hasJournal: boolean,
): FingerprintMatch {
  if (known === undefined) return hasJournal ? 'unlearned' : 'first';
  if (keyHash(known.salt, presented.secret) === known.key) return 'same-key';
  if (known.ids.length === 0) return 'unproved';
  const ids = new Set(known.ids);
  const isKnown = presented.ids.some((id) => ids.has(idHash(known.salt, id)));
  return isKnown ? 'same-account' : 'other-account';
}

/** The fingerprint after a start. @param salt random text of a new fingerprint; an older one keeps its own */
export function learnedFingerprint(
  known: AccountFingerprint | undefined,
  { secret, ids }: PresentedAccount,
  salt: string,
): AccountFingerprint {
  const ownSalt = known?.salt ?? salt;
  const hashes = [...ids.map((id) => idHash(ownSalt, id)), ...(known?.ids ?? [])];
  return {
    v: 1,
    salt: ownSalt,
    key: keyHash(ownSalt, secret),
    ids: [...new Set(hashes)].slice(0, MAX_IDS),
  };
}

/** undefined: none was learned. @throws SafetyRefusal for a file that cannot be read */
export async function readFingerprint(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<AccountFingerprint | undefined> {
  const path = `${stateDir}/${FINGERPRINT_FILE}`;
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const parsed = schema.safeParse(jsonOf(bytes));
  if (parsed.success) return parsed.data;
  throw new SafetyRefusal(
    `${path} is damaged, so the account of this state is unknown: restore it from a backup, or remove it and run sluice doctor CONFIG --accept-account`,
  );
}

export const writeFingerprint = (
  files: Pick<Files, 'replace'>,
  stateDir: string,
  fingerprint: AccountFingerprint,
): Promise<void> =>
  files.replace(
    `${stateDir}/${FINGERPRINT_FILE}`,
    new TextEncoder().encode(`${JSON.stringify(fingerprint)}\n`),
  );

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Slow on purpose (RFC 7914): a copy of the state must not give a short secret away. */
const keyHash = (salt: string, secret: string): string =>
  scryptSync(secret, salt, KEY_BYTES).toString('hex');

const idHash = (salt: string, id: string): string => hash('sha256', `${salt} ${id}`, 'hex');
