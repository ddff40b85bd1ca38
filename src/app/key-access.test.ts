import { expect, test } from 'vitest';
import { VirtualTime } from '../../test/harness/virtual-time.js';
import type { Happening } from '../core/events.js';
import type { Reply } from '../core/request.js';
import type { AccountMessage } from '../venue/venue.js';
import { KeyAccess } from './key-access.js';

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
  waits = true,
}: {
  phase?: 'starting' | 'running';
  waits?: boolean;
}) {
  const time = new VirtualTime(0);
  const told: Happening[] = [];
  const ends: string[] = [];
  const alarms: number[] = [];
  const silent = (): void => undefined;
  const access = new KeyAccess({
    scheduler: time,
    logger: {
      debug: silent,
      info: silent,
      warn: silent,
      error: () => alarms.push(time.monotonicMs()),
    },
    push: (happening) => told.push(happening),
    advice: 'rotate it',
    phase: () => phase,
    waits,
    end: (cause) => ends.push(cause),
  });
  const poll = (message: AccountMessage, times = 1): void => {
    for (let count = 0; count < times; count += 1) access.polled(message);
  };
  return { access, poll, told, ends, alarms, time };
}

test('tells the engine once, and alarms at once and then each minute until a poll succeeds', async () => {
  const { poll, told, alarms, time, ends } = rig({});
  const began = time.monotonicMs();
  poll(REFUSED, 30);
  await time.run(150_000);
  expect(alarms.map((at) => at - began)).toEqual([0, 60_000, 120_000]);
  poll(READ);
  await time.run(300_000);
  expect(alarms).toHaveLength(3);
  expect(told).toMatchObject([
    { kind: 'access', refused: true },
    { kind: 'access', refused: false },
  ]);
  expect(ends).toEqual([]);
});

test.each([{ phase: 'starting' as const }, { waits: false }])(
  'ends where nobody waits: %o',
  (of) => {
    const { poll, told, ends, alarms } = rig(of);
    poll(REFUSED, 12);
    expect(ends[0]).toBe('HTTP 401');
    expect(told).toEqual([]);
    expect(alarms).toEqual([]);
  },
);

test('refused changes wait for a person, since the polls were never refused', () => {
  const { access, poll, told } = rig({});
  for (let count = 0; count < 3; count += 1) {
    access.answered(FORBIDDEN);
    poll(READ);
  }
  poll(READ, 10);
  expect(told).toMatchObject([{ kind: 'access', refused: true }]);
  access.secretRead();
  poll(READ);
  expect(told.at(-1)).toMatchObject({ kind: 'access', refused: false });
});

test('is silent once it is closed', async () => {
  const { access, poll, alarms, time } = rig({});
  poll(REFUSED, 12);
  access.close();
  await time.run(300_000);
  expect(alarms).toHaveLength(1);
});

test('is accepted again by a poll where only lookups between two polls were refused', () => {
  const { access, poll, told } = rig({});
  poll(READ);
  const refused: Reply = {
    to: 'find-order',
    outcome: { kind: 'unknown', cause: 'HTTP 401', sent: true, status: 401 },
  };
  for (let count = 0; count < 30; count += 1) access.answered(refused);
  expect(told).toMatchObject([{ kind: 'access', refused: true }]);
  poll(READ);
  expect(told).toMatchObject([{ refused: true }, { refused: false }]);
});
