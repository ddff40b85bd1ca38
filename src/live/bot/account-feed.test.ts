import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EngineEventBody } from '../../core/events.js';
import type { Mode } from '../../risk/mode.js';
import type { AccountMessage, AccountSubscription } from '../../venue/venue.js';
import { ZERO, type Amount } from '../../core/fixed/fixed.js';
import { AccountFeed } from './account-feed.js';

/** A feed of an account whose messages the test sends. Its check refuses every wallet. */
function setUp() {
  const engine: { currency: 'USDT'; mode: Mode } = { currency: 'USDT', mode: 'STARTING' };
  const message$ = new Subject<AccountMessage>();
  const subscriptions: AccountSubscription[] = [];
  const pushed: EngineEventBody[] = [];
  const polled: AccountMessage[] = [];
  const failures: unknown[] = [];
  const availability: AccountMessage[] = [];
  const account = new AccountFeed({
    engine,
    venue: {
      account$: (subscription) => {
        subscriptions.push(subscription);
        return message$;
      },
    },
    pollMs: 2_000,
    clock: { monotonicMs: () => 700 },
    loop: {
      push: (event) => void pushed.push(event),
      fail: (error) => void failures.push(error),
    },
    availability: { onPolled: (message) => void availability.push(message) },
    keyMonitor: { onPolled: (message) => void polled.push(message) },
    checkAccount: ({ kind }) => {
      if (kind === 'wallet') throw new Error('the account cannot trade this');
    },
  });
  const subscription = account.subscribe();
  const [requested] = subscriptions;
  if (requested === undefined) throw new Error('The feed has not subscribed');
  return {
    account,
    engine,
    message$,
    requested,
    pushed,
    polled,
    availability,
    failures,
    subscription,
  };
}

describe('AccountFeed', () => {
  it('the feed polls its own currency in each round and the other currency every 30 s', () => {
    const { requested } = setUp();
    expect(requested).toMatchObject({
      currencies: ['USDT'],
      everyMs: 2_000,
      infrequent: { currencies: ['INR'], everyMs: 30_000 },
    });
  });

  it.each<[Mode, boolean]>([
    ['STARTING', true],
    ['RECONCILING', true],
    ['TRADING', false],
    ['REDUCE_ONLY', false],
    ['CANCEL_ONLY', false],
    ['HALTED', false],
  ])('in mode %s the polls are awaited: %s', (mode, isAwaited) => {
    const { engine, requested } = setUp();
    engine.mode = mode;
    expect(requested.isAwaited?.()).toBe(isAwaited);
  });

  it('the feed pushes each snapshot, and reports each poll to the monitors alone', () => {
    const { message$, pushed, polled, availability } = setUp();
    const snapshot = { kind: 'positions', currency: 'USDT', startedAt: 0, positions: [] } as const;
    const answer: AccountMessage = { kind: 'snapshot', snapshot };
    const failure: AccountMessage = {
      kind: 'poll-failed',
      what: 'read-wallet',
      cause: 'no answer',
    };
    message$.next(answer);
    message$.next(failure);
    expect(pushed).toEqual([{ kind: 'account', snapshot }]);
    expect(polled).toEqual([answer, failure]);
    expect(availability).toEqual([answer, failure]);
  });

  it('a snapshot that the check refuses ends the run and is not pushed', () => {
    const { message$, pushed, polled, failures } = setUp();
    const wallet = { currency: 'USDT', balance: ZERO as Amount, locked: ZERO as Amount } as const;
    const snapshot = { kind: 'wallet', currency: 'USDT', startedAt: 0, wallet } as const;
    message$.next({ kind: 'snapshot', snapshot });
    expect(failures).toEqual([new Error('the account cannot trade this')]);
    expect(pushed).toEqual([]);
    expect(polled).toHaveLength(1);
  });

  it('the feed reports the last positions of its own currency, with their age', () => {
    const { account, message$ } = setUp();
    expect(account.reportedPositions).toBeUndefined();
    const own = { kind: 'positions', currency: 'USDT', startedAt: 200, positions: [] } as const;
    message$.next({ kind: 'snapshot', snapshot: own });
    message$.next({ kind: 'snapshot', snapshot: { ...own, currency: 'INR', startedAt: 300 } });
    expect(account.reportedPositions).toEqual({ positions: [], ageMs: 500 });
  });

  it('an error of the stream ends the run, and an unsubscribed feed is silent', () => {
    const { message$, failures, subscription } = setUp();
    message$.error(new Error('gone'));
    expect(failures).toEqual([new Error('gone')]);
    subscription.unsubscribe();
    expect(message$.observed).toBe(false);
  });
});
