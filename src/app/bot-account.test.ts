import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Happening } from '../core/events.js';
import type { Mode } from '../risk/mode.js';
import type { AccountMessage, WantedAccount } from '../venue/venue.js';
import { BotAccount } from './bot-account.js';

/** An account at a venue that says what the test says, and keeps what it was asked. */
function setUp() {
  const engine: { currency: 'USDT'; mode: Mode } = { currency: 'USDT', mode: 'STARTING' };
  const message$ = new Subject<AccountMessage>();
  const asked: WantedAccount[] = [];
  const pushed: Happening[] = [];
  const polled: AccountMessage[] = [];
  const failures: unknown[] = [];
  const lines: string[] = [];
  const log = (_: unknown, text: string): void => void lines.push(text);
  const account = new BotAccount({
    engine,
    venue: {
      account$: (wanted) => {
        asked.push(wanted);
        return message$;
      },
    },
    pollMs: 2_000,
    logger: { debug: log, info: log, warn: log, error: log },
    push: (happening) => void pushed.push(happening),
    polled: (message) => void polled.push(message),
    fail: (error) => void failures.push(error),
  });
  const subscription = account.subscribe();
  const [wanted] = asked;
  if (wanted === undefined) throw new Error('The venue was not asked');
  return { engine, message$, wanted, pushed, polled, failures, lines, subscription };
}

describe('the account of a bot', () => {
  it('is asked for in its own currency in each round, and seldom in the other', () => {
    const { wanted } = setUp();
    expect(wanted).toMatchObject({
      currencies: ['USDT'],
      everyMs: 2_000,
      seldom: { currencies: ['INR'], everyMs: 30_000 },
    });
  });

  it.each<[Mode, boolean]>([
    ['STARTING', true],
    ['RECONCILING', true],
    ['TRADING', false],
    ['REDUCE_ONLY', false],
    ['CANCEL_ONLY', false],
    ['HALTED', false],
  ])('in %s is awaited: %s, as the venue may ask whenever it reads', (mode, isAwaited) => {
    const { engine, wanted } = setUp();
    engine.mode = mode;
    expect(wanted.isAwaited?.()).toBe(isAwaited);
  });

  it('tells of each answer, and of a poll that failed in the log alone', () => {
    const { message$, pushed, polled, lines } = setUp();
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
    expect(lines).toEqual(['poll failed: no answer']);
  });

  it('ends the run when the stream of it ends with an error, and is silent once let go of', () => {
    const { message$, failures, subscription } = setUp();
    message$.error(new Error('gone'));
    expect(failures).toEqual([new Error('gone')]);
    subscription.unsubscribe();
    expect(message$.observed).toBe(false);
  });
});
