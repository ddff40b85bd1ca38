import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../core/request.js';
import type { ListRange } from '../futures-api.js';
import { ListCache, IncrementalHistory } from './list-cache.js';
import { readList, type PaginatedList } from './paginated-list.js';

interface Row {
  readonly id: string;
  /** ms UTC, whole seconds. */
  readonly at: number;
}

const START = Date.UTC(2025, 4, 5);
const row = (number: number, at = START + number * 1_000): Row => ({ id: `r${number}`, at });
const rowsOf = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, number) => row(number)).reverse();

type Meaning = 'time' | 'count' | 'either';

/** A list of the venue, newest first, and its meaning of `offset`. */
function venueOf<R extends Row>(
  rows: readonly R[],
  { meaning, cap }: { readonly meaning: Meaning; readonly cap: number },
  meanwhile: (calls: number, rows: readonly R[]) => readonly R[] = (_, unchanged) => unchanged,
) {
  const requested: ListRange[] = [];
  let permits = 0;
  let now = rows;
  const list: PaginatedList<R> = {
    read: (range) => {
      requested.push(range);
      const { limit = 20, offset = 0 } = range;
      const isTime = meaning === 'time' || (meaning === 'either' && offset >= 1e11);
      const seen = isTime && offset > 0 ? now.filter(({ at }) => at <= offset) : now;
      const skip = isTime ? 0 : offset;
      const page = seen.slice(skip, skip + Math.min(limit, cap));
      now = meanwhile(requested.length, now);
      return Promise.resolve({ kind: 'yes', value: page });
    },
    keyOf: ({ id }) => id,
    timeOf: ({ at }) => at,
    pageRows: 500,
    acquirePermit: () => {
      permits += 1;
      return Promise.resolve();
    },
  };
  return { list, requested, permits: () => permits };
}

const idsOf = (outcome: Outcome<readonly Row[]>): readonly string[] =>
  outcome.kind === 'yes' ? outcome.value.map(({ id }) => id).sort() : [outcome.kind];
const all = (rows: readonly Row[]): string[] => rows.map(({ id }) => id).sort();

describe('a list of the venue', () => {
  it('a short list is read by one call', async () => {
    const { list, requested, permits } = venueOf(rowsOf(19), { meaning: 'time', cap: 500 });
    expect(idsOf(await readList(list))).toEqual(all(rowsOf(19)));
    expect(requested).toEqual([{ limit: 500 }]);
    expect(permits()).toBe(0);
  });

  it.each(
    (['time', 'count', 'either'] as const).flatMap((meaning) =>
      [20, 50, 100, 500].map((cap) => ({ meaning, cap })),
    ),
  )('a list is complete if offset is $meaning and a page has $cap rows', async (venue) => {
    const rows = rowsOf(247);
    const { list, requested, permits } = venueOf(rows, venue);
    expect(idsOf(await readList(list))).toEqual(all(rows));
    expect(permits(), 'every call but the first waits for its permit').toBe(requested.length - 1);
  });

  it('a list with many rows of one second is complete if offset can be a count', async () => {
    const rows = Array.from({ length: 120 }, (_, number) => row(number, START));
    const { list } = venueOf(rows, { meaning: 'either', cap: 50 });
    expect(idsOf(await readList(list))).toEqual(all(rows));
  });

  it('a list has every permanent row, even if others come and go meanwhile', async () => {
    const venue = fc.record({
      meaning: fc.constantFrom<Meaning>('time', 'count', 'either'),
      cap: fc.constantFrom(20, 30, 100),
    });
    const changes = fc.array(
      fc.record({ added: fc.nat(4), removed: fc.array(fc.nat(199), { maxLength: 2 }) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200 }),
        venue,
        changes,
        async (count, of, diff) => {
          let next = 1_000;
          const removed = new Set<string>();
          const { list } = venueOf(rowsOf(count), of, (calls, rows) => {
            const change = diff[calls - 1];
            if (change === undefined) return rows;
            for (const number of change.removed) removed.add(`r${number}`);
            const added = Array.from({ length: change.added }, () => row(next++));
            return [...added.reverse(), ...rows].filter(({ id }) => !removed.has(id));
          });
          const read = new Set(idsOf(await readList(list)));
          const stayed = rowsOf(count).filter(({ id }) => !removed.has(id));
          expect(stayed.filter(({ id }) => !read.has(id))).toEqual([]);
        },
      ),
    );
  });

  it('a list is read only until its rows suffice', async () => {
    const { list, requested } = venueOf(rowsOf(247), { meaning: 'time', cap: 50 });
    const from = START + 180_000;
    const outcome = await readList({
      ...list,
      isEnough: (rows) => rows.some(({ at }) => at < from),
    });
    expect(idsOf(outcome)).toEqual(
      expect.arrayContaining(all(rowsOf(247).filter(({ at }) => at >= from))),
    );
    expect(requested).toHaveLength(2);
  });

  it('a failed page fails the list', async () => {
    const { list } = venueOf(rowsOf(60), { meaning: 'time', cap: 50 });
    let calls = 0;
    const failing: typeof list.read = (range) => {
      calls += 1;
      if (calls === 1) return list.read(range);
      return Promise.resolve({ kind: 'unknown', cause: 'HTTP 500', sent: true, status: 500 });
    };
    expect(await readList({ ...list, read: failing })).toMatchObject({
      kind: 'unknown',
      status: 500,
    });
  });

  it('a list without an end is unknown', async () => {
    let next = 10_000;
    const { list, requested } = venueOf<Row>([], { meaning: 'time', cap: 500 });
    const endless: typeof list.read = (range) => {
      requested.push(range);
      const page = Array.from({ length: 30 }, () => row((next -= 1)));
      return Promise.resolve({ kind: 'yes', value: page });
    };
    const outcome = await readList({ ...list, read: endless });
    expect(outcome).toMatchObject({
      kind: 'unknown',
      cause: expect.stringContaining('does not end'),
    });
    expect(requested.length).toBeLessThanOrEqual(60);
  });

  describe('a polled list', () => {
    const readTwice = async (
      first: readonly Row[],
      second: readonly Row[],
      cap = 500,
    ): Promise<{ readonly calls: number; readonly ids: readonly string[] }> => {
      const cache = new ListCache();
      const venue = { meaning: 'either', cap } as const;
      await readList({ ...venueOf(first, venue).list, cache });
      const again = venueOf(second, venue);
      const ids = idsOf(await readList({ ...again.list, cache }));
      return { calls: again.requested.length, ids };
    };

    it('one call suffices while the list is unchanged or has lost rows', async () => {
      const rows = rowsOf(40);
      expect((await readTwice(rows, rows)).calls).toBe(1);
      expect((await readTwice(rows, rows.slice(5))).calls).toBe(1);
    });

    it('one call suffices if the venue has returned a longer page', async () => {
      const { calls, ids } = await readTwice(rowsOf(40), rowsOf(60).slice(0, 39));
      expect({ calls, rows: ids.length }).toEqual({ calls: 1, rows: 39 });
    });

    it.each([20, 25, 40])(
      'the list is read to its end when it grows past a page of %i',
      async (cap) => {
        const { ids } = await readTwice(rowsOf(cap), rowsOf(cap + 7), cap);
        expect(ids).toEqual(all(rowsOf(cap + 7)));
      },
    );

    it('the list has every row, however it changes between reads', async () => {
      const change = fc.record({
        drop: fc.integer({ min: 0, max: 30 }),
        add: fc.integer({ min: 0, max: 30 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(20, 37, 50),
          fc.array(change, { maxLength: 8 }),
          async (cap, changes) => {
            const cache = new ListCache();
            let rows = rowsOf(45);
            let next = 45;
            for (const { drop, add } of changes) {
              const added = Array.from({ length: add }, (_, at) => row(next + at)).reverse();
              next += add;
              rows = [...added, ...rows.filter((_, at) => at % 7 !== 0 || at / 7 >= drop)];
              const { list } = venueOf(rows, { meaning: 'either', cap });
              expect(idsOf(await readList({ ...list, cache }))).toEqual(all(rows));
            }
          },
        ),
      );
    });

    it('the list is read to its end from time to time', async () => {
      const cache = new ListCache();
      const calls: number[] = [];
      for (let reading = 0; reading < 23; reading += 1) {
        const { list, requested } = venueOf(rowsOf(40), { meaning: 'either', cap: 500 });
        await readList({ ...list, cache });
        calls.push(requested.length);
      }
      expect(calls.filter((count) => count > 1)).toHaveLength(2);
    });
  });

  describe('a list that only grows', () => {
    interface Order extends Row {
      readonly open: boolean;
    }
    const memory = () =>
      new IncrementalHistory<Order>({ timeOf: ({ at }) => at, isFinal: ({ open }) => !open });
    const ordersOf = (count: number, isOpen: (number: number) => boolean = () => false) =>
      rowsOf(count).map((each, at) => ({ ...each, open: isOpen(count - 1 - at) }));
    const read = async (
      rows: readonly Order[],
      list: IncrementalHistory<Order>,
      { cap = 500, from = START } = {},
    ) => {
      const venue = venueOf(rows, { meaning: 'either', cap });
      const outcome = await readList({
        ...venue.list,
        history: { list, from },
        isEnough: (found) => found.some(({ at }) => at < from),
      });
      return { calls: venue.requested.length, ids: idsOf(outcome), outcome };
    };

    it('one call suffices when a row of the first page is known', async () => {
      const list = memory();
      expect((await read(ordersOf(60), list, { cap: 20 })).calls).toBeGreaterThan(3);
      const again = await read(ordersOf(75), list, { cap: 20 });
      expect(again).toMatchObject({ calls: 1, ids: all(rowsOf(75)) });
    });

    it('further pages are read if more rows have arrived than a page holds', async () => {
      const list = memory();
      await read(ordersOf(60), list, { cap: 20 });
      expect((await read(ordersOf(80), list, { cap: 20 })).ids).toEqual(all(rowsOf(80)));
    });

    it('further pages are read if an older row was not final', async () => {
      const list = memory();
      await read(
        ordersOf(60, (number) => number === 3),
        list,
        { cap: 20 },
      );
      const { outcome } = await read(ordersOf(61), list, { cap: 20 });
      const rows = outcome.kind === 'yes' ? outcome.value : [];
      expect(rows.find(({ id }) => id === 'r3')).toMatchObject({ open: false });
    });

    it('further pages are read if older rows are requested than were read', async () => {
      const list = memory();
      await read(ordersOf(60), list, { cap: 20, from: START + 40_000 });
      expect((await read(ordersOf(61), list, { cap: 20 })).ids).toEqual(all(rowsOf(61)));
    });

    it('the list has every current row since the requested time, however it grew', async () => {
      const step = fc.record({
        add: fc.integer({ min: 0, max: 40 }),
        from: fc.integer({ min: 0, max: 60 }),
        closed: fc.integer({ min: 0, max: 60 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(20, 37, 100),
          fc.array(step, { maxLength: 8 }),
          async (cap, steps) => {
            const list = memory();
            let count = 25;
            let closed = 0;
            for (const each of steps) {
              count += each.add;
              closed = Math.max(closed, each.closed);
              const from = START + each.from * 1_000;
              const rows = ordersOf(count, (number) => number > closed);
              const { outcome } = await read(rows, list, { cap, from });
              const found = outcome.kind === 'yes' ? outcome.value : [];
              const expected = rows.filter(({ at }) => at >= from);
              expect(found).toEqual(expect.arrayContaining(expected));
            }
          },
        ),
      );
    });
  });
});
