import { describe, expect, it } from 'vitest';
import { ManualTime, memoryLogger } from '../../../test/support/fakes/manual-ports.js';
import { ALERT_LEVELS, type AlertLevel } from '../alert/alert-kind.js';
import type { Notice } from '../alert/notice.js';
import { DeliveryError, type NotifyChannel } from './channel.js';
import { ChannelQueue } from './channel-queue.js';

const noticeOf = (id: string, level: AlertLevel, key = id): Notice => ({
  id,
  level,
  silent: false,
  atMs: 0,
  account: 'main',
  mode: 'sandbox',
  items: [{ key, kind: 'error', state: 'happened', title: '', text: id, count: 1, sinceMs: 0 }],
  omitted: 0,
});

class QueueRig {
  readonly time = new ManualTime();
  readonly logger = memoryLogger();
  readonly attempts: Notice[] = [];
  /** Result of the next attempts; undefined: it never ends. */
  answer: (() => Promise<void>) | undefined = () => Promise.resolve();
  readonly queue: ChannelQueue;

  constructor(levels: readonly AlertLevel[] = ALERT_LEVELS) {
    const channel: NotifyChannel = {
      name: 'test',
      levels: new Set(levels),
      deliver: (notice) => {
        this.attempts.push(notice);
        return this.answer?.() ?? new Promise(() => undefined);
      },
      close: () => Promise.resolve(),
    };
    this.queue = new ChannelQueue({
      channel,
      clock: this.time,
      scheduler: this.time,
      logger: this.logger,
    });
  }

  get ids(): readonly string[] {
    return this.attempts.map(({ id }) => id);
  }
}

describe('the queue of a channel', () => {
  it('nothing is sent while the caller runs', async () => {
    const rig = new QueueRig();
    rig.queue.enqueue(noticeOf('a', 'page'));
    expect(rig.ids).toEqual([]);
    await rig.time.advance(0);
    expect(rig.ids).toEqual(['a']);
    await rig.queue.idle();
  });

  it('a stuck channel holds at most two notices a level, which collapse 10,000 by key with a count', async () => {
    const rig = new QueueRig();
    rig.answer = undefined;
    rig.queue.enqueue(noticeOf('first', 'message'));
    await rig.time.advance(0);
    for (let at = 0; at < 10_000; at += 1)
      rig.queue.enqueue(noticeOf(`n${at}`, 'message', `key${at % 5}`));
    expect(rig.queue.waiting).toBe(2);
    expect(rig.attempts).toHaveLength(1);
  });

  it('the collapsed notice has the newest text of each key and its count', async () => {
    const rig = new QueueRig();
    for (let at = 0; at < 10; at += 1)
      rig.queue.enqueue(noticeOf(`n${at}`, 'message', `key${at % 2}`));
    await rig.time.advance(0);
    expect(rig.attempts[0]?.items.map(({ key, text, count }) => [key, text, count])).toEqual([
      ['key0', 'n8', 5],
      ['key1', 'n9', 5],
    ]);
  });

  it('the same notice is tried again after 1, 2 and 5 s, with one warning and one line of recovery', async () => {
    const rig = new QueueRig();
    rig.answer = () => Promise.reject(new DeliveryError('no connection'));
    rig.queue.enqueue(noticeOf('a', 'page'));
    for (const ms of [0, 999, 1, 2_000]) await rig.time.advance(ms);
    expect(rig.ids).toEqual(['a', 'a', 'a']);
    rig.answer = () => Promise.resolve();
    await rig.time.advance(5_000);
    expect(rig.logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'notify: test fails, and is tried again: no connection'],
      ['info', 'notify: test delivers again'],
    ]);
    expect(rig.queue.waiting).toBe(0);
  });

  it('a page overtakes a message that fails, and a pause that the receiver asks for holds', async () => {
    const rig = new QueueRig();
    rig.answer = () => Promise.reject(new DeliveryError('busy'));
    rig.queue.enqueue(noticeOf('message', 'message'));
    await rig.time.advance(10_000);
    rig.attempts.length = 0;
    rig.queue.enqueue(noticeOf('page', 'page'));
    await rig.time.advance(0);
    expect(rig.ids).toEqual(['page']);

    rig.answer = () => Promise.reject(new DeliveryError('flood', { retryAfterMs: 20_000 }));
    await rig.time.advance(1_000);
    rig.attempts.length = 0;
    rig.queue.enqueue(noticeOf('page 2', 'page'));
    await rig.time.advance(19_999);
    expect(rig.ids).toEqual([]);
    await rig.time.advance(1);
    expect(rig.ids).toEqual(['page']);
  });

  it('a refusal that cannot pass is given up at once, any other one after an hour, each with an error', async () => {
    const rig = new QueueRig();
    rig.answer = () => Promise.reject(new DeliveryError('401', { isPermanent: true }));
    rig.queue.enqueue(noticeOf('a', 'page'));
    await rig.time.advance(0);
    expect(rig.queue.waiting).toBe(0);
    rig.answer = () => Promise.reject(new DeliveryError('down'));
    rig.queue.enqueue(noticeOf('b', 'page'));
    await rig.time.advance(3_700_000);
    expect(rig.queue.waiting).toBe(0);
    const errors = rig.logger.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => fields['id'])).toEqual(['a', 'b']);
  });

  it('levels that a channel does not have are not its notices', async () => {
    const rig = new QueueRig(['page']);
    rig.queue.enqueue(noticeOf('a', 'message'));
    await rig.time.advance(0);
    expect(rig.ids).toEqual([]);
  });

  it('a closed queue makes no further attempt', async () => {
    const rig = new QueueRig();
    rig.answer = () => Promise.reject(new DeliveryError('down'));
    rig.queue.enqueue(noticeOf('a', 'page'));
    await rig.time.advance(0);
    await rig.queue.close();
    await rig.time.advance(100_000);
    expect(rig.ids).toEqual(['a']);
    expect(rig.time.pendingTimers).toBe(0);
  });
});
