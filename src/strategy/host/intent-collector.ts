import { RemoteError, failureLocation } from './failure-location.js';
import type { StrategyErrorLog } from './strategy-error-log.js';
import type { IntentSink } from '../contract/context.js';
import type { Intent } from '../contract/intent.js';
import type { OrderFactory } from '../target/order-factory.js';
import type { SizeSpec } from '../target/size/size-spec.js';
import type { IntentResolver } from '../target/intent-resolver.js';
import type { MarketInputs } from '../target/intent-sizer.js';
import type { HookTimers } from './hook-timers.js';
import type { StrategyLifecycle } from './strategy-lifecycle.js';
import type { DecisionContext } from './decision-context.js';

/** Most intents of one call: more are an error of the strategy. */
export const MAX_INTENTS = 100;

const OUTSIDE_CALL_ERROR =
  'an intent came outside of any step: operators that need time take `scheduler`';

export interface IntentCollectorParts {
  readonly orderFactory: OrderFactory;
  readonly resolver: IntentResolver;
  readonly symbols: readonly string[];
  readonly lifecycle: StrategyLifecycle;
  readonly decisionContext: DecisionContext;
  readonly timers: HookTimers;
  readonly failures: StrategyErrorLog;
}

/** Collects the intents of a strategy while it is called. */
export class IntentCollector implements IntentSink {
  readonly intents: Intent[] = [];
  /** The strategy is being called: its intents belong to the current event. */
  isAccepting = false;
  readonly #parts: IntentCollectorParts;
  #tooMany: Error | undefined;

  constructor(parts: IntentCollectorParts) {
    this.#parts = parts;
  }

  put(intent: Intent, place?: string): void {
    const { orderFactory, lifecycle, failures } = this.#parts;
    if (!lifecycle.isRunning) return;
    if (!this.isAccepting) {
      orderFactory.refuse(`${String(intent?.kind)}: it came outside of any step`);
      failures.record(OUTSIDE_CALL_ERROR);
      lifecycle.end('failed', OUTSIDE_CALL_ERROR);
    } else if (this.intents.length < MAX_INTENTS) {
      this.intents.push(intent);
      this.#warnUnconfiguredSymbol(intent, place);
    } else this.#tooMany ??= tooMany(place);
  }

  /** @throws RangeError when the finished call had too many intents */
  throwIfTooMany(): void {
    const error = this.#tooMany;
    this.#tooMany = undefined;
    if (error !== undefined) throw error;
  }

  clear(): void {
    this.intents.length = 0;
    this.#tooMany = undefined;
  }

  explain(text: string): void {
    const { lifecycle, orderFactory, decisionContext } = this.#parts;
    if (!lifecycle.isLive) return;
    orderFactory.log('info', text);
    decisionContext.explain(String(text));
  }

  setTimer(symbol: string, at: number, key: string): void {
    checkTimer(at);
    this.#parts.timers.set(symbol, at, key);
  }

  quantityOf(symbol: string, size: SizeSpec, inputs: MarketInputs): number | undefined {
    return this.#parts.resolver.quantityOf(symbol, size, inputs);
  }

  /** The source location is known only here: a later refusal has none. */
  #warnUnconfiguredSymbol(intent: Intent, location: string | undefined): void {
    const { symbols, orderFactory } = this.#parts;
    const symbol = unconfiguredSymbol(intent, symbols);
    if (symbol === undefined) return;
    const place = location ?? failureLocation(new Error('here'));
    if (place === undefined) return;
    orderFactory.log('warn', `${symbol} is not a symbol of this strategy: asked for at ${place}`);
  }
}

function tooMany(place: string | undefined): Error {
  const text = `it asked for more than ${MAX_INTENTS} intents in one call`;
  return place === undefined
    ? new RangeError(text)
    : new RemoteError(`RangeError: ${text} at ${place}`);
}

/** The symbol of an intent that the strategy does not trade, if any. */
export function unconfiguredSymbol(
  intent: unknown,
  symbols: readonly string[],
): string | undefined {
  const symbol = (intent as { readonly symbol?: unknown } | undefined | null)?.symbol;
  return typeof symbol === 'string' && !symbols.includes(symbol) ? symbol : undefined;
}

/** @throws RangeError unless `at` is a venue time */
export function checkTimer(at: number): void {
  if (!Number.isSafeInteger(at)) throw new RangeError(`a timer is set at ${at}, not at whole ms`);
}
