import { failureText } from './failure-place.js';
import type { OrderDesk } from '../order-desk.js';

/** Hazard M1: so many throws within so many venue ms stop a strategy. */
const MAX_THROWS = 3;
const THROWS_WITHIN_MS = 10 * 60_000;

/** What a strategy threw: told with its place, and counted. */
export class Failures {
  readonly #desk: OrderDesk;
  readonly #at: number[] = [];

  constructor(desk: OrderDesk) {
    this.#desk = desk;
  }

  /** @returns why it must end, if it must */
  threw(hook: string, error: unknown): string | undefined {
    this.report(hook, error);
    const now = this.#desk.world.venueTime;
    this.#at.push(now);
    if (this.#at.length > MAX_THROWS) this.#at.shift();
    const [first = now] = this.#at;
    const often = this.#at.length === MAX_THROWS && now - first <= THROWS_WITHIN_MS;
    return often ? `it threw ${MAX_THROWS} times within 10 minutes` : undefined;
  }

  report(hook: string, error: unknown): void {
    this.#desk.counts.errors++;
    this.#desk.say('error', `${hook} threw ${failureText(error)}`);
  }
}
