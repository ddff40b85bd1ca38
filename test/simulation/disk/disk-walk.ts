import type { Files, Random } from '../../../src/core/ports.js';
import {
  LogCorruptError,
  LogWriteError,
  openFramedLog,
  type FramedLog,
} from '../../../src/execution/log/framed-log.js';
import { compactFramedLog } from '../../../src/execution/log/log-compaction.js';
import { readHead } from '../../../src/execution/log/log-head.js';
import { MemoryFiles } from '../../harness/memory-files.js';
import { DyingFiles } from './dying-files.js';

const DIRECTORY = '/state';
const NAME = 'journal';
const LOG = `${DIRECTORY}/${NAME}.log`;
const HEAD = `${DIRECTORY}/${NAME}.head`;
/** Enough to pass by every operation of a short life now and then. */
const MOST_BOUNDARIES = 60;
const MOST_LIVES = 8;
const MOST_ROUNDS = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Some lives of one journal on a disk that fails, fills up, loses what was not synced, and flips bits:
 * each is cut off anywhere, and the next one must find what the ones before were promised (hazards K1
 * to K7). Its log is the real one, its records mean nothing.
 */
export class DiskWalk {
  readonly #random: Random;
  #files = new MemoryFiles();
  /** Records that somebody was told are durable, and those that were handed over after them. */
  #promised: readonly string[] = [];
  #handed: string[] = [];
  #records = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @throws Error naming what was broken */
  async run(): Promise<void> {
    const lives = this.#upTo(MOST_LIVES);
    for (let life = 0; life < lives; life += 1) {
      this.#befall();
      const dying = new DyingFiles(this.#upTo(MOST_BOUNDARIES));
      await Promise.race([this.#live(dying.of(this.#files)), dying.died]);
      this.#files.failWith(() => undefined);
      if (this.#chance(0.6)) this.#cutPower();
      if (this.#chance(0.2)) await this.#flip();
    }
    await this.#open(this.#files);
  }

  async #live(files: Files): Promise<void> {
    try {
      let log = await this.#open(files);
      if (this.#chance(0.3)) {
        await log.close();
        await this.#compact(files, log);
        log = await this.#open(files);
      }
      const rounds = this.#upTo(MOST_ROUNDS);
      for (let round = 0; round < rounds; round += 1) await this.#write(log);
      if (this.#chance(0.5)) await log.close();
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
    }
  }

  /** What it finds is promised from here on: opening makes it durable. */
  async #open(files: Files): Promise<FramedLog> {
    const log = await openFramedLog(files, DIRECTORY, NAME).catch((error: unknown) => {
      if (error instanceof LogCorruptError)
        throw new Error(`K4: a journal that nobody damaged is refused: ${error.message}`);
      throw error;
    });
    const found = textsOf(log);
    this.#compare(found);
    this.#promised = found;
    this.#handed = [];
    return log;
  }

  #compare(found: readonly string[]): void {
    const all = [...this.#promised, ...this.#handed];
    if (found.length < this.#promised.length)
      throw new Error(
        `K4: ${this.#promised.length} records were durable, ${found.length} are found`,
      );
    const strange = found.findIndex((text, at) => text !== all[at]);
    if (strange >= 0) throw new Error(`K5: record ${strange + 1} is not what was written`);
  }

  async #compact(files: Files, log: FramedLog): Promise<void> {
    const payloads = log.read();
    await compactFramedLog(files, DIRECTORY, NAME, { payloads, recordsBefore: payloads.length });
  }

  /** Two syncs may overlap; each promises what was handed over before it. */
  async #write(log: FramedLog): Promise<void> {
    this.#hand(log);
    const first = this.#synced(log);
    if (this.#chance(0.3)) {
      this.#hand(log);
      await Promise.all([first, this.#synced(log)]);
    } else await first;
  }

  #hand(log: FramedLog): void {
    const count = this.#upTo(3);
    for (let each = 0; each < count; each += 1) {
      const text = `record ${(this.#records += 1)} ${'x'.repeat(this.#upTo(40))}`;
      log.append(encoder.encode(text));
      this.#handed.push(text);
    }
  }

  async #synced(log: FramedLog): Promise<void> {
    const all = [...this.#promised, ...this.#handed];
    await log.sync();
    if (this.#promised.length >= all.length) return;
    this.#handed = [...this.#promised, ...this.#handed].slice(all.length);
    this.#promised = all;
  }

  /** Of this life: a sync that fails, or no more room. */
  #befall(): void {
    if (this.#chance(0.25)) {
      let left = this.#upTo(6);
      this.#files.failWith(({ kind }) => {
        if (kind !== 'sync') return undefined;
        left -= 1;
        return left === 0 ? { code: 'EIO' } : undefined;
      });
    } else if (this.#chance(0.2)) this.#files.fillAfter(this.#upTo(3_000));
  }

  #cutPower(): void {
    const share = this.#chance(0.5) ? this.#random.next() : 0;
    this.#files = this.#files.crash({
      keep: (_, unsynced) => Math.floor(share * unsynced),
      forgetNames: this.#chance(0.5),
    });
  }

  /** One bit of what was promised: refused, whatever it stands for. */
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
    if (opened !== undefined) throw new Error('K5: a flipped bit is opened without a word');
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** From 1. */
  #upTo(most: number): number {
    return 1 + Math.floor(this.#random.next() * most);
  }
}

const textsOf = (log: FramedLog): readonly string[] =>
  log.read().map((bytes) => decoder.decode(bytes));
