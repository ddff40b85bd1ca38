import { describe, expect, test } from 'vitest';
import { RequestLog } from './request-log.js';

function place(log: RequestLog, clientOrderId: string): void {
  const body = JSON.stringify({ client_order_id: clientOrderId });
  const request = { method: 'POST', path: '/order', query: '', headers: {}, body };
  log.onDelivered(log.startEntry(request, 0, []));
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `id-${from + index}`);

describe('the request log', () => {
  test('the log counts every delivery of a client order id', () => {
    const log = new RequestLog();
    for (const id of ['a', 'b', 'a']) place(log, id);
    expect(log.deliveries()).toEqual({ a: 2, b: 1 });
    expect([log.deliveriesOf('a'), log.deliveriesOf('c')]).toEqual([2, 0]);
  });

  test('the log keeps the last 10,000 requests, oldest first, and counts them all', () => {
    const log = new RequestLog();
    for (const id of numbered(10_003)) place(log, id);
    const sequences = log.entries().map((entry) => entry.sequence);
    expect(sequences).toHaveLength(10_000);
    expect([sequences[0], sequences.at(-1), log.total]).toEqual([4, 10_003, 10_003]);
  });

  test('without a retention the log keeps the counts of all ids', () => {
    const log = new RequestLog();
    for (const id of numbered(500)) place(log, id);
    expect(Object.keys(log.deliveries())).toHaveLength(500);
  });

  test('the log drops the counts of evicted orders, except the newest', () => {
    const log = new RequestLog({ newest: 5, isKnown: (id) => id === 'id-1' });
    for (const id of numbered(10)) place(log, id);
    expect(Object.keys(log.deliveries())).toEqual(['id-1', ...numbered(5, 5)]);
    for (const id of numbered(1_000, 10)) place(log, id);
    const kept = Object.keys(log.deliveries());
    expect(kept.slice(-5)).toEqual(numbered(5, 1_005));
    expect(kept[0]).toBe('id-1');
    expect(kept.length).toBeLessThan(5 + 2 * 6);
  });

  test('the log keeps the counts of all known orders', () => {
    const log = new RequestLog({ newest: 5, isKnown: () => true });
    for (const id of numbered(100)) place(log, id);
    expect(Object.keys(log.deliveries())).toEqual(numbered(100));
  });
});
