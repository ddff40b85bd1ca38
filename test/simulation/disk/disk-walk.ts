import type { Files, Random } from '../../../src/core/ports.js';
import { LogWriteError } from '../../../src/io/log/log-write-error.js';
import { LogCorruptError, openFramedLog, type FramedLog } from '../../../src/io/log/framed-log.js';
import { compactFramedLog } from '../../../src/io/log/log-compaction.js';
import { readHead } from '../../../src/io/log/log-head.js';
import { MemoryFiles } from '../../support/fakes/memory-files.js';
import { CrashingFiles } from './crashing-files.js';

const DIRECTORY = '/state';
const NAME = 'journal';
const LOG = `${DIRECTORY}/${NAME}.log`;
const HEAD = `${DIRECTORY}/${NAME}.head`;
/** Enough that a short run sometimes gets past every operation. */
const MAX_OPERATIONS = 60;
const MAX_RUNS = 8;
const MAX_ROUNDS = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Several runs of one log on a disk that fails, fills up, loses unsynced bytes, and flips bits.
 * Each run is cut off anywhere, and the next must find every record that was synced (hazards K1 to
 * K7). The log is the real one; its records are meaningless.
 */
export class DiskWalk {
  readonly #random: Random;
  #files = new MemoryFiles();
  /** Records that were reported durable, and those appended after them. */
  #syncedRecords: readonly string[] = [];
  #appendedRecords: string[] = [];
  #records = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @throws Error naming the broken property */
  async run(): Promise<void> {
    const runs = this.#intUpTo(MAX_RUNS);
    for (let runIndex = 0; runIndex < runs; runIndex += 1) {
      this.#injectFault();
      const crashing = new CrashingFiles(this.#intUpTo(MAX_OPERATIONS));
      await Promise.race([this.#runOnce(crashing.of(this.#files)), crashing.crashed]);
      this.#files.failWith(() => undefined);
      if (this.#bool(0.6)) this.#cutPower();
      if (this.#bool(0.2)) await this.#flip();
    }
    await this.#open(this.#files);
  }

  async #runOnce(files: Files): Promise<void> {
    try {
      let log = await this.#open(files);
      if (this.#bool(0.3)) {
        await log.close();
        await this.#compact(files, log);
        log = await this.#open(files);
      }
      const rounds = this.#intUpTo(MAX_ROUNDS);
      for (let round = 0; round < rounds; round += 1) await this.#write(log);
      if (this.#bool(0.5)) await log.close();
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
    }
  }

  /** Records found at opening are durable from here on: opening syncs them. */
  async #open(files: Files): Promise<FramedLog> {
    const log = await openFramedLog(files, DIRECTORY, NAME).catch((error: unknown) => {
      if (error instanceof LogCorruptError)
        throw new Error(`K4: an undamaged journal is refused: ${error.message}`);
      throw error;
    });
    const found = textsOf(log);
    this.#compare(found);
    this.#syncedRecords = found;
    this.#appendedRecords = [];
    return log;
  }

  #compare(found: readonly string[]): void {
    const all = [...this.#syncedRecords, ...this.#appendedRecords];
    if (found.length < this.#syncedRecords.length)
      throw new Error(
        `K4: ${this.#syncedRecords.length} records were durable, ${found.length} are found`,
      );
    const firstDifference = found.findIndex((text, at) => text !== all[at]);
    if (firstDifference >= 0)
      throw new Error(`K5: record ${firstDifference + 1} is not what was written`);
  }

  async #compact(files: Files, log: FramedLog): Promise<void> {
    const payloads = log.read();
    await compactFramedLog(files, DIRECTORY, NAME, { payloads, recordsBefore: payloads.length });
  }

  /** Two syncs may overlap; each covers what was appended before it. */
  async #write(log: FramedLog): Promise<void> {
    this.#append(log);
    const first = this.#synced(log);
    if (this.#bool(0.3)) {
      this.#append(log);
      await Promise.all([first, this.#synced(log)]);
    } else await first;
  }

  #append(log: FramedLog): void {
    const count = this.#intUpTo(3);
    for (let each = 0; each < count; each += 1) {
      const text = `record ${(this.#records += 1)} ${'x'.repeat(this.#intUpTo(40))}`;
      log.append(encoder.encode(text));
      this.#appendedRecords.push(text);
    }
  }

  async #synced(log: FramedLog): Promise<void> {
    const all = [...this.#syncedRecords, ...this.#appendedRecords];
    await log.sync();
    if (this.#syncedRecords.length >= all.length) return;
    this.#appendedRecords = [...this.#syncedRecords, ...this.#appendedRecords].slice(all.length);
    this.#syncedRecords = all;
  }

  /** The fault of this run: a sync that fails, or a full disk. */
  #injectFault(): void {
    if (this.#bool(0.25)) {
      let left = this.#intUpTo(6);
      this.#files.failWith(({ kind }) => {
        if (kind !== 'sync') return undefined;
        left -= 1;
        return left === 0 ? { code: 'EIO' } : undefined;
      });
    } else if (this.#bool(0.2)) this.#files.fillAfter(this.#intUpTo(3_000));
  }

  #cutPower(): void {
    const share = this.#bool(0.5) ? this.#random.next() : 0;
    this.#files = this.#files.crash({
      survivingBytes: (_, unsynced) => Math.floor(share * unsynced),
      loseDirectoryEntries: this.#bool(0.5),
    });
  }

  /** Flips one bit of the synced part: opening must refuse it. */
  async #flip(): Promise<void> {
    const { head } = readHead(this.#files.peek(HEAD));
    const bits = (head?.position.bytes ?? 0) * 8;
    if (bits === 0 || (this.#files.peek(LOG)?.length ?? 0) * 8 < bits) return;
    const damaged = this.#files.copy();
    damaged.flipBit(LOG, Math.floor(this.#random.next() * bits));
    const opened = await openFramedLog(damaged, DIRECTORY, NAME).catch((error: unknown) => {
      if (error instanceof LogCorruptError) return undefined;
      throw error;
    });
    if (opened !== undefined)
      throw new Error('K5: a log with a flipped bit is opened without an error');
  }

  #bool(share: number): boolean {
    return this.#random.next() < share;
  }

  /** From 1. */
  #intUpTo(most: number): number {
    return 1 + Math.floor(this.#random.next() * most);
  }
}

const textsOf = (log: FramedLog): readonly string[] =>
  log.read().map((bytes) => decoder.decode(bytes));
