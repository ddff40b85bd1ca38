import { expect, test } from 'vitest';
import { VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import type { EngineEventBody } from '../../core/events.js';
import type { Reply } from '../../core/request.js';
import type { AccountMessage } from '../../venue/venue.js';
import { ApiKeyMonitor } from './api-key-monitor.js';

const REFUSED: AccountMessage = {
  kind: 'poll-failed',
  what: 'read-wallet USDT',
  cause: 'HTTP 401',
  status: 401,
};
const READ: AccountMessage = {
  kind: 'snapshot',
  snapshot: { kind: 'positions', currency: 'USDT', startedAt: 0, positions: [] },
};
const FORBIDDEN: Reply = {
  to: 'place',
  outcome: { kind: 'unknown', cause: 'HTTP 403', sent: true, status: 403 },
};

function rig({
  phase = 'running',
  endsRun = false,
}: {
  phase?: 'starting' | 'running';
  endsRun?: boolean;
}) {
  const time = new VirtualTime(0);
  const events: EngineEventBody[] = [];
  const failures: unknown[] = [];
  const alarms: number[] = [];
  const silent = (): void => undefined;
  const monitor = new ApiKeyMonitor({
    scheduler: time,
    logger: {
      debug: silent,
      info: silent,
      warn: silent,
      error: () => alarms.push(time.monotonicMs()),
    },
    loop: {
      push: (event) => void events.push(event),
      fail: (error) => void failures.push(error),
    },
    keyAdvice: endsRun ? undefined : 'rotate it',
    keyRefusedError: (cause) => new Error(cause),
  });
  if (phase === 'running') monitor.onStarted();
  const poll = (message: AccountMessage, times = 1): void => {
    for (let count = 0; count < times; count += 1) monitor.onPolled(message);
  };
  return { monitor, poll, events, failures, alarms, time };
}

test('a refused key reaches the engine once, and an alarm is logged each minute until a poll succeeds', async () => {
  const { poll, events, alarms, time, failures } = rig({});
  const startedAt = time.monotonicMs();
  poll(REFUSED, 30);
  await time.run(150_000);
  expect(alarms.map((at) => at - startedAt)).toEqual([0, 60_000, 120_000]);
  poll(READ);
  await time.run(300_000);
  expect(alarms).toHaveLength(3);
  expect(events).toMatchObject([
    { kind: 'access', refused: true },
    { kind: 'access', refused: false },
  ]);
  expect(failures).toEqual([]);
});

test.each([{ phase: 'starting' as const }, { endsRun: true }])(
  'a refused key ends a run that does not wait for another one: %o',
  (of) => {
    const { poll, events, failures, alarms } = rig(of);
    poll(REFUSED, 12);
    expect(failures[0]).toEqual(new Error('HTTP 401'));
    expect(events).toEqual([]);
    expect(alarms).toEqual([]);
  },
);

test('refused changes stay reported until the secret is read again, while polls succeed', () => {
  const { monitor, poll, events } = rig({});
  for (let count = 0; count < 3; count += 1) {
    monitor.onReply(FORBIDDEN);
    poll(READ);
  }
  poll(READ, 10);
  expect(events).toMatchObject([{ kind: 'access', refused: true }]);
  monitor.onSecretReloaded();
  poll(READ);
  expect(events.at(-1)).toMatchObject({ kind: 'access', refused: false });
});

test('a closed monitor logs no alarm', async () => {
  const { monitor, poll, alarms, time } = rig({});
  poll(REFUSED, 12);
  monitor.close();
  await time.run(300_000);
  expect(alarms).toHaveLength(1);
});

test('a poll ends the refusal where only lookups between two polls were refused', () => {
  const { monitor, poll, events } = rig({});
  poll(READ);
  const refused: Reply = {
    to: 'find-order',
    outcome: { kind: 'unknown', cause: 'HTTP 401', sent: true, status: 401 },
  };
  for (let count = 0; count < 30; count += 1) monitor.onReply(refused);
  expect(events).toMatchObject([{ kind: 'access', refused: true }]);
  poll(READ);
  expect(events).toMatchObject([{ refused: true }, { refused: false }]);
});
