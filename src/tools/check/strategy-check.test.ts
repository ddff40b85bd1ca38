import { filter, map, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { loadStrategy } from '../../strategy/loader/loader.js';
import {
  defineStrategy,
  z,
  type StrategyContext,
  type StrategyHooks,
} from '../../strategy/index.js';
import type { StrategyDefinition } from '../../strategy/contract/definition.js';
import { checkStrategy } from './strategy-check.js';
import { stressCandles } from './stress-candles.js';

const check = (definition: StrategyDefinition, symbols: readonly string[] = ['BTCUSDT']) =>
  checkStrategy({ definition, file: '/here/own.ts', params: {}, symbols, interval: '1m' });

const acting = (act: (context: StrategyContext) => void): StrategyDefinition =>
  defineStrategy({ name: 'acting', params: z.object({}), create: () => ({ onCandle: act }) });

const here = (line: RegExp): unknown => expect.stringMatching(line);
const HERE = here(/strategy-check\.test\.ts:\d+$/);

describe('checkStrategy', () => {
  it.each(['sma-cross', 'donchian-breakout'])(
    'the check finds nothing wrong with %s',
    async (name) => {
      const result = check(await loadStrategy(name, { configDir: '.' }));
      expect(result.findings).toEqual([]);
      expect(result.intents).toBeGreaterThan(5);
      expect(result.fills).toBeGreaterThan(5);
    },
  );

  it('the check finds a throw, with its line and count', () => {
    const { findings } = check(
      acting((context) => {
        if (context.candle.volume === 0) throw new RangeError('no volume');
      }),
    );
    expect(findings).toEqual([
      {
        place: HERE,
        message: here(/^onCandle throws RangeError: no volume \(3 times\)$/),
        hint: here(/three throws/),
      },
    ]);
  });

  it('the check finds NaN in an intent', () => {
    const { findings } = check(acting((context) => context.target(Number(undefined))));
    expect(findings[0]).toMatchObject({ place: HERE, message: here(/^target is called with NaN/) });
  });

  it('the check finds a target that is a text, by its value', () => {
    const { findings } = check(acting((context) => context.target('1' as unknown as number)));
    expect(findings[0]).toMatchObject({
      place: HERE,
      message: here(/^target is called with the text "1"/),
      hint: here(/takes a number/),
    });
    expect(findings.filter(({ message }) => /names 1/.test(message))).toEqual([]);
  });

  it('the check finds NaN in an explanation', () => {
    const { findings } = check(acting((context) => context.explain(`mean is ${Number.NaN}`)));
    expect(findings[0]).toMatchObject({ place: HERE, message: here(/explains "mean is NaN"/) });
  });

  it('the check finds a symbol that is not configured', () => {
    const { findings } = check(
      acting((context) => {
        if (context.candle.volume === 0) context.target(1, 'ETHUSDT');
      }),
    );
    expect(findings[0]).toMatchObject({
      place: HERE,
      message: here(/^target names ETHUSDT, which is not a symbol of this strategy \(BTCUSDT\)/),
    });
  });

  it('the check covers seconds, mark prices and funding for strategies that use them', () => {
    const heard = new Map<string, number>();
    const hear = (what: string) => () => void heard.set(what, (heard.get(what) ?? 0) + 1);
    const listening = (hooks: Partial<StrategyHooks>): StrategyDefinition =>
      defineStrategy({
        name: 'listening',
        params: z.object({}),
        streams: ['seconds', 'mark-seconds', 'mark', 'funding'],
        create: () => ({ onSecond() {}, onMarkCandle() {}, onFunding() {}, ...hooks }),
      });
    const quiet = check(
      listening({
        onSecond: (_, { price }) => hear(price)(),
        onMarkCandle: hear('mark candle'),
        onFunding: hear('funding'),
      }),
    );
    expect(quiet.findings).toEqual([]);
    expect(
      Math.min(...['last', 'mark', 'mark candle', 'funding'].map((each) => heard.get(each) ?? 0)),
    ).toBeGreaterThan(100);
    const { findings } = check(
      listening({
        onSecond: (_, { price, volume }) => {
          if (price === 'last' && volume === 0) throw new RangeError('no volume');
        },
        onFunding: (context, { rate }) => context.target(1 / rate),
      }),
    );
    expect(findings.map(({ place, message }) => [place, message])).toEqual([
      [HERE, here(/^target is called with Infinity/)],
      [HERE, here(/^onSecond throws RangeError: no volume/)],
    ]);
  });

  it('the check finds NaN in an explanation of a stream strategy', () => {
    const { findings } = check(
      defineStrategy({
        name: 'streaming',
        params: z.object({}),
        intents: ({ candles$, explain, target, symbols: [symbol = ''] }) =>
          candles$().pipe(
            tap(() => explain(`mean is ${Number.NaN}`)),
            map(() => target(symbol, 1)),
          ),
      }),
    );
    expect(findings[0]).toMatchObject({ place: HERE, message: here(/explains "mean is NaN"/) });
  });

  it('the check finds a flood, and survives it', () => {
    const { findings } = check(
      acting((context) => {
        for (let count = 0; count < 100_000; count += 1) context.target(count % 2);
      }),
    );
    expect(findings[0]).toMatchObject({ place: HERE, message: here(/^a flood: more than 100/) });
  });

  it('the check finds state outside of create, because two runs differ', () => {
    let count = 0;
    const { findings } = check(
      acting((context) => {
        count += 1;
        if (count % 700 === 0) context.target(1);
      }),
    );
    expect(findings).toEqual([
      {
        place: HERE,
        message: here(/^two runs over the same candles differ/),
        hint: here(/create\(\)/),
      },
    ]);
  });

  it('the check finds look-ahead through a candle view', () => {
    const { findings } = check(
      acting((context) => {
        const view = context.candle as unknown as { columns: { close: number[] }; index: number };
        const next = view.columns.close[view.index + 1] ?? 0;
        context.target(next > context.candle.close ? 1 : -1);
      }),
    );
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^reads candle\.columns, which is not part of the contract/),
      expect.stringMatching(/^reads candle\.index/),
      expect.stringMatching(/^looks ahead: target/),
    ]);
    expect(findings.at(-1)?.place).toEqual(HERE);
  });

  it('the check finds an async hook and a misspelt one', () => {
    const hooks = { onCandle: async () => Promise.resolve(), onFil: () => undefined };
    const definition = defineStrategy({
      name: 'odd',
      params: z.object({}),
      create: () => hooks as { onCandle: () => void },
    });
    expect(check(definition).findings.map(({ message, hint }) => [message, hint])).toEqual([
      ['onFil is not a hook: nothing calls it', 'do you mean onFill?'],
      [expect.stringMatching(/^onCandle is async/), expect.stringMatching(/await are refused/)],
    ]);
  });

  it('the check covers stream strategies', () => {
    const definition = defineStrategy({
      name: 'stream',
      params: z.object({}),
      intents: ({ candles$, target }) =>
        candles$().pipe(
          filter(({ volume }) => volume === 0),
          map(() => target('XRPUSDT', Number.NaN)),
        ),
    });
    const messages = check(definition).findings.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^target names XRPUSDT, which is not a symbol/),
      expect.stringMatching(/^target is called with NaN/),
    ]);
  });

  it('the check finds a stream that completes or fails', () => {
    const ending = (end: () => never): StrategyDefinition =>
      defineStrategy({
        name: 'ending',
        params: z.object({}),
        intents: ({ candles$ }) => candles$().pipe(map(() => end())),
      });
    const { findings } = check(
      ending(() => {
        throw new Error('over');
      }),
    );
    expect(findings[0]).toMatchObject({
      place: HERE,
      message: here(/its stream ends with Error: over/),
    });
  });
});

describe('stressCandles', () => {
  it('stress candles are valid, have gaps, repeat, and differ from the altered index on', () => {
    const { BTCUSDT: first = [], ETHUSDT: second = [] } = stressCandles(['BTCUSDT', 'ETHUSDT']);
    expect(first).toHaveLength(2_000);
    expect(second.length).toBeLessThan(first.length);
    for (const { open, high, low, close } of first) {
      expect(low).toBeGreaterThan(0);
      expect(high >= Math.max(open, close) && low <= Math.min(open, close)).toBe(true);
    }
    expect(stressCandles(['BTCUSDT'])['BTCUSDT']).toEqual(first);
    const altered = stressCandles(['BTCUSDT'], 500)['BTCUSDT'] ?? [];
    expect(altered.slice(0, 500)).toEqual(first.slice(0, 500));
    expect(altered[500]?.close).not.toBe(first[500]?.close);
  });
});
