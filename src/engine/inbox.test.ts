import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../core/events.js';
import { Inbox } from './inbox.js';

const event = (key: string): EngineEvent => ({ kind: 'timer', key, venueTime: 0, monotonic: 0 });
const keyOf = (met: EngineEvent): string => (met.kind === 'timer' ? met.key : '');

describe('the inbox', () => {
  it('delivers at once, one after the other', () => {
    const met: string[] = [];
    const inbox = new Inbox((each) => met.push(keyOf(each)));
    inbox.push(event('a'));
    inbox.push(event('b'));
    expect(met).toEqual(['a', 'b']);
  });

  it('finishes a step before it begins what the step caused', () => {
    const met: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      const key = keyOf(each);
      met.push(`${key} begins`);
      if (key === 'a') {
        inbox.push(event('b'));
        inbox.push(event('c'));
      }
      met.push(`${key} ends`);
    });
    inbox.push(event('a'));
    expect(met).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('delivers nothing after it is closed, not even what waits', () => {
    const met: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      met.push(keyOf(each));
      inbox.push(event('b'));
      inbox.close();
    });
    inbox.push(event('a'));
    inbox.push(event('c'));
    expect(met).toEqual(['a']);
  });

  it('is closed by a step that throws: half a step is no state to go on from', () => {
    const met: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      met.push(keyOf(each));
      inbox.push(event('b'));
      throw new Error('broken promise');
    });
    expect(() => {
      inbox.push(event('a'));
    }).toThrow('broken promise');
    inbox.push(event('c'));
    expect(met).toEqual(['a']);
  });

  it('tells when what belongs together is delivered, and not after a step that threw', () => {
    const met: string[] = [];
    const inbox: Inbox = new Inbox(
      (each) => {
        const key = keyOf(each);
        met.push(key);
        if (key === 'a') inbox.push(event('b'));
        if (key === 'c') throw new Error('c');
      },
      () => met.push('drained'),
    );
    inbox.push(event('a'));
    inbox.push(event('d'));
    expect(() => {
      inbox.push(event('c'));
    }).toThrow('c');
    expect(met).toEqual(['a', 'b', 'drained', 'd', 'drained', 'c']);
  });
});
