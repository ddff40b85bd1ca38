import { codePlace, failureText, failureWords, type CodePlace } from './failure-place.js';
import type { OrderDesk } from '../order-desk.js';
import type { Step } from './step.js';
import type { StrategyError } from './strategy-error.js';

/** Hazard M1: so many throws within so many venue ms stop a strategy. */
const MAX_THROWS = 3;
const THROWS_WITHIN_MS = 10 * 60_000;
/** Different errors that are kept: one that names a price in its text is new on every candle. */
const MAX_KINDS = 20;

type Noted = { -readonly [Key in keyof StrategyError]: StrategyError[Key] };

/** The errors of a strategy: told with their place, counted, and kept for the report of the run. */
export class Failures {
  readonly #desk: OrderDesk;
  readonly #step: Step;
  readonly #at: number[] = [];
  readonly #kinds: Noted[] = [];

  constructor(desk: OrderDesk, step: Step) {
    this.#desk = desk;
    this.#step = step;
  }

  /** The oldest first. */
  get errors(): readonly StrategyError[] {
    return this.#kinds;
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
    this.note(`${hook} threw ${failureWords(error)}`, codePlace(error));
    this.#desk.say('error', `${hook} threw ${failureText(error)}`);
  }

  /** Counts what is told elsewhere. */
  note(message: string, place?: CodePlace): void {
    this.#desk.counts.errors++;
    const { file = null, line = null } = place ?? {};
    const same = this.#kinds.find(
      (each) => each.message === message && each.file === file && each.line === line,
    );
    if (same !== undefined) same.count += 1;
    else if (this.#kinds.length < MAX_KINDS) this.#kinds.push(this.#noted(message, file, line));
  }

  /** The place of the last error was found out after it had been noted. */
  located({ file, line }: CodePlace): void {
    const last = this.#kinds.at(-1);
    if (last?.file !== null) return;
    last.file = file;
    last.line = line;
  }

  #noted(message: string, file: string | null, line: number | null): Noted {
    const strategy = this.#desk.settings.strategyId;
    const { symbol = null, interval = null, openTime } = this.#step.lastCandle ?? {};
    const candle = openTime === undefined ? null : new Date(openTime).toISOString();
    return { strategy, message, file, line, candle, symbol, interval, count: 1 };
  }
}
