import type { Files, Log } from '../core/ports.js';
import { openFramedLog } from '../execution/log/framed-log.js';
import { JOURNAL } from './journal-store.js';
import { codeOf } from './system-error.js';

/** Room for thousands of records; a halt and the ends of all open orders take far fewer. */
const RESERVE_BYTES = 1024 * 1024;
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * A file that takes up room for as long as there is some, and is removed when there is none: then the
 * journal can still tell how the run ended (hazard K1).
 */
export class JournalReserve {
  readonly #files: Files;
  readonly #directory: string;
  #rescued: Log | undefined;
  isUntouched = true;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** @throws Node's error when there is no room for it: then there is none to trade with either */
  async fill(): Promise<void> {
    if (await this.#files.exists(this.#path)) return;
    await this.#files.replace(this.#path, filling());
  }

  /**
   * Opens the journal again, which verifies it, where a full disk was the cause. After an input or
   * output error nothing is written any more: the next start looks at what the disk really has (K3).
   */
  async rescue(error: unknown, failed: Log): Promise<Log | undefined> {
    this.isUntouched = false;
    if (!NO_ROOM.has(codeOf(error))) return undefined;
    await this.#files.remove(this.#path);
    // One writer at a time; what it could not write, it does not try again.
    await failed.close();
    this.#rescued = await openFramedLog(this.#files, this.#directory, JOURNAL);
    return this.#rescued;
  }

  async close(): Promise<void> {
    await this.#rescued?.close();
  }

  get #path(): string {
    return `${this.#directory}/${JOURNAL}.reserve`;
  }
}

/** Numbers without a pattern: a file system that packs files would keep no room for zeros. */
function filling(): Uint8Array {
  const words = new Uint32Array(RESERVE_BYTES / 4);
  let word = 1;
  for (let at = 0; at < words.length; at += 1) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = word;
  }
  return new Uint8Array(words.buffer);
}
