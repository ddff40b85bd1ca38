import type { Writable } from '../../core/table/writable.js';
import {
  sourceLocationOf,
  failureText,
  failureMessage,
  type SourceLocation,
} from './failure-location.js';
import type { OrderFactory } from '../target/order-factory.js';
import type { DecisionContext } from './decision-context.js';
import type { StrategyError } from './strategy-error.js';

/** Throws, or faulty intents, within `ERRORS_WITHIN_MS` of venue time that stop a strategy. */
const MAX_ERRORS = 3;
const ERRORS_WITHIN_MS = 10 * 60_000;
/** Most different errors: one with a price in its text is new on every candle. */
const MAX_KINDS = 20;

/** Errors of a strategy: logged with their location, counted, and collected for the report of the run. */
export class StrategyErrorLog {
  readonly #orderFactory: OrderFactory;
  readonly #decisionContext: DecisionContext;
  readonly #throwTimes: number[] = [];
  readonly #faultTimes: number[] = [];
  readonly #entries: Writable<StrategyError>[] = [];

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
    if (!this.#isTooOften(this.#throwTimes)) return undefined;
    return `it threw ${MAX_ERRORS} times within 10 minutes`;
  }

  /**
   * An intent that no strategy may have: a number that is none, or another strategy's symbol. It has been
   * refused and logged. @returns the reason why the strategy must end, if it must
   */
  onFaultyIntent(text: string): string | undefined {
    if (!this.#isTooOften(this.#faultTimes)) return undefined;
    const why = `it had ${MAX_ERRORS} faulty intents within 10 minutes, the last: ${text}`;
    this.record(why);
    return why;
  }

  #isTooOften(times: number[]): boolean {
    const now = this.#orderFactory.port.venueTime;
    times.push(now);
    if (times.length > MAX_ERRORS) times.shift();
    const [first = now] = times;
    return times.length === MAX_ERRORS && now - first <= ERRORS_WITHIN_MS;
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

  #newEntry(message: string, file: string | null, line: number | null): Writable<StrategyError> {
    const strategy = this.#orderFactory.settings.strategyId;
    const { symbol = null, interval = null, openTime } = this.#decisionContext.lastCandle ?? {};
    const candle = openTime === undefined ? null : new Date(openTime).toISOString();
    return { strategy, message, file, line, candle, symbol, interval, count: 1 };
  }
}
