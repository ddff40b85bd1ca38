import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { onStopSignal } from './node-signals.js';

const send = (signal: NodeJS.Signals): boolean => process.emit(signal, signal);

describe('the stop signals', () => {
  it('a signal that is repeated at once is one, and a later one is another', async () => {
    const seen: string[] = [];
    const removeListener = onStopSignal((signal) => seen.push(signal));
    send('SIGTERM');
    send('SIGTERM');
    send('SIGINT');
    expect(seen).toEqual(['SIGTERM']);
    await wait(250);
    send('SIGINT');
    expect(seen).toEqual(['SIGTERM', 'SIGINT']);
    removeListener();
  });

  it('a repetition after the listener has gone is heard by nobody and ends nothing', async () => {
    const before = process.listenerCount('SIGTERM');
    const seen: string[] = [];
    const removeListener = onStopSignal((signal) => {
      seen.push(signal);
      removeListener();
    });
    send('SIGTERM');
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    send('SIGTERM');
    expect(seen).toEqual(['SIGTERM']);
    await wait(250);
    expect(process.listenerCount('SIGTERM')).toBeLessThanOrEqual(before);
  });

  it('each listener gets the signal', () => {
    const seen: string[] = [];
    const first = onStopSignal(() => seen.push('first'));
    const second = onStopSignal(() => seen.push('second'));
    send('SIGINT');
    expect(seen).toEqual(['first', 'second']);
    first();
    second();
  });
});
