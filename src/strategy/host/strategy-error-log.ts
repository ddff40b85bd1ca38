import {
  sourceLocationOf,
  failureText,
  failureMessage,
  type SourceLocation,
} from './failure-location.js';
import type { OrderFactory } from '../target/order-factory.js';
import type { DecisionContext } from './decision-context.js';
import type { StrategyError } from './strategy-error.js';

/** Throws within `THROWS_WITHIN_MS` of venue time that stop a strategy. */
const MAX_THROWS = 3;
const THROWS_WITHIN_MS = 10 * 60_000;
/** Most different errors: one with a price in its text is new on every candle. */
const MAX_KINDS = 20;

type MutableStrategyError = { -readonly [Key in keyof StrategyError]: StrategyError[Key] };

/** Errors of a strategy: logged with their location, counted, and collected for the report of the run. */
export class StrategyErrorLog {
  readonly #orderFactory: OrderFactory;
  readonly #decisionContext: DecisionContext;
  readonly #throwTimes: number[] = [];
  readonly #entries: MutableStrategyError[] = [];

  constructor(orderFactory: OrderFactory, decisionContext: DecisionContext) {
    this.#orderFactory = orderFactory;
    this.#decisionContext = decisionContext;
  }

  /** The oldest first. */
  get errors(): readonly StrategyError[] {
    return this.#entries;
  }

  /** @returns the reason why the strategy must end, if it must */
  onError(hook: string, error: unknown): string | undefined {
    this.report(hook, error);
    const now = this.#orderFactory.port.venueTime;
    this.#throwTimes.push(now);
    if (this.#throwTimes.length > MAX_THROWS) this.#throwTimes.shift();
    const [first = now] = this.#throwTimes;
    const tooOften = this.#throwTimes.length === MAX_THROWS && now - first <= THROWS_WITHIN_MS;
    return tooOften ? `it threw ${MAX_THROWS} times within 10 minutes` : undefined;
  }

  report(hook: string, error: unknown): void {
    this.record(`${hook} threw ${failureMessage(error)}`, sourceLocationOf(error));
    this.#orderFactory.log('error', `${hook} threw ${failureText(error)}`);
  }

  /** Counts an error that is logged elsewhere. */
  record(message: string, place?: SourceLocation): void {
    this.#orderFactory.counts.errors++;
    const { file = null, line = null } = place ?? {};
    const same = this.#entries.find(
      (each) => each.message === message && each.file === file && each.line === line,
    );
    if (same !== undefined) same.count += 1;
    else if (this.#entries.length < MAX_KINDS)
      this.#entries.push(this.#newEntry(message, file, line));
  }

  /** Adds the location of the last error, found afterwards. */
  setLocation({ file, line }: SourceLocation): void {
    const last = this.#entries.at(-1);
    if (last?.file !== null) return;
    last.file = file;
    last.line = line;
  }

  #newEntry(message: string, file: string | null, line: number | null): MutableStrategyError {
    const strategy = this.#orderFactory.settings.strategyId;
    const { symbol = null, interval = null, openTime } = this.#decisionContext.lastCandle ?? {};
    const candle = openTime === undefined ? null : new Date(openTime).toISOString();
    return { strategy, message, file, line, candle, symbol, interval, count: 1 };
  }
}
