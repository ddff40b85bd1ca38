import type { Files, AppendLog } from '../../core/ports.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { JOURNAL } from './journal-store.js';
import { codeOf } from '../../core/system-error.js';

/** Space for thousands of records; a halt and the ends of all open orders need far fewer. */
const RESERVE_BYTES = 1024 * 1024;
const DISK_FULL_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * A file that reserves disk space and is removed when the disk is full. The journal can then still record how
 * the run ended (hazard K1).
 */
export class ReservedDiskSpace {
  readonly #files: Files;
  readonly #directory: string;
  #fallback: AppendLog | undefined;
  isIntact = true;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** @throws Node's error when the disk has no space for it: then there is none to trade with either */
  async allocate(): Promise<void> {
    if (await this.#files.exists(this.#path)) return;
    await this.#files.replace(this.#path, fillerBytes());
  }

  /**
   * Reopens the journal, which verifies it, where a full disk was the cause. After an input or output error
   * nothing more is written: the next start reads what the disk really has (hazard K3).
   */
  async openFallbackJournal(error: unknown, failed: AppendLog): Promise<AppendLog | undefined> {
    this.isIntact = false;
    if (!DISK_FULL_CODES.has(codeOf(error))) return undefined;
    await this.#files.remove(this.#path);
    // One writer at a time; a failed write is not repeated.
    await failed.close();
    this.#fallback = await openFramedLog(this.#files, this.#directory, JOURNAL);
    return this.#fallback;
  }

  async close(): Promise<void> {
    await this.#fallback?.close();
  }

  get #path(): string {
    return `${this.#directory}/${JOURNAL}.reserve`;
  }
}

/** Numbers without a pattern: a file system that compresses files would reserve no space for zeros. */
function fillerBytes(): Uint8Array {
  const words = new Uint32Array(RESERVE_BYTES / 4);
  let word = 1;
  for (let at = 0; at < words.length; at += 1) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = word;
  }
  return new Uint8Array(words.buffer);
}
