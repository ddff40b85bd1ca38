import { assert } from '../core/assert.js';

interface Lane {
  /** A change is on the wire. */
  busy: boolean;
  /** Who must not be disturbed until its outcome is proved. */
  holder: object | undefined;
  waiting: { readonly who: object; readonly calm: boolean; readonly run: () => void }[];
}

/**
 * One change on the wire per symbol and currency, because the venue's lock refuses the second and
 * because the order in which two land is nobody's to know. Cancels and reductions do not ask: they
 * overtake. An operation whose proof is a difference (margin, leverage) holds the lane until it is
 * proved; what protects passes that, what opens does not.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** @param calm whether it must wait for a holder too @returns whether the wire is now its own */
  enter(name: string, who: object, calm: boolean): boolean {
    const lane = this.#lane(name);
    if (!isFree(lane, who, calm)) return false;
    lane.busy = true;
    return true;
  }

  /** The answer is there, whatever it says. */
  leave(name: string): void {
    const lane = this.#lane(name);
    assert(lane.busy, 'Who leaves a lane has entered it');
    lane.busy = false;
    this.#wake(lane);
  }

  /** Runs once when it could enter; then it asks again. */
  whenFree(name: string, who: object, calm: boolean, run: () => void): void {
    const lane = this.#lane(name);
    lane.waiting.push({ who, calm, run });
    this.#wake(lane);
  }

  /** @returns false where another one holds it */
  hold(name: string, who: object): boolean {
    const lane = this.#lane(name);
    if (lane.holder !== undefined && lane.holder !== who) return false;
    lane.holder = who;
    return true;
  }

  release(name: string, who: object): void {
    const lane = this.#lane(name);
    if (lane.holder !== who) return;
    lane.holder = undefined;
    this.#wake(lane);
  }

  isHeld(name: string): boolean {
    return this.#lanes.get(name)?.holder !== undefined;
  }

  /** Who was woken will not enter after all: the next one may. */
  pass(name: string): void {
    this.#wake(this.#lane(name));
  }

  /**
   * Who could enter asks for a place in the rate budget: what protects at once, and of what must be
   * calm the first alone, since each grant that finds the lane taken is lost to everybody.
   */
  #wake(lane: Lane): void {
    const free = lane.waiting.filter(({ who, calm }) => isFree(lane, who, calm));
    const first = free.find(({ calm }) => calm);
    const woken = free.filter((each) => !each.calm || each === first);
    if (woken.length === 0) return;
    lane.waiting = lane.waiting.filter((each) => !woken.includes(each));
    for (const { run } of woken) run();
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      this.#lanes.set(name, (lane = { busy: false, holder: undefined, waiting: [] }));
    }
    return lane;
  }
}

const isFree = ({ busy, holder }: Lane, who: object, calm: boolean): boolean =>
  !busy && (!calm || holder === undefined || holder === who);
