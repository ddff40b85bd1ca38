import type { MemoryFiles } from '../../support/fakes/memory-files.js';
import { readHead } from '../../../src/io/log/log-head.js';
import { JOURNAL_FILE, STATE_DIR } from './sim-config.js';
import type { BotRun, SimWorld } from './world.js';

const HEAD_FILE = `${STATE_DIR}/journal.head`;
/** Of the starts after a death, how many find a bit flipped. */
const FLIPPED = 0.5;

/** What befalls the disk: power cuts, torn tails, flipped bits, no room, failed syncs. */
export class Disk {
  readonly #world: SimWorld;
  #before: MemoryFiles | undefined;
  #faulty = false;

  constructor(world: SimWorld) {
    this.#world = world;
  }

  /** A bit that was promised is not what it was: a start must refuse. */
  get isDamaged(): boolean {
    return this.#before !== undefined;
  }

  /** It fails, or has failed, to write. */
  get isFaulty(): boolean {
    return this.#faulty;
  }

  /** A kill leaves what the system holds; a power cut takes what was not synced. */
  afterCrash({ number }: BotRun): void {
    const world = this.#world;
    const draws = world.plan.draws.of(`disk ${number}`);
    if (this.#before !== undefined) {
      world.files = this.#before;
      this.#before = undefined;
    }
    const isCut = world.isOn('torn') || (world.isOn('crash') && draws.chance(0.4, 'power cut'));
    if (isCut) {
      const share = draws.unit('kept');
      world.files = world.files.crash({
        survivingBytes: (_, unsynced) => (world.isOn('torn') ? Math.floor(share * unsynced) : 0),
        loseDirectoryEntries: draws.chance(0.5, 'names'),
      });
      world.simulatedFaults.add('torn');
    } else world.files.failWith(() => undefined);
    if (world.isOn('bit_flip') && draws.chance(FLIPPED, 'flip')) this.#flip(draws.unit('bit'));
  }

  /** Of what was promised: the rest may be dropped. */
  #flip(where: number): void {
    const world = this.#world;
    const { head } = readHead(world.files.peek(HEAD_FILE));
    const bits = (head?.position.bytes ?? 0) * 8;
    if (bits === 0) return;
    this.#before = world.files.copy();
    world.files.flipBit(JOURNAL_FILE, Math.floor(where * bits));
    world.simulatedFaults.add('bit_flip');
    world.note('disk', 'a bit of the journal flipped');
  }

  beforeStart(): void {
    const world = this.#world;
    const draws = world.plan.draws.of(`disk ${world.runCount}`);
    this.#faulty = false;
    if (world.isOn('disk_full') && draws.chance(0.6, 'full')) {
      world.files.fillAfter(draws.between(0, 300_000, 'full after'));
      this.#faulty = true;
      world.simulatedFaults.add('disk_full');
    } else if (world.isOn('fsync_eio') && draws.chance(0.6, 'eio')) {
      let left = draws.between(1, 400, 'eio after');
      world.files.failWith(({ kind }) => {
        if (kind !== 'sync') return undefined;
        left -= 1;
        return left <= 0 ? { code: 'EIO' } : undefined;
      });
      this.#faulty = true;
      world.simulatedFaults.add('fsync_eio');
    }
  }

  /** The journal was accepted. What was flipped must not have been something promised. */
  onOpened(): void {
    if (this.#before === undefined) return;
    this.#before = undefined;
    this.#world.fail('P7', 'a journal with a flipped bit was opened without a word');
  }

  /** No more faults. */
  heal(): void {
    this.#world.files.failWith(() => undefined);
  }
}
