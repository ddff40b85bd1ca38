import { describe, expect, it } from 'vitest';
import type { Reply, VenueRequest } from '../../core/request.js';
import { constantRandom, VirtualTime } from '../../../test/harness/virtual-ports.js';
import type { AccountMessage, WantedAccount } from '../venue.js';
import { pollAccount } from './account-poller.js';

const YES: Readonly<Record<string, unknown>> = {
  'read-positions': [],
  'read-open-orders': [],
  'read-wallet': { currency: 'USDT', balance: 1, locked: 0 },
};
const yes = (request: VenueRequest) =>
  ({ to: request.kind, outcome: { kind: 'yes', value: YES[request.kind] } }) as Reply;
const unknown = (request: VenueRequest) =>
  ({ to: request.kind, outcome: { kind: 'unknown', cause: 'gone', sent: true } }) as Reply;

function setUp(
  answer: (request: VenueRequest) => Reply,
  tookMs = 0,
  slotMs = 0,
  wanted: WantedAccount = { currencies: ['USDT', 'INR'], everyMs: 2_000 },
) {
  const time = new VirtualTime();
  const after = (ms: number) =>
    ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => time.after(ms, resolve));
  const sent: { readonly at: number; readonly what: string }[] = [];
  const asked: string[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const messages: AccountMessage[] = [];
  const account$ = pollAccount(wanted, {
    clock: time,
    scheduler: time,
    random: constantRandom(0.999),
    slot: (request, priority) => {
      asked.push(`${request.kind} ${priority}`);
      return after(priority === 'poll' ? slotMs : 0);
    },
    async send(request) {
      const currency = 'currency' in request ? request.currency : '';
      sent.push({ at: time.monotonicMs(), what: `${request.kind} ${currency}` });
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await after(tookMs);
      inFlight -= 1;
      return answer(request);
    },
  });
  const subscribe = () => account$.subscribe((message) => messages.push(message));
  return { time, sent, asked, messages, subscribe, mostInFlight: () => mostInFlight };
}

describe('the account poller', () => {
  it('reads positions, open orders and wallet of each currency, in rounds', async () => {
    const { time, sent, messages, subscribe } = setUp(yes);
    await time.advance(5_000);
    expect(sent).toEqual([]);
    subscribe();
    await time.advance(4_100);
    expect(sent.slice(0, 6).map(({ what }) => what)).toEqual([
      'read-positions USDT',
      'read-open-orders USDT',
      'read-wallet USDT',
      'read-positions INR',
      'read-open-orders INR',
      'read-wallet INR',
    ]);
    expect(sent.map(({ at }) => at)).toEqual(
      [5_000, 7_000, 9_000].flatMap((at) => Array<number>(6).fill(at)),
    );
    expect(messages.every(({ kind }) => kind === 'snapshot')).toBe(true);
  });

  it('asks like a lookup while everything waits for it', async () => {
    let isAwaited = true;
    const wanted = { currencies: ['USDT'], everyMs: 2_000, isAwaited: () => isAwaited } as const;
    const { time, asked, subscribe } = setUp(yes, 0, 0, wanted);
    subscribe();
    await time.advance(0);
    expect(asked).toEqual([
      'read-positions verify',
      'read-open-orders verify',
      'read-wallet verify',
    ]);
    isAwaited = false;
    await time.advance(2_000);
    expect(asked.slice(3)).toEqual([
      'read-positions poll',
      'read-open-orders poll',
      'read-wallet poll',
    ]);
  });

  it('goes before what places when it has waited too long for its slot', async () => {
    const { time, sent, asked, subscribe } = setUp(yes, 0, 60_000);
    subscribe();
    await time.advance(999);
    expect(asked).toEqual(['read-positions poll']);
    expect(sent).toEqual([]);
    await time.advance(1);
    expect(asked[1]).toBe('read-positions verify');
    expect(sent.map(({ what }) => what)).toEqual(['read-positions USDT']);
  });

  it('stamps a snapshot with the time its request left, not when it waited or came back', async () => {
    const { time, messages, subscribe } = setUp(yes, 30, 400);
    subscribe();
    await time.advance(500);
    expect(messages).toEqual([
      {
        kind: 'snapshot',
        snapshot: { kind: 'positions', currency: 'USDT', startedAt: 400, positions: [] },
      },
    ]);
  });

  it('never overlaps, however slow the venue is', async () => {
    const { time, sent, subscribe, mostInFlight } = setUp(yes, 1_500);
    subscribe();
    await time.advance(60_000);
    expect(mostInFlight()).toBe(1);
    expect(sent.length).toBeGreaterThan(30);
  });

  it('tells failures and pauses longer after each failed round, then as before', async () => {
    let broken = true;
    const { time, sent, messages, subscribe } = setUp((request) =>
      broken && request.kind === 'read-wallet' ? unknown(request) : yes(request),
    );
    subscribe();
    const roundsAt = () => [...new Set(sent.map(({ at }) => at))];
    await time.advance(20_000);
    expect(messages.filter(({ kind }) => kind === 'poll-failed').slice(0, 2)).toEqual([
      { kind: 'poll-failed', what: 'read-wallet USDT', cause: 'gone' },
      { kind: 'poll-failed', what: 'read-wallet INR', cause: 'gone' },
    ]);
    expect(roundsAt()).toEqual([0, 3_998, 9_994, 19_986]);
    broken = false;
    await time.advance(22_000);
    const healthy = roundsAt().slice(4);
    expect(healthy).toEqual([37_970, 39_970, 41_970]);
  });

  it('reads what others have in another currency at once and then seldom, and waits for no more', async () => {
    const wanted: WantedAccount = {
      currencies: ['USDT'],
      everyMs: 2_000,
      seldom: { currencies: ['INR'], everyMs: 30_000 },
    };
    const failing = (request: VenueRequest): Reply =>
      'currency' in request && request.currency === 'INR' ? unknown(request) : yes(request);
    const { time, sent, subscribe } = setUp(failing, 0, 0, wanted);
    subscribe();
    await time.advance(59_000);
    const inr = sent.filter(({ what }) => what.endsWith('INR'));
    expect(inr).toEqual(
      [0, 30_000].flatMap((at) => [
        { at, what: 'read-positions INR' },
        { at, what: 'read-open-orders INR' },
      ]),
    );
    const rounds = new Set(sent.map(({ at }) => at));
    expect(rounds.size, 'a failure there slows nothing down').toBe(30);
  });

  it('ends with its subscription', async () => {
    const { time, sent, subscribe } = setUp(yes);
    const subscription = subscribe();
    await time.advance(100);
    subscription.unsubscribe();
    await time.advance(60_000);
    expect(sent).toHaveLength(6);
    expect(time.pendingTimers).toBe(0);
  });
});
