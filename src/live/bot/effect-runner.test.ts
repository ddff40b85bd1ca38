import { expect, it } from 'vitest';
import type { Reply, VenueRequest } from '../../core/request.js';
import { EffectRunner, type EffectRunnerParts } from './effect-runner.js';

const CANCEL: VenueRequest = { kind: 'cancel', order: { orderId: '1' } };
const READ: VenueRequest = { kind: 'read-positions', currency: 'USDT' };

/** A runner whose venue answers each request with one reply. */
function runnerWith(reply: Reply): { readonly runner: EffectRunner; readonly replies: Reply[] } {
  const venue = { send: () => Promise.resolve(reply) };
  const state = { journal: {}, record: {} };
  const runner = new EffectRunner({ venue, state } as unknown as EffectRunnerParts);
  const replies: Reply[] = [];
  const fail = (error: unknown): void => {
    throw error;
  };
  const onReply = (_id: number, each: Reply): void => void replies.push(each);
  runner.connect({ onReply, fail, push: () => undefined, onJournalFailed: fail });
  return { runner, replies };
}

const unanswered = (sent: boolean): Reply => ({
  to: 'cancel',
  outcome: { kind: 'unknown', cause: 'test', sent },
});

it('a read is no change', () => {
  const { runner } = runnerWith({ to: 'read-positions', outcome: { kind: 'yes', value: [] } });
  runner.send(1, READ);
  expect(runner.hasSentChange).toBe(false);
});

it('a change counts from its first byte on, and stays when its answer is lost', async () => {
  const { runner, replies } = runnerWith(unanswered(true));
  runner.send(1, CANCEL);
  expect(runner.hasSentChange).toBe(true);
  await expect.poll(() => replies).toHaveLength(1);
  expect(runner.hasSentChange).toBe(true);
});

it('a change counts no longer when the reply proves that no byte of it left', async () => {
  const { runner, replies } = runnerWith(unanswered(false));
  runner.send(1, CANCEL);
  expect(runner.hasSentChange).toBe(true);
  await expect.poll(() => replies).toHaveLength(1);
  expect(runner.hasSentChange).toBe(false);
});
