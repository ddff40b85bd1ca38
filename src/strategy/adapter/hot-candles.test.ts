import fc from 'fast-check';
import { Subject, take, type Observable, type Subscription } from 'rxjs';
import { expect, it } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { HotCandles } from './hot-candles.js';

const candleOf = (openTime: number): Candle => ({
  ...{ openTime, open: 1, high: 1, low: 1, close: 1, volume: 0 },
});

type Action =
  | { readonly kind: 'next' }
  | { readonly kind: 'subscribe'; readonly values: number }
  | { readonly kind: 'unsubscribe'; readonly which: number }
  /** At the next candle that the subscriber sees. */
  | {
      readonly kind: 'react';
      readonly which: number;
      readonly reaction: 'subscribe' | 'unsubscribe';
    };

/** The log of each subscriber: what it saw, in the order of all. */
function play(
  actions: readonly Action[],
  candles$: Observable<Candle>,
  next: (candle: Candle) => void,
): readonly string[] {
  const log: string[] = [];
  const subscriptions: Subscription[] = [];
  const reactions = new Map<number, 'subscribe' | 'unsubscribe'>();
  const subscribe = (values: number): void => {
    const id = subscriptions.length;
    subscriptions.push(
      candles$.pipe(take(values)).subscribe({
        next: ({ openTime }) => {
          log.push(`${id}: ${openTime}`);
          const reaction = reactions.get(id);
          reactions.delete(id);
          if (reaction === 'subscribe') subscribe(2);
          else if (reaction === 'unsubscribe')
            subscriptions.at((id + 1) % subscriptions.length)?.unsubscribe();
        },
        complete: () => log.push(`${id} ends`),
      }),
    );
  };
  actions.forEach((action, time) => {
    if (action.kind === 'next') next(candleOf(time));
    else if (action.kind === 'subscribe') subscribe(action.values);
    else if (action.kind === 'unsubscribe') subscriptions[action.which]?.unsubscribe();
    else reactions.set(action.which, action.reaction);
  });
  return log;
}

it('subscribers see the candles that those of a Subject see, in its order', () => {
  const which = fc.nat({ max: 5 });
  const action: fc.Arbitrary<Action> = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ kind: 'next' as const }) },
    fc.record({ kind: fc.constant('subscribe' as const), values: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('unsubscribe' as const), which }),
    fc.record({
      kind: fc.constant('react' as const),
      which,
      reaction: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
    }),
  );
  let seen = 0;
  fc.assert(
    fc.property(fc.array(action, { minLength: 20, maxLength: 80 }), (actions) => {
      const subject = new Subject<Candle>();
      const source = new HotCandles();
      const expected = play(actions, subject.asObservable(), (candle) => {
        subject.next(candle);
      });
      const log = play(actions, source.candles$, (candle) => {
        source.next(candle);
      });
      expect(log).toEqual(expected);
      expect(source.isObserved).toBe(subject.observed);
      seen += log.length;
    }),
    { numRuns: 500 },
  );
  expect(seen).toBeGreaterThan(1_000);
});
