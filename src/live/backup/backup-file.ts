import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { SafetyRefusal, UsageError } from '../../core/command-errors.js';
import type { Files, Gzip } from '../../core/ports.js';
import { JOURNAL_VERSION } from '../../execution/journal/journal-schema.js';
import { decodeJournalRecord } from '../../execution/journal/journal-record.js';
import { readFramedLog } from '../../io/log/read-log.js';
import { newestVersionOf } from '../state/journal-version.js';
import { JOURNAL } from '../state/journal-store.js';
import { CopiedFiles } from './copied-files.js';
import { restoreMarkIn } from '../state/restore-mark.js';
import { copyState } from './state-copy.js';
import { packTar, TarError, unpackTar, type TarEntry } from './tar.js';

/** The first file of a backup. */
const MANIFEST = 'manifest.json';
const MAX_BYTES = 4 * 1024 * 1024 * 1024;

const manifestSchema = z.object({
  v: z.literal(1),
  /** Newest version among the journal's records. An older program cannot read it. */
  journal_version: z.int(),
  created: z.string(),
  account: z.string(),
  venue: z.string(),
  records: z.int(),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
});

export type BackupManifest = Readonly<z.infer<typeof manifestSchema>>;

export interface BackupParts {
  readonly files: Files;
  readonly gzip: Gzip;
  readonly utcMs: number;
}

/**
 * Writes the whole state folder into one file, a `.tar.gz` with a checksum of each file. A daemon may run.
 * @throws UsageError when the folder has no journal or the file exists, LogCorruptError
 */
export async function writeBackup(
  stateDir: string,
  out: string,
  { files, gzip, utcMs }: BackupParts,
): Promise<BackupManifest> {
  const entries = await copyState(files, stateDir);
  const { payloads } = await readFramedLog(new CopiedFiles(stateDir, entries), stateDir, JOURNAL);
  const [header, ...rest] = payloads.map(decodeJournalRecord);
  if (header?.type !== 'header') throw new UsageError(`${stateDir} has no journal to back up`);
  const { account, venue } = header;
  const manifest: BackupManifest = {
    v: 1,
    journal_version: newestVersionOf(payloads),
    created: new Date(utcMs).toISOString(),
    account,
    venue,
    records: rest.length + 1,
    files: entries.map(({ path, bytes }) => ({
      path,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
  };
  const text = new TextEncoder().encode(`${JSON.stringify(manifest, undefined, 2)}\n`);
  const packed = await gzip([packTar([{ path: MANIFEST, bytes: text }, ...entries], utcMs)]);
  if (await files.createExclusive(out, packed)) return manifest;
  throw new UsageError(`${out} exists already: name another file, a backup never replaces one`);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export interface RestoreTarget {
  readonly stateDir: string;
  /** Of the configuration; absent: not compared. */
  readonly account?: string;
}

/**
 * Writes the files of a backup into an empty folder. The next start says that it was restored.
 * @throws UsageError for a file that is no whole backup, SafetyRefusal for a folder in use, another account or a
 *   newer version
 */
export async function restoreBackup(
  file: string,
  { stateDir, account }: RestoreTarget,
  { files, utcMs }: Pick<BackupParts, 'files' | 'utcMs'>,
): Promise<BackupManifest> {
  const packed = await files.read(file);
  if (packed === undefined) throw new UsageError(`${file} does not exist`);
  const { manifest, entries } = openBackup(file, packed);
  if (manifest.journal_version > JOURNAL_VERSION) {
    throw new SafetyRefusal(
      `${file} was written by a newer version (journal ${manifest.journal_version}, this one reads ${JOURNAL_VERSION}): ` +
        'restore it with that version',
    );
  }
  if (account !== undefined && account !== manifest.account) {
    throw new SafetyRefusal(
      `${file} belongs to account ${manifest.account}, not ${account}: name its own configuration`,
    );
  }
  const found = await files.list(stateDir);
  if (found.length > 0) {
    throw new SafetyRefusal(
      `${stateDir} is not empty (${found[0]}): a restore never overwrites a state. Move that folder away first`,
    );
  }
  // The mark first: a restore that is cut off leaves no folder that looks like an untouched state.
  await files.makeDirectory(stateDir);
  const mark = JSON.stringify({
    created: manifest.created,
    restored: new Date(utcMs).toISOString(),
  });
  await files.replace(restoreMarkIn(stateDir), new TextEncoder().encode(`${mark}\n`));
  // The journal's own log last: without it no start takes the folder for a state.
  for (const entry of [...entries].sort(journalLast)) {
    const path = `${stateDir}/${entry.path}`;
    await files.makeDirectory(path.slice(0, path.lastIndexOf('/')));
    await files.replace(path, entry.bytes);
  }
  return manifest;
}

const journalLast = (a: TarEntry, b: TarEntry): number =>
  Number(a.path === 'journal.log') - Number(b.path === 'journal.log');

function openBackup(
  file: string,
  packed: Uint8Array,
): { readonly manifest: BackupManifest; readonly entries: readonly TarEntry[] } {
  const damaged = (what: string, cause?: unknown): UsageError =>
    new UsageError(`${file} is no whole backup of sluice: ${what}. Take another copy of it`, {
      cause,
    });
  let all: readonly TarEntry[];
  let manifest: BackupManifest;
  try {
    all = unpackTar(gunzipSync(packed, { maxOutputLength: MAX_BYTES }));
    const [first] = all;
    if (first?.path !== MANIFEST) throw new TarError(`its first file is not ${MANIFEST}`);
    manifest = manifestSchema.parse(JSON.parse(new TextDecoder().decode(first.bytes)));
  } catch (error) {
    throw damaged(
      error instanceof z.ZodError ? 'its manifest cannot be read' : String(error),
      error,
    );
  }
  const entries = all.slice(1);
  if (entries.length !== manifest.files.length) throw damaged('files are missing or added');
  entries.forEach(({ path, bytes }, index) => {
    const expected = manifest.files[index];
    if (expected?.path !== path || expected.sha256 !== sha256(bytes)) {
      throw damaged(`${path} does not match its checksum`);
    }
    if (!/^(?:[\w-]+\/)?[\w.-]+$/.test(path) || path.includes('..')) {
      throw damaged(`${path} is no file of a state folder`);
    }
  });
  return { manifest, entries };
}
