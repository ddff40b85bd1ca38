import { assert } from '../core/assert.js';

interface SymbolLock {
  /** A request that changes something is in flight. */
  inFlight: boolean;
  /** The operation that excludes others until its outcome is proved. */
  owner: object | undefined;
  waiting: { readonly requester: object; readonly exclusive: boolean; readonly run: () => void }[];
}

/**
 * One change in flight per symbol and currency: the venue's own lock refuses a second one, and the
 * order in which two would land is not known. Cancels and reductions take no lock. An operation
 * whose proof is a difference of two readings (margin) reserves the lock until it is proved;
 * protective orders pass a reservation, entries wait.
 */
export class SymbolLocks {
  readonly #locks = new Map<string, SymbolLock>();

  /**
   * @param exclusive whether a reservation by another owner refuses it too
   * @returns whether the request may leave
   */
  tryStartRequest(name: string, requester: object, exclusive: boolean): boolean {
    const lock = this.#symbolLock(name);
    if (!isFree(lock, requester, exclusive)) return false;
    lock.inFlight = true;
    return true;
  }

  /** Call it at every reply, also after a failure. */
  finishRequest(name: string): void {
    const lock = this.#symbolLock(name);
    assert(lock.inFlight, 'A finished request had started');
    lock.inFlight = false;
    this.#wake(lock);
  }

  /** Runs `run` once the lock is free; `run` must try again, since another may be first. */
  whenFree(name: string, requester: object, exclusive: boolean, run: () => void): void {
    const lock = this.#symbolLock(name);
    lock.waiting.push({ requester, exclusive, run });
    this.#wake(lock);
  }

  /** @returns false where another owner has reserved it */
  tryReserve(name: string, owner: object): boolean {
    const lock = this.#symbolLock(name);
    if (lock.owner !== undefined && lock.owner !== owner) return false;
    lock.owner = owner;
    return true;
  }

  release(name: string, owner: object): void {
    const lock = this.#symbolLock(name);
    if (lock.owner !== owner) return;
    lock.owner = undefined;
    this.#wake(lock);
  }

  isReserved(name: string): boolean {
    return this.#locks.get(name)?.owner !== undefined;
  }

  /** A woken requester no longer needs the lock: the next one is woken. */
  wakeNext(name: string): void {
    this.#wake(this.#symbolLock(name));
  }

  /**
   * A woken requester asks for a permit of the rate limit. All protective requests are woken, but
   * only the first exclusive one: a permit that finds the lock taken is wasted.
   */
  #wake(lock: SymbolLock): void {
    if (lock.waiting.length === 0) return;
    const free = lock.waiting.filter(({ requester, exclusive }) =>
      isFree(lock, requester, exclusive),
    );
    const first = free.find(({ exclusive }) => exclusive);
    const woken = free.filter((each) => !each.exclusive || each === first);
    if (woken.length === 0) return;
    lock.waiting = lock.waiting.filter((each) => !woken.includes(each));
    for (const { run } of woken) run();
  }

  #symbolLock(name: string): SymbolLock {
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      this.#locks.set(name, (lock = { inFlight: false, owner: undefined, waiting: [] }));
    }
    return lock;
  }
}

/** A reservation by another owner refuses exclusive requests only. */
const isFree = ({ inFlight, owner }: SymbolLock, requester: object, exclusive: boolean): boolean =>
  !inFlight && (!exclusive || owner === undefined || owner === requester);
