import { describe, expect, test } from 'vitest';
import { pageOf, parsePage, type PagingRules } from './page.js';

const BOTH: PagingRules = { offset: 'count-or-end-time', cap: 500 };
const COUNT: PagingRules = { offset: 'count', cap: 100 };
const rows = Array.from({ length: 30 }, (_, index) => ({ index, at: 2e12 - index * 1_000 }));

const shown = (query: string, rules: PagingRules) => {
  const page = parsePage(new URLSearchParams(query), rules);
  return page && pageOf(rows, page, ({ at }) => at).map(({ index }) => index);
};

describe('a page', () => {
  test('a page has twenty rows by default', () => {
    expect(shown('', BOTH)).toHaveLength(20);
    expect(shown('limit=', BOTH)).toHaveLength(20);
    expect(shown('limit=25', BOTH)).toHaveLength(25);
  });

  test('a page skips a number of records', () => {
    expect(shown('limit=2&offset=3', BOTH)).toEqual([3, 4]);
    expect(shown('offset=30', BOTH)).toEqual([]);
    expect(shown('limit=1&offset=99999999999', BOTH)).toEqual([]);
  });

  test('an offset is an end time in ms, or a number of records: both answers', () => {
    expect(shown(`limit=2&offset=${2e12 - 4_000}`, BOTH)).toEqual([4, 5]);
    expect(shown(`limit=2&offset=${2e12 - 4_000}`, COUNT)).toEqual([]);
  });

  test('a limit is capped', () => {
    expect(parsePage(new URLSearchParams('limit=9999'), BOTH)?.limit).toBe(500);
    expect(parsePage(new URLSearchParams('limit=9999'), COUNT)?.limit).toBe(100);
  });

  test('the first of repeated keys counts', () => {
    expect(shown('limit=1&limit=5', BOTH)).toEqual([0]);
  });

  test.each([
    'limit=many',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'offset=-1',
    'offset=x',
  ])('a page with %s is refused', (query) => {
    expect(shown(query, BOTH)).toBeUndefined();
  });
});
