import { tap, type Observable } from 'rxjs';
import type { Candle } from '../../core/candle.js';
import {
  isStreamForm,
  type CallbackStrategy,
  type StrategyContext,
  type StrategyDefinition,
  type StrategyHooks,
  type StreamSetup,
  type StreamStrategy,
} from '../../strategy/definition.js';
import type { Intent } from '../../strategy/intent.js';
import { nearest } from '../../strategy/loader/suggestion.js';
import { FloodError, type StrategyLog } from './strategy-log.js';

/** The strategy itself, with every call into it and out of it written to the log. */
export const spied = (definition: StrategyDefinition, log: StrategyLog): StrategyDefinition =>
  isStreamForm(definition) ? spiedStream(definition, log) : spiedCallback(definition, log);

const ASKING = ['target', 'targetQuantity', 'enter', 'exit', 'limit', 'cancel', 'protect'] as const;
const HOOKS = [
  ['onStart', 'onCandle', 'onInterval', 'onCandles', 'onRevision', 'onSecond', 'onMarkCandle'],
  ['onFill', 'onOrder', 'onPosition', 'onFunding', 'onTimer', 'onStop'],
].flat();
/** Called when something has closed: what is asked for there belongs to it. */
const ON_CANDLES = ['onCandle', 'onInterval', 'onCandles'];
/** Streams of what comes between the closes of candles. */
const BETWEEN = ['position$', 'ticker$', 'mark$', 'seconds$', 'markCandles$', 'funding$'];
const CANDLE_FIELDS = ['openTime', 'open', 'high', 'low', 'close', 'volume'];

function spiedCallback(definition: CallbackStrategy, log: StrategyLog): CallbackStrategy {
  return {
    ...definition,
    create(setup) {
      const hooks = log.within(() => definition.create(setup));
      checkHookNames(hooks, log);
      return spiedHooks(hooks, log, setup.symbols);
    },
  };
}

/** A hook that is misspelt is never called, and nobody would know. */
function checkHookNames(hooks: StrategyHooks, log: StrategyLog): void {
  for (const name of Object.keys(hooks)) {
    if (!/^on[A-Z]/.test(name) || HOOKS.includes(name)) continue;
    const meant = nearest(name, HOOKS);
    log.find({
      place: log.file,
      message: `${name} is no hook: nothing calls it`,
      hint: meant === undefined ? `the hooks are ${HOOKS.join(', ')}` : `do you mean ${meant}?`,
    });
  }
}

function spiedHooks(
  hooks: StrategyHooks,
  log: StrategyLog,
  symbols: readonly string[],
): StrategyHooks {
  const contexts = new WeakMap<object, object>();
  const changed = Object.entries(hooks).map(([name, hook]: [string, unknown]) => {
    if (typeof hook !== 'function') return [name, hook];
    const call = hook as (...words: unknown[]) => unknown;
    return [
      name,
      (context: StrategyContext, ...rest: unknown[]) => {
        log.at(context.time, ON_CANDLES.includes(name));
        runHook(name, log, () =>
          call.call(hooks, spiedContext(context, log, symbols, contexts), ...rest),
        );
      },
    ];
  });
  return { ...hooks, ...(Object.fromEntries(changed) as StrategyHooks) };
}

function runHook(name: string, log: StrategyLog, run: () => unknown): void {
  try {
    const returned = log.within(run);
    if (!(returned instanceof Promise)) return;
    returned.catch(() => undefined);
    log.find({
      place: log.file,
      message: `${name} is async: it returns a promise`,
      hint: 'hooks are synchronous: what is asked for after an await is refused',
    });
  } catch (error) {
    if (error instanceof FloodError) throw error;
    log.find({
      place: log.place(error),
      message: `${name} throws ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      hint: 'three throws within 10 minutes stop a strategy; its position stays as it is',
    });
    throw error;
  }
}

function spiedContext(
  context: StrategyContext,
  log: StrategyLog,
  symbols: readonly string[],
  known: WeakMap<object, object>,
): StrategyContext {
  const before = known.get(context);
  if (before !== undefined) return before as StrategyContext;
  const spy = new Proxy(context, {
    set: (target, key, value) => Reflect.set(target, key, value, target),
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'candle') return spiedCandle(value as Candle, log);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...words: unknown[]) => unknown;
      if (key === 'of')
        return (symbol: string) =>
          spiedContext(call(symbol) as StrategyContext, log, symbols, known);
      if (key === 'explain') return (text: unknown) => explained(text, log, call);
      if (!(ASKING as readonly unknown[]).includes(key)) return call;
      return (...words: unknown[]) => {
        const { symbol } = context;
        asked(String(key), words, log, { symbol, symbols });
        return call(...words);
      };
    },
  });
  known.set(context, spy);
  return spy;
}

/** The view of a candle has more behind it than the contract shows: the columns, future and all. */
const spiedCandle = (candle: Candle, log: StrategyLog): Candle =>
  new Proxy(candle, {
    get(target, key) {
      if (typeof key === 'string' && !CANDLE_FIELDS.includes(key) && log.inside) {
        log.find({
          message: `reads candle.${key}, which is not part of the contract: it may hold the future`,
          hint: `a candle has ${CANDLE_FIELDS.join(', ')}`,
        });
      }
      return Reflect.get(target, key, target) as unknown;
    },
  });

function explained(text: unknown, log: StrategyLog, call: (text: unknown) => unknown): unknown {
  log.say(`explain ${String(text)}`);
  if (/\bNaN\b|\bundefined\b/.test(String(text))) {
    log.find({
      message: `explains "${String(text)}"`,
      hint: 'an indicator is undefined until it is warm, and arithmetic on that is NaN',
    });
  }
  return call(text);
}

interface Ownership {
  readonly symbol: string;
  readonly symbols: readonly string[];
}

/** Judges what was asked for where it was asked: later the line is gone. */
function asked(
  kind: string,
  words: readonly unknown[],
  log: StrategyLog,
  { symbol, symbols }: Ownership,
): void {
  log.say(`${kind} ${symbol} ${JSON.stringify(words)}`);
  const [first, second] = words;
  const wish = typeof first === 'object' && first !== null ? first : {};
  const named = 'symbol' in wish ? wish.symbol : typeof first === 'string' ? first : second;
  if (typeof named === 'string' && !symbols.includes(named)) {
    log.find({
      message: `${kind} names ${named}, which is not a symbol of this strategy (${symbols.join(', ')})`,
      hint: 'a strategy trades what its configuration gives it: setup.symbols, context.symbol',
    });
  }
  const numbers = [...words, ...Object.values(wish)].filter((each) => typeof each === 'number');
  if (numbers.some((number) => !Number.isFinite(number)) || isLost(kind, words)) {
    log.find({
      message: `${kind} is asked with ${numbers.find((each) => !Number.isFinite(each)) ?? 'undefined'}`,
      hint: 'an indicator is undefined until it is warm, and arithmetic on that is NaN: return first',
    });
  }
}

/** `target(undefined)`: types do not hold in plain JavaScript. */
const isLost = (kind: string, words: readonly unknown[]): boolean =>
  kind.startsWith('target') && words.every((word) => typeof word !== 'number');

function spiedStream(definition: StreamStrategy, log: StrategyLog): StreamStrategy {
  return {
    ...definition,
    intents(setup) {
      const intent$ = log.within(() => definition.intents(spiedSetup(setup, log)));
      return intent$.pipe(
        tap({
          error: (error: unknown) => {
            if (error instanceof FloodError) return;
            log.find({
              place: log.place(error),
              message: `its stream ends with ${String(error)}`,
              hint: 'an error ends a stream for good, and the strategy with it',
            });
          },
          complete: () => {
            log.find({
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

function spiedSetup<T>(setup: StreamSetup<T>, log: StrategyLog): StreamSetup<T> {
  return new Proxy(setup, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'fills$' || key === 'orders$' || key === 'wallet$')
        return between(value, log, () => setup.scheduler.now());
      if (typeof value !== 'function' || typeof key !== 'string') return value;
      const call = value.bind(target) as (...words: unknown[]) => unknown;
      if (key === 'candles$')
        return (...words: unknown[]) =>
          spiedCandles(call(...words), log, () => setup.scheduler.now());
      if (BETWEEN.includes(key))
        return (...words: unknown[]) => between(call(...words), log, () => setup.scheduler.now());
      if (key === 'explain') return (text: unknown) => explained(text, log, call);
      if (!(ASKING as readonly string[]).includes(key)) return call;
      return (...words: unknown[]) => {
        const { symbols } = setup;
        if (key === 'cancel') log.say(`cancel ${JSON.stringify(words)}`);
        else asked(key, [...words.slice(1), words[0]], log, { symbol: String(words[0]), symbols });
        return call(...words) as Intent;
      };
    },
  });
}

const spiedCandles = (candle$: unknown, log: StrategyLog, now: () => number): Observable<Candle> =>
  (candle$ as Observable<Candle>).pipe(
    tap(() => {
      log.beat();
      log.at(now(), true);
    }),
  );

/** What comes between the closes of candles. */
const between = (source$: unknown, log: StrategyLog, now: () => number): Observable<unknown> =>
  (source$ as Observable<unknown>).pipe(
    tap(() => {
      log.at(now(), false);
    }),
  );
