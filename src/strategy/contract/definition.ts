import type { Observable } from 'rxjs';
import type { z } from 'zod';
import type { Interval } from '../../core/interval.js';
import type { CallbackSetup, StrategyHooks, WarmUp } from './hooks.js';
import type { Intent } from './intent.js';
import type { StreamSetup } from './stream-setup.js';

/**
 * Market data beside candles and tickers. A strategy gets those that its definition names:
 * - `seconds`: one-second candles of trades, about one a second while there are trades. Only `close`
 *   is certain to be of that second: a venue was seen to send the running minute
 * - `mark-seconds`: one-second candles of mark prices, for the seconds in which they changed
 * - `mark`: closed one-minute candles of mark prices
 * - `funding`: the rate of the next settlement, when it is first known and when it is read again
 *
 * Each arrives once and in order of open time; a late or repeated one is dropped. Gaps are normal and are
 * not filled: the next second carries the same information. `sluice backtest` has `funding` alone, with
 * `--funding`, and refuses a strategy that names another.
 */
export type MarketStream = 'seconds' | 'mark' | 'mark-seconds' | 'funding';
export const MARKET_STREAMS: readonly MarketStream[] = [
  'seconds',
  'mark',
  'mark-seconds',
  'funding',
];

/**
 * Durable state of one instance: a plain object of JSON values. It is journaled together with the
 * decision of the same event, so that after a crash it is exactly as the decision left it.
 */
export interface StateDefinition<State> {
  /** A whole number from 1. Raise it when the shape changes. */
  readonly version: number;
  /** The state of an instance without persisted state: a plain object of JSON values. */
  initial(): State;
  /**
   * Checks the persisted state, after `migrate`. State that does not fit fails the strategy before it
   * starts; `on_error` then governs its position. Default: no check.
   */
  readonly schema?: z.ZodType<State>;
  /**
   * Converts state that version `from` persisted into state of this version. Where it throws, or where
   * it is absent and the versions differ, the strategy fails before it starts.
   */
  migrate?(old: unknown, from: number): State;
}

/** Intervals that depend on parameters. Written as a method, so that its parameter type is bivariant. */
export type IntervalsOf<Params> = {
  /** Given the checked parameters. */
  of(params: Params): readonly Interval[];
}['of'];

/** The part common to both forms. */
export interface StrategyDefinitionBase<Schema extends z.ZodType, State> {
  /** Kebab-case; the name of a shipped strategy in `--strategy` and `use:`. Refused: an empty one. */
  readonly name: string;
  /** One line for lists. */
  readonly description?: string;
  /**
   * A zod schema; anything else is refused when the file is loaded. A value that does not fit and a name
   * that is not in the schema are errors with their line in the configuration. Give every parameter a
   * default.
   */
  readonly params: Schema;
  /**
   * Intervals beside the configured one, for `candles`, `onInterval` and `candles$`; those of fed
   * indicators need no mention here. Default: none. Refused at the start: an interval that cannot be made
   * of one-minute candles, `1s` among them.
   */
  readonly intervals?: readonly Interval[] | IntervalsOf<z.output<Schema>>;
  /** Durable state. Default: none. */
  readonly state?: StateDefinition<State>;
  /**
   * Market data beside candles and tickers, subscribed only for strategies that name it. Default: none.
   * Refused when the file is loaded: any other name.
   */
  readonly streams?: readonly MarketStream[];
}

/** The callback form. */
export interface CallbackStrategy<
  Schema extends z.ZodType = z.ZodType,
  State = unknown,
> extends StrategyDefinitionBase<Schema, State> {
  /**
   * `symbol` (default): `create` is called once per configured symbol, so that indicators never mix
   * two markets. `all`: one instance handles every symbol (`context.symbol` is the one of the call).
   */
  readonly scope?: 'symbol' | 'all';
  /**
   * Creates one instance: keep all state in it. A throw keeps the bot from starting, or from reloading. A
   * definition has either `create` or `intents`: one with both, or neither, is refused.
   */
  create(setup: CallbackSetup<z.output<Schema>, State>): StrategyHooks<State>;
}

/** The stream form: one instance for all symbols. */
export interface StreamStrategy<
  Schema extends z.ZodType = z.ZodType,
  State = unknown,
> extends StrategyDefinitionBase<Schema, State> {
  /** Closed candles to handle before acting, as `StrategyHooks.warmup`; default 0. */
  warmup?(params: z.output<Schema>): number | WarmUp;
  /** Creates the stream of intents, subscribed to once. A throw or a completion stops the strategy. */
  intents(setup: StreamSetup<z.output<Schema>, State>): Observable<Intent>;
}

/** A strategy of either form. */
export type StrategyDefinition<Schema extends z.ZodType = z.ZodType> =
  CallbackStrategy<Schema> | StreamStrategy<Schema>;

/** Gives a strategy in the callback form its types; returns it as it is. */
export function defineStrategy<Schema extends z.ZodType, State = unknown>(
  definition: CallbackStrategy<Schema, State>,
): CallbackStrategy<Schema, State>;
/** Gives a strategy in the stream form its types; returns it as it is. */
export function defineStrategy<Schema extends z.ZodType, State = unknown>(
  definition: StreamStrategy<Schema, State>,
): StreamStrategy<Schema, State>;
export function defineStrategy(definition: StrategyDefinition): StrategyDefinition {
  return definition;
}

export const isStreamStrategy = (definition: StrategyDefinition): definition is StreamStrategy =>
  'intents' in definition;
