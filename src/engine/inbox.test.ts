import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../core/events.js';
import { Inbox } from './inbox.js';

const event = (key: string): EngineEvent => ({ kind: 'timer', key, venueTime: 0, monotonic: 0 });
const keyOf = (received: EngineEvent): string => (received.kind === 'timer' ? received.key : '');

describe('the inbox', () => {
  it('events are delivered at once, one after the other', () => {
    const handled: string[] = [];
    const inbox = new Inbox((each) => handled.push(keyOf(each)));
    inbox.push(event('a'));
    inbox.push(event('b'));
    expect(handled).toEqual(['a', 'b']);
  });

  it('a step ends before the events that it causes are delivered', () => {
    const handled: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      const key = keyOf(each);
      handled.push(`${key} begins`);
      if (key === 'a') {
        inbox.push(event('b'));
        inbox.push(event('c'));
      }
      handled.push(`${key} ends`);
    });
    inbox.push(event('a'));
    expect(handled).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('a closed inbox delivers nothing, not even queued events', () => {
    const handled: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      handled.push(keyOf(each));
      inbox.push(event('b'));
      inbox.close();
    });
    inbox.push(event('a'));
    inbox.push(event('c'));
    expect(handled).toEqual(['a']);
  });

  it('a step that throws closes the inbox', () => {
    const handled: string[] = [];
    const inbox: Inbox = new Inbox((each) => {
      handled.push(keyOf(each));
      inbox.push(event('b'));
      throw new Error('broken promise');
    });
    expect(() => {
      inbox.push(event('a'));
    }).toThrow('broken promise');
    inbox.push(event('c'));
    expect(handled).toEqual(['a']);
  });

  it('the callback follows a whole burst, and never a step that threw', () => {
    const handled: string[] = [];
    const inbox: Inbox = new Inbox(
      (each) => {
        const key = keyOf(each);
        handled.push(key);
        if (key === 'a') inbox.push(event('b'));
        if (key === 'c') throw new Error('c');
      },
      () => handled.push('drained'),
    );
    inbox.push(event('a'));
    inbox.push(event('d'));
    expect(() => {
      inbox.push(event('c'));
    }).toThrow('c');
    expect(handled).toEqual(['a', 'b', 'drained', 'd', 'drained', 'c']);
  });
});
