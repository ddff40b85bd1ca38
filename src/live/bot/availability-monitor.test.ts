import { describe, expect, it } from 'vitest';
import type { EngineEventBody } from '../../core/events.js';
import type { Logger } from '../../core/ports.js';
import type { AccountMessage } from '../../venue/venue.js';
import { AvailabilityMonitor } from './availability-monitor.js';

const SNAPSHOT = {
  kind: 'snapshot',
  snapshot: { kind: 'positions', currency: 'USDT' },
} as AccountMessage;
const failed = (status?: number): AccountMessage => ({
  kind: 'poll-failed',
  what: 'read-positions USDT',
  cause: 'a page, not JSON',
  ...(status !== undefined && { status }),
});

class Rig {
  now = 0;
  readonly events: EngineEventBody[] = [];
  readonly lines: string[] = [];
  readonly monitor = new AvailabilityMonitor({
    clock: { monotonicMs: () => this.now },
    logger: this.#logger(),
    loop: {
      push: (event) => void this.events.push(event),
      fail: () => undefined,
    },
  });

  /** Polls, one a second. */
  poll(...messages: readonly AccountMessage[]): readonly boolean[] {
    this.events.length = 0;
    for (const message of messages) {
      this.monitor.onPolled(message);
      this.now += 1_000;
    }
    return this.events.flatMap((event) => (event.kind === 'availability' ? [event.available] : []));
  }

  #logger(): Logger {
    const ignore = (): void => undefined;
    return {
      debug: ignore,
      info: ignore,
      warn: (_fields, text) => this.lines.push(text),
      error: ignore,
    };
  }
}

describe('a poll that gets a 5xx', () => {
  const failures = (...messages: readonly AccountMessage[]): number => {
    const rig = new Rig();
    rig.poll(...messages);
    return rig.events.filter(({ kind }) => kind === 'poll-failed').length;
  };

  it.each([
    ['one for each failure', [failed(502), SNAPSHOT, failed(503)], 2],
    ['none for a lost connection', [failed(), SNAPSHOT], 0],
    ['none for a refused key or a rate limit', [failed(401), failed(429)], 0],
    ['none for a lock', [failed(423)], 0],
    ['two in a row of one read', Array.from({ length: 9 }, () => failed(503)), 2],
    [
      'a row anew after the read has succeeded',
      [...Array<AccountMessage>(3).fill(failed(503)), SNAPSHOT, failed(503)],
      3,
    ],
  ] satisfies [string, AccountMessage[], number][])(
    'the engine hears of %s',
    (_name, messages, count) => {
      expect(failures(...messages)).toBe(count);
    },
  );

  it('polls of one cycle that fail together are one failure', () => {
    const rig = new Rig();
    for (let poll = 0; poll < 3; poll += 1) rig.monitor.onPolled(failed(503));
    expect(rig.events.map(({ kind }) => kind)).toEqual(['poll-failed']);
  });
});

describe('a venue that cannot be read', () => {
  it.each([
    ['three failures', [failed(503), failed(503), failed(503)], []],
    ['four failures over 3 s', [failed(503), failed(503), failed(503), failed(503)], [false]],
    ['four lost connections', [failed(), failed(), failed(), failed()], [false]],
    ['four refusals of the key', [failed(401), failed(403), failed(401), failed(403)], []],
    ['four rate limits', [failed(429), failed(429), failed(429), failed(429)], []],
    [
      'a success between failures',
      [failed(503), failed(503), failed(503), SNAPSHOT, failed(503)],
      [],
    ],
  ])('%s', (_, messages, expected) => {
    expect(new Rig().poll(...messages)).toEqual(expected);
  });

  it('four failures within a second are a hiccup', () => {
    const rig = new Rig();
    rig.now = 0;
    for (let poll = 0; poll < 3; poll += 1) {
      rig.monitor.onPolled(failed(503));
      rig.now += 100;
    }
    expect(rig.poll(failed(503))).toEqual([]);
  });

  it('an hour has one start and one end, and two lines', () => {
    const rig = new Rig();
    const hour = Array.from({ length: 3_600 }, () => failed(503));
    expect(rig.poll(...hour)).toEqual([false]);
    expect(rig.lines).toEqual(['poll failed: a page, not JSON']);
    expect(rig.poll(SNAPSHOT, SNAPSHOT)).toEqual([]);
    expect(rig.poll(failed(503), SNAPSHOT, SNAPSHOT), 'it counts anew').toEqual([]);
    expect(rig.poll(SNAPSHOT)).toEqual([true]);
    expect(rig.poll(failed(503), failed(503), failed(503), failed(503))).toEqual([false]);
  });
});
