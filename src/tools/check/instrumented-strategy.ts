import { tap, type Observable } from 'rxjs';
import type { Candle } from '../../core/candle.js';
import {
  isStreamStrategy,
  type CallbackStrategy,
  type StrategyDefinition,
  type StreamStrategy,
} from '../../strategy/contract/definition.js';
import type { StrategyContext } from '../../strategy/contract/strategy-context.js';
import type { StrategyHooks } from '../../strategy/contract/hooks.js';
import type { StreamSetup } from '../../strategy/contract/stream-setup.js';
import { shownValue, type Intent } from '../../strategy/contract/intent.js';
import { nearest } from '../../core/suggestion.js';
import { FloodError, type StrategyLog } from './strategy-log.js';

/** Wraps a strategy so that every call into it and every output is recorded in the log. */
export const instrumentStrategy = (
  definition: StrategyDefinition,
  log: StrategyLog,
): StrategyDefinition =>
  isStreamStrategy(definition)
    ? instrumentStream(definition, log)
    : instrumentHooksStrategy(definition, log);

const INTENT_METHODS = [
  'target',
  'targetQuantity',
  'enter',
  'exit',
  'limit',
  'cancel',
  'protect',
] as const;
const HOOKS = [
  ['onStart', 'onCandle', 'onInterval', 'onCandles', 'onRevision', 'onSecond', 'onMarkCandle'],
  ['onFill', 'onOrder', 'onPosition', 'onFunding', 'onTimer', 'onStop'],
].flat();
/** Hooks called on the close of a candle; their outputs belong to that candle. */
const CANDLE_HOOKS = ['onCandle', 'onInterval', 'onCandles'];
/** Streams with events between the closes of candles. */
const INTRABAR_STREAMS = ['position$', 'ticker$', 'mark$', 'seconds$', 'markCandles$', 'funding$'];
const CANDLE_FIELDS = ['openTime', 'open', 'high', 'low', 'close', 'volume'];

function instrumentHooksStrategy(definition: CallbackStrategy, log: StrategyLog): CallbackStrategy {
  return {
    ...definition,
    create(setup) {
      const hooks = log.runInside(() => definition.create(setup));
      checkHookNames(hooks, log);
      return instrumentHooks(hooks, log, setup.symbols);
    },
  };
}

/** Reports a misspelt hook, which would silently never be called. */
function checkHookNames(hooks: StrategyHooks, log: StrategyLog): void {
  for (const name of Object.keys(hooks)) {
    if (!/^on[A-Z]/.test(name) || HOOKS.includes(name)) continue;
    const suggested = nearest(name, HOOKS);
    log.addFinding({
      place: log.file,
      message: `${name} is not a hook: nothing calls it`,
      hint:
        suggested === undefined ? `the hooks are ${HOOKS.join(', ')}` : `do you mean ${suggested}?`,
    });
  }
}

function instrumentHooks(
  hooks: StrategyHooks,
  log: StrategyLog,
  symbols: readonly string[],
): StrategyHooks {
  const contexts = new WeakMap<object, object>();
  const changed = Object.entries(hooks).map(([name, hook]: [string, unknown]) => {
    if (typeof hook !== 'function') return [name, hook];
    const call = hook as (...args: unknown[]) => unknown;
    return [
      name,
      (context: StrategyContext, ...rest: unknown[]) => {
        log.startEvent(context.time, CANDLE_HOOKS.includes(name));
        runHook(name, log, () =>
          call.call(hooks, instrumentContext(context, log, symbols, contexts), ...rest),
        );
      },
    ];
  });
  return { ...hooks, ...(Object.fromEntries(changed) as StrategyHooks) };
}

function runHook(name: string, log: StrategyLog, run: () => unknown): void {
  try {
    const returned = log.runInside(run);
    if (!(returned instanceof Promise)) return;
    returned.catch(() => undefined);
    log.addFinding({
      place: log.file,
      message: `${name} is async: it returns a promise`,
      hint: 'hooks are synchronous: intents after an await are refused',
    });
  } catch (error) {
    if (error instanceof FloodError) throw error;
    log.addFinding({
      place: log.locate(error),
      message: `${name} throws ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      hint: 'three throws within 10 minutes stop a strategy; its position stays as it is',
    });
    throw error;
  }
}

function instrumentContext(
  context: StrategyContext,
  log: StrategyLog,
  symbols: readonly string[],
  instrumented: WeakMap<object, object>,
): StrategyContext {
  const existing = instrumented.get(context);
  if (existing !== undefined) return existing as StrategyContext;
  const proxy = new Proxy(context, {
    set: (target, key, value) => Reflect.set(target, key, value, target),
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'candle') return instrumentCandle(value as Candle, log);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      if (key === 'of')
        return (symbol: string) =>
          instrumentContext(call(symbol) as StrategyContext, log, symbols, instrumented);
      if (key === 'explain') return (text: unknown) => checkExplanation(text, log, call);
      if (!(INTENT_METHODS as readonly unknown[]).includes(key)) return call;
      return (...args: unknown[]) => {
        const { symbol } = context;
        checkIntent(String(key), args, log, { symbol, symbols });
        return call(...args);
      };
    },
  });
  instrumented.set(context, proxy);
  return proxy;
}

/** A candle view holds more than its contract: the columns, which include the future. */
const instrumentCandle = (candle: Candle, log: StrategyLog): Candle =>
  new Proxy(candle, {
    get(target, key) {
      if (typeof key === 'string' && !CANDLE_FIELDS.includes(key) && log.isInsideStrategy) {
        log.addFinding({
          message: `reads candle.${key}, which is not part of the contract: it may hold the future`,
          hint: `a candle has ${CANDLE_FIELDS.join(', ')}`,
        });
      }
      return Reflect.get(target, key, target) as unknown;
    },
  });

function checkExplanation(
  text: unknown,
  log: StrategyLog,
  call: (text: unknown) => unknown,
): unknown {
  log.record(`explain ${String(text)}`);
  if (/\bNaN\b|\bundefined\b/.test(String(text))) {
    log.addFinding({
      message: `explains "${String(text)}"`,
      hint: 'an indicator is undefined until it is warm, and arithmetic on that is NaN',
    });
  }
  return call(text);
}

interface IntentScope {
  readonly symbol: string;
  readonly symbols: readonly string[];
}

/** Checks an intent when it is sent, because the line is on the stack only then. */
function checkIntent(
  kind: string,
  args: readonly unknown[],
  log: StrategyLog,
  { symbol, symbols }: IntentScope,
): void {
  log.record(`${kind} ${symbol} ${JSON.stringify(args)}`);
  const [first, second] = args;
  const request = typeof first === 'object' && first !== null ? first : {};
  const namedSymbol = 'symbol' in request ? request.symbol : kind === 'exit' ? first : second;
  if (typeof namedSymbol === 'string' && !symbols.includes(namedSymbol)) {
    log.addFinding({
      message: `${kind} names ${namedSymbol}, which is not a symbol of this strategy (${symbols.join(', ')})`,
      hint: 'a strategy may trade its configured symbols only: setup.symbols, context.symbol',
    });
  }
  // Plain JavaScript can call `target(undefined)`.
  const hasNoNumber = kind.startsWith('target') && typeof first !== 'number';
  const notFinite = [first, ...Object.values(request)].find(
    (each) => typeof each === 'number' && !Number.isFinite(each),
  );
  if (hasNoNumber || notFinite !== undefined) {
    log.addFinding({
      message: `${kind} is called with ${shownValue(hasNoNumber ? first : notFinite)}`,
      hint:
        hasNoNumber && first !== undefined
          ? 'it takes a number: Number(text) makes one of a text'
          : 'an indicator is undefined until it is warm, and arithmetic on that is NaN: return first',
    });
  }
}

function instrumentStream(definition: StreamStrategy, log: StrategyLog): StreamStrategy {
  return {
    ...definition,
    intents(setup) {
      const intent$ = log.runInside(() => definition.intents(instrumentSetup(setup, log)));
      return intent$.pipe(
        tap({
          error: (error: unknown) => {
            if (error instanceof FloodError) return;
            log.addFinding({
              place: log.locate(error),
              message: `its stream ends with ${String(error)}`,
              hint: 'an error ends a stream, and the strategy with it',
            });
          },
          complete: () => {
            log.addFinding({
              place: log.file,
              message: 'its stream of intents completes',
              hint: 'a strategy whose stream completes is stopped: take, first and finite sources do that',
            });
          },
        }),
      );
    },
  };
}

function instrumentSetup<T>(setup: StreamSetup<T>, log: StrategyLog): StreamSetup<T> {
  return new Proxy(setup, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'fills$' || key === 'orders$' || key === 'wallet$')
        return tapIntrabar(value, log, () => setup.scheduler.now());
      if (typeof value !== 'function' || typeof key !== 'string') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      if (key === 'candles$')
        return (...args: unknown[]) =>
          instrumentCandles(call(...args), log, () => setup.scheduler.now());
      if (INTRABAR_STREAMS.includes(key))
        return (...args: unknown[]) => tapIntrabar(call(...args), log, () => setup.scheduler.now());
      if (key === 'explain') return (text: unknown) => checkExplanation(text, log, call);
      if (!(INTENT_METHODS as readonly string[]).includes(key)) return call;
      return (...args: unknown[]) => {
        const { symbols } = setup;
        if (key === 'cancel') log.record(`cancel ${JSON.stringify(args)}`);
        else
          checkIntent(key, [...args.slice(1), args[0]], log, { symbol: String(args[0]), symbols });
        return call(...args) as Intent;
      };
    },
  });
}

const instrumentCandles = (
  candle$: unknown,
  log: StrategyLog,
  now: () => number,
): Observable<Candle> =>
  (candle$ as Observable<Candle>).pipe(
    tap(() => {
      log.beat();
      log.startEvent(now(), true);
    }),
  );

/** Starts an event for each value between the closes of candles. */
const tapIntrabar = (source$: unknown, log: StrategyLog, now: () => number): Observable<unknown> =>
  (source$ as Observable<unknown>).pipe(
    tap(() => {
      log.startEvent(now(), false);
    }),
  );
