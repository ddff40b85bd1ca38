import { describe, expect, test } from 'vitest';
import { RequestLog } from './request-log.js';

function place(log: RequestLog, clientOrderId: string): void {
  const body = JSON.stringify({ client_order_id: clientOrderId });
  const request = { method: 'POST', path: '/order', query: '', headers: {}, body };
  log.delivered(log.begin(request, 0, []));
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `id-${from + index}`);

describe('the request log', () => {
  test('counts every delivery of a client order id', () => {
    const log = new RequestLog();
    for (const id of ['a', 'b', 'a']) place(log, id);
    expect(log.places()).toEqual({ a: 2, b: 1 });
    expect([log.placesOf('a'), log.placesOf('c')]).toEqual([2, 0]);
  });

  test('keeps the last 10,000 requests, oldest first, and counts them all', () => {
    const log = new RequestLog();
    for (const id of numbered(10_003)) place(log, id);
    const sequences = log.entries().map((entry) => entry.sequence);
    expect(sequences).toHaveLength(10_000);
    expect([sequences[0], sequences.at(-1), log.total]).toEqual([4, 10_003, 10_003]);
  });

  test('without a retention keeps the counts of all ids', () => {
    const log = new RequestLog();
    for (const id of numbered(500)) place(log, id);
    expect(Object.keys(log.places())).toHaveLength(500);
  });

  test('forgets the counts of orders that are gone, but for the newest', () => {
    const log = new RequestLog({ newest: 5, isKnown: (id) => id === 'id-1' });
    for (const id of numbered(10)) place(log, id);
    expect(Object.keys(log.places())).toEqual(['id-1', ...numbered(5, 5)]);
    for (const id of numbered(1_000, 10)) place(log, id);
    const kept = Object.keys(log.places());
    expect(kept.slice(-5)).toEqual(numbered(5, 1_005));
    expect(kept[0]).toBe('id-1');
    expect(kept.length).toBeLessThan(5 + 2 * 6);
  });

  test('keeps what is known however much that is', () => {
    const log = new RequestLog({ newest: 5, isKnown: () => true });
    for (const id of numbered(100)) place(log, id);
    expect(Object.keys(log.places())).toEqual(numbered(100));
  });
});
