import type { Files, Random } from '../../../src/core/ports.js';
import type { VenueRequest } from '../../../src/core/request.js';
import { Outbox } from '../../../src/engine/outbox.js';
import { LogWriteError, openFramedLog } from '../../../src/execution/log/framed-log.js';
import { decodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import { MemoryFiles } from '../../harness/memory-files.js';
import { DyingFiles } from './dying-files.js';

const DIRECTORY = '/state';
const SESSIONS = `${DIRECTORY}/record`;
const MOST_BOUNDARIES = 120;
const MOST_LIVES = 5;
const MOST_STEPS = 20;
const encoder = new TextEncoder();

/** What one life has handed over, and what has left on its strength. */
interface Life {
  readonly session: string;
  /** Steps whose request has left. */
  readonly left: number[];
  /** Of each step, whether it journaled something. */
  readonly journaled: boolean[];
}

/**
 * Some lives of an outbox over two logs, on a disk that fails, fills up and loses what was not synced:
 * what the journal says must stand on events that are recorded, and what has left on what is journaled,
 * wherever a life is cut off (hazards J7, K4, M6). Outbox and logs are the real ones.
 */
export class OutboxWalk {
  readonly #random: Random;
  #files = new MemoryFiles();

  constructor(random: Random) {
    this.#random = random;
  }

  /** @throws Error naming what was broken */
  async run(): Promise<void> {
    const lives = this.#upTo(MOST_LIVES);
    for (let number = 1; number <= lives; number += 1) {
      const life: Life = { session: String(number).padStart(6, '0'), left: [], journaled: [] };
      this.#befall();
      const dying = new DyingFiles(this.#upTo(MOST_BOUNDARIES));
      await Promise.race([this.#live(dying.of(this.#files), life), dying.died]);
      this.#files.failWith(() => undefined);
      if (this.#chance(0.7)) this.#cutPower();
      await this.#judge(life);
    }
  }

  async #live(files: Files, life: Life): Promise<void> {
    try {
      const journal = await openFramedLog(files, DIRECTORY, 'journal');
      const record = await openFramedLog(files, SESSIONS, life.session);
      let hasFailed = false;
      const outbox = new Outbox({
        journal,
        record,
        slot: () => undefined,
        send: (requestId) => {
          if (!hasFailed) life.left.push(requestId);
        },
        venueNow: () => 0,
        unsent: () => undefined,
        timer: () => () => undefined,
        fire: () => undefined,
        notify: () => undefined,
        failed: () => {
          hasFailed = true;
        },
        rescue: () => Promise.resolve(undefined),
      });
      const steps = this.#upTo(MOST_STEPS);
      for (let step = 0; step < steps; step += 1) {
        record.append(encoder.encode(`event ${step}`));
        this.#step(outbox, life, step);
        if (this.#chance(0.6)) await settle();
      }
      await outbox.drain();
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
    }
  }

  #step(outbox: Outbox, { session, journaled }: Life, step: number): void {
    journaled.push(this.#chance(0.7));
    if (journaled[step] === true)
      outbox.journal({ type: 'note', venueTime: step, level: 'info', text: `${session} ${step}` });
    if (this.#chance(0.4)) outbox.send(step, A_PLACE);
    outbox.flush();
  }

  async #judge({ session, left, journaled }: Life): Promise<void> {
    const files = this.#files.copy();
    const journal = (await openFramedLog(files, DIRECTORY, 'journal')).read();
    const events = (await openFramedLog(files, SESSIONS, session)).count;
    const told = new Set<number>();
    for (const bytes of journal) {
      const record = decodeJournalRecord(bytes);
      if (record.type !== 'note' || !record.text.startsWith(`${session} `)) continue;
      told.add(record.venueTime);
      if (record.venueTime >= events)
        throw new Error(
          `M6: the journal has what event ${record.venueTime + 1} led to, and ${events} are recorded`,
        );
    }
    for (const step of left)
      if (journaled.slice(0, step + 1).some((isTold, at) => isTold && !told.has(at)))
        throw new Error(`J7: what left at step ${step} stands on what is not in the journal`);
  }

  /** Of this life: a sync that fails, or no more room. */
  #befall(): void {
    if (this.#chance(0.2)) {
      let left = this.#upTo(8);
      this.#files.failWith(({ kind }) => {
        if (kind !== 'sync') return undefined;
        left -= 1;
        return left === 0 ? { code: 'EIO' } : undefined;
      });
    } else if (this.#chance(0.15)) this.#files.fillAfter(this.#upTo(4_000));
  }

  #cutPower(): void {
    const share = this.#chance(0.5) ? this.#random.next() : 0;
    this.#files = this.#files.crash({
      keep: (_, unsynced) => Math.floor(share * unsynced),
      forgetNames: this.#chance(0.3),
    });
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** From 1. */
  #upTo(most: number): number {
    return 1 + Math.floor(this.#random.next() * most);
  }
}

const A_PLACE = { kind: 'place' } as VenueRequest;

const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
