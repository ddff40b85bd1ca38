import { describe, expect, it } from 'vitest';
import type { Reply, VenueRequest } from '../core/request.js';
import { constantRandom, ManualTime } from '../../test/support/fakes/manual-ports.js';
import type { AccountMessage, AccountSubscription } from './venue.js';
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
  permitMs = 0,
  subscription: AccountSubscription = { currencies: ['USDT', 'INR'], everyMs: 2_000 },
) {
  const time = new ManualTime();
  const after = (ms: number) =>
    ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => time.after(ms, resolve));
  const sent: { readonly at: number; readonly what: string }[] = [];
  const requested: string[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const messages: AccountMessage[] = [];
  const account$ = pollAccount(subscription, {
    clock: time,
    scheduler: time,
    random: constantRandom(0.999),
    acquirePermit: (request, priority) => {
      requested.push(`${request.kind} ${priority}`);
      return after(priority === 'poll' ? permitMs : 0);
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
  return { time, sent, requested, messages, subscribe, mostInFlight: () => mostInFlight };
}

describe('the account poller', () => {
  it('the poller reads positions, open orders and wallet of each currency in every cycle', async () => {
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

  it('reads get priority verify while trading waits for the snapshot', async () => {
    let isAwaited = true;
    const subscription = {
      currencies: ['USDT'],
      everyMs: 2_000,
      isAwaited: () => isAwaited,
    } as const;
    const { time, requested, subscribe } = setUp(yes, 0, 0, subscription);
    subscribe();
    await time.advance(0);
    expect(requested).toEqual([
      'read-positions verify',
      'read-open-orders verify',
      'read-wallet verify',
    ]);
    isAwaited = false;
    await time.advance(2_000);
    expect(requested.slice(3)).toEqual([
      'read-positions poll',
      'read-open-orders poll',
      'read-wallet poll',
    ]);
  });

  it('a read that has waited too long for its permit goes before new orders', async () => {
    const { time, sent, requested, subscribe } = setUp(yes, 0, 60_000);
    subscribe();
    await time.advance(999);
    expect(requested).toEqual(['read-positions poll']);
    expect(sent).toEqual([]);
    await time.advance(1);
    expect(requested[1]).toBe('read-positions verify');
    expect(sent.map(({ what }) => what)).toEqual(['read-positions USDT']);
  });

  it('a snapshot has the time when its request was sent, not when it waited or was answered', async () => {
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

  it('cycles never overlap, however slow the venue is', async () => {
    const { time, sent, subscribe, mostInFlight } = setUp(yes, 1_500);
    subscribe();
    await time.advance(60_000);
    expect(mostInFlight()).toBe(1);
    expect(sent.length).toBeGreaterThan(30);
  });

  it('failures are reported, and the pause of an outage grows to 5 s with one read a cycle', async () => {
    let broken = true;
    const { time, sent, messages, subscribe } = setUp((request) =>
      broken ? unknown(request) : yes(request),
    );
    subscribe();
    const roundsAt = () => [...new Set(sent.map(({ at }) => at))];
    await time.advance(20_000);
    expect(messages.slice(0, 2)).toEqual([
      { kind: 'poll-failed', what: 'read-positions USDT', cause: 'gone' },
      { kind: 'poll-failed', what: 'read-open-orders USDT', cause: 'gone' },
    ]);
    expect(roundsAt()).toEqual([0, 3_998, 9_994, 16_989]);
    expect(sent).toHaveLength(6 + 3);
    broken = false;
    await time.advance(8_000);
    const healthy = roundsAt().slice(4);
    expect(healthy).toEqual([23_984, 25_984, 27_984]);
    expect(sent).toHaveLength(6 + 3 + 3 * 6);
  });

  it('an outage ends although one read goes on failing', async () => {
    let isDown = true;
    const { time, sent, messages, subscribe } = setUp((request) =>
      isDown || request.kind === 'read-positions' ? unknown(request) : yes(request),
    );
    subscribe();
    await time.advance(30_000);
    isDown = false;
    const [sentBefore, messagesBefore] = [sent.length, messages.length];
    await time.advance(20_000);
    expect(messages.slice(messagesBefore).some(({ kind }) => kind === 'snapshot')).toBe(true);
    const wallets = sent.slice(sentBefore).filter(({ what }) => what === 'read-wallet USDT');
    expect(wallets.length).toBeGreaterThan(3);
  });

  it('a read that fails among others pauses alone, until it succeeds', async () => {
    let broken = true;
    const { time, sent, subscribe } = setUp((request) =>
      broken && request.kind === 'read-wallet' ? unknown(request) : yes(request),
    );
    subscribe();
    const timesOf = (what: string) =>
      sent.flatMap((each) => (each.what === what ? [each.at / 1_000] : []));
    await time.advance(20_000);
    expect(timesOf('read-positions USDT')).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(timesOf('read-wallet USDT')).toEqual([0, 4, 10, 20]);
    broken = false;
    await time.advance(22_000);
    expect(timesOf('read-wallet USDT').slice(4)).toEqual([38, 40, 42]);
    expect(timesOf('read-positions INR')).toHaveLength(22);
  });

  it('positions and orders of an infrequent currency are read at once and then rarely, without its wallet', async () => {
    const subscription: AccountSubscription = {
      currencies: ['USDT'],
      everyMs: 2_000,
      infrequent: { currencies: ['INR'], everyMs: 30_000 },
    };
    const failing = (request: VenueRequest): Reply =>
      'currency' in request && request.currency === 'INR' ? unknown(request) : yes(request);
    const { time, sent, subscribe } = setUp(failing, 0, 0, subscription);
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

  it('the poller stops when it is unsubscribed', async () => {
    const { time, sent, subscribe } = setUp(yes);
    const subscription = subscribe();
    await time.advance(100);
    subscription.unsubscribe();
    await time.advance(60_000);
    expect(sent).toHaveLength(6);
    expect(time.pendingTimers).toBe(0);
  });
});
