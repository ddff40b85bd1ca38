import { describe, expect, it } from 'vitest';
import { readPages, type PagedList } from './list-pages.js';

interface Item {
  readonly id: string;
  readonly at: number;
}
const START = 1_746_403_200_000;

/** Newest first, one a second. */
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, at: START - index * 1_000 }));

interface Server {
  /** Rows of one answer at most. */
  readonly cap: number;
  readonly offset: 'count' | 'time' | 'both';
}

function listOf(
  rows: readonly Item[],
  { cap, offset: meaning }: Server,
): PagedList<Item> & { calls: number } {
  const list = {
    calls: 0,
    keyOf: (item: Item) => item.id,
    timeOf: (item: Item) => item.at,
    read({ limit, offset }: { limit: number; offset?: number }) {
      list.calls += 1;
      const byTime = meaning === 'time' || (meaning === 'both' && (offset ?? 0) >= 1e11);
      const from =
        offset === undefined
          ? rows
          : byTime
            ? rows.filter((row) => row.at < offset)
            : rows.slice(offset);
      return Promise.resolve(from.slice(0, Math.min(limit, cap)));
    },
  };
  return list;
}

describe('readPages', () => {
  it.each<Server>([
    { cap: 500, offset: 'count' },
    { cap: 500, offset: 'time' },
    { cap: 500, offset: 'both' },
    { cap: 20, offset: 'count' },
    { cap: 20, offset: 'time' },
    { cap: 20, offset: 'both' },
  ])(
    'readPages reads to the end, each row once: $cap rows a page, offset by $offset',
    async (server) => {
      const rows = items(250);
      expect(await readPages(listOf(rows, server), Infinity)).toEqual(rows);
    },
  );

  it('readPages returns no more rows than the limit', async () => {
    const list = listOf(items(250), { cap: 500, offset: 'count' });
    expect(await readPages(list, 20)).toHaveLength(20);
    expect(list.calls).toBe(1);
    expect(await readPages(list, 120)).toHaveLength(120);
    const short = listOf(items(250), { cap: 30, offset: 'count' });
    expect(await readPages(short, 50)).toHaveLength(50);
  });

  it('readPages needs one call for an empty list', async () => {
    const list = listOf([], { cap: 500, offset: 'count' });
    expect(await readPages(list, Infinity)).toEqual([]);
    expect(list.calls).toBe(1);
  });

  it('readPages counts a row once when a new row pushes it onto the next page', async () => {
    const rows = items(150);
    let calls = 0;
    const list: PagedList<Item> = {
      keyOf: (item) => item.id,
      read: ({ limit, offset = 0 }) => {
        const now = calls++ === 0 ? rows : [{ id: 'new', at: START + 1_000 }, ...rows];
        return Promise.resolve(now.slice(offset, offset + limit));
      },
    };
    const read = await readPages(list, Infinity);
    expect(read.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('readPages keeps equal rows of one page', async () => {
    const twins = [...items(2), ...items(2)];
    const list: PagedList<Item> = {
      keyOf: () => 'same',
      read: ({ offset = 0 }) => Promise.resolve(twins.slice(offset)),
    };
    expect(await readPages(list, Infinity)).toHaveLength(4);
  });
});
