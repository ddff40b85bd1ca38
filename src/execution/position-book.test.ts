import { describe, expect, it } from 'vitest';
import { positionRow } from '../../test/harness/position-row.js';
import { d } from '../../test/harness/risk-case.js';
import type { CloseReport, PositionReport } from '../core/account.js';
import type { Quantity } from '../core/fixed.js';
import { PositionBook } from './position-book.js';

const USDT = 'USDT' as const;
const BTC = 'BTCUSDT';

function fill(book: PositionBook, side: 'buy' | 'sell', quantity: string, price: string, at = 0) {
  const terms = { symbol: BTC, currency: USDT, side } as const;
  book.fill({ ...terms, quantity: d(quantity), price: d(price), monotonic: at });
}
const PATIENCE = 5_000;
const poll = (
  book: PositionBook,
  rows: readonly PositionReport[],
  startedAt: number,
  patience = PATIENCE,
) => book.observe(rows, { currency: USDT, startedAt }, () => patience);

/** A book that believes a long position of 1 BTC and has for long. */
function longOne(): PositionBook {
  const book = new PositionBook();
  book.begin([positionRow('1')], USDT, 0);
  return book;
}

describe('fills of our own', () => {
  it.each([
    { fills: [['buy', '1', '100']], quantity: '1', entry: '100' },
    { fills: [['sell', '2', '100']], quantity: '-2', entry: '100' },
    {
      fills: [
        ['buy', '1', '100'],
        ['buy', '3', '200'],
      ],
      quantity: '4',
      entry: '175',
    },
    {
      fills: [
        ['buy', '4', '175'],
        ['sell', '1', '300'],
      ],
      quantity: '3',
      entry: '175',
    },
    {
      fills: [
        ['buy', '1', '100'],
        ['sell', '1', '90'],
      ],
      quantity: '0',
      entry: undefined,
    },
    {
      fills: [
        ['buy', '1', '100'],
        ['sell', '3', '90'],
      ],
      quantity: '-2',
      entry: '90',
    },
    {
      fills: [
        ['sell', '3', '90'],
        ['buy', '1', '80'],
        ['buy', '2', '70'],
      ],
      quantity: '0',
      entry: undefined,
    },
  ] as const)('$fills make $quantity at $entry', ({ fills, quantity, entry }) => {
    const book = new PositionBook();
    for (const [side, amount, price] of fills) fill(book, side, amount, price);
    expect(book.quantity(BTC, USDT)).toBe(d(quantity));
    expect(book.entryPrice(BTC, USDT)).toBe(entry === undefined ? undefined : d(entry));
    expect([...book.open()]).toHaveLength(quantity === '0' ? 0 : 1);
  });

  it.each([
    { side: 'buy', price: '110', gain: '20' },
    { side: 'buy', price: '90', gain: '-20' },
    { side: 'sell', price: '110', gain: '-20' },
    { side: 'sell', price: '90', gain: '20' },
  ] as const)('of a $side of 2 at 100 are worth $gain at $price', ({ side, price, gain }) => {
    const book = new PositionBook();
    fill(book, side, '2', '100');
    expect(book.unrealised(BTC, USDT, d(price))).toBe(d(gain));
  });

  it('of one currency do not move the position of the other', () => {
    const book = new PositionBook();
    fill(book, 'buy', '1', '100');
    expect(book.quantity(BTC, 'INR')).toBe(0);
  });
});

describe('a poll', () => {
  it('that agrees says so, and its details are taken over', () => {
    const book = longOne();
    const shown = positionRow('1', { liquidationPrice: d('30000') });
    expect(poll(book, [shown], 10)).toEqual({ equal: true, discrepancies: [] });
    expect(book.report(BTC, USDT)).toBe(shown);
  });

  it('that was asked for before our last fill neither erases it nor agrees', () => {
    const book = new PositionBook();
    fill(book, 'buy', '1', '100', 1_000);
    for (const startedAt of [900, 1_000])
      expect(poll(book, [], startedAt)).toEqual({ equal: false, discrepancies: [] });
    expect(book.quantity(BTC, USDT)).toBe(d('1'));
  });

  it('that blips to nothing is not believed', () => {
    const book = longOne();
    const [blip] = poll(book, [], 40_000).discrepancies;
    expect(blip).toEqual({
      symbol: BTC,
      believed: d('1'),
      claimed: 0,
      since: 40_000,
      confirmed: false,
    });
    expect(book.quantity(BTC, USDT)).toBe(d('1'));
    poll(book, [positionRow('1')], 42_000);
    poll(book, [], 44_000);
    expect(poll(book, [], 46_000).discrepancies[0]?.confirmed, 'a new claim begins').toBe(false);
  });

  it.each([
    { at: [40_000, 42_000, 44_000], confirmed: false, named: 'too soon' },
    { at: [40_000, 45_000], confirmed: false, named: 'too few reads' },
    { at: [40_000, 42_000, 45_000], confirmed: true, named: 'three reads over five seconds' },
  ])('that repeats itself is confirmed: $confirmed ($named)', ({ at, confirmed }) => {
    const book = longOne();
    const last = at.map((startedAt) => poll(book, [], startedAt)).at(-1);
    expect(last?.discrepancies[0]?.confirmed).toBe(confirmed);
  });

  it('that claims something else each time is never confirmed', () => {
    const book = longOne();
    for (const [index, claimed] of ['2', '3', '2', '3', '2'].entries()) {
      const { discrepancies } = poll(book, [positionRow(claimed)], 40_000 + index * 5_000);
      expect(discrepancies[0]?.confirmed).toBe(false);
    }
  });

  it('needs the patience that it is given', () => {
    const book = longOne();
    for (let at = 40_000; at < 70_000; at += 2_000)
      expect(poll(book, [], at, 30_000).discrepancies[0]?.confirmed).toBe(false);
    expect(poll(book, [], 70_000, 30_000).discrepancies[0]?.confirmed).toBe(true);
  });

  it('that shows what was before our fill may lag for as long as reads may', () => {
    const book = longOne();
    fill(book, 'buy', '1', '60000', 100_000);
    for (let at = 101_000; at < 130_000; at += 2_000)
      expect(poll(book, [positionRow('1')], at).discrepancies[0]?.confirmed, `${at}`).toBe(false);
    expect(poll(book, [positionRow('1')], 131_000).discrepancies[0]?.confirmed).toBe(true);
  });

  it('of one currency says nothing about the other', () => {
    const book = new PositionBook();
    book.begin([positionRow('1', { currency: 'INR' })], 'INR', 0);
    expect(poll(book, [], 10).equal).toBe(true);
    expect(book.quantity(BTC, 'INR')).toBe(d('1'));
  });

  it('that shows a position nobody believed is a claim too', () => {
    const book = new PositionBook();
    const { equal, discrepancies } = poll(book, [positionRow('2', { side: 'short' })], 10);
    expect(equal).toBe(false);
    expect(discrepancies[0]).toMatchObject({ believed: 0, claimed: d('-2'), confirmed: false });
  });
});

describe('the venue’s picture', () => {
  it('taken as the beginning replaces all that was believed in its currency', () => {
    const book = new PositionBook();
    fill(book, 'buy', '5', '100');
    const eth = positionRow('2', { symbol: 'ETHUSDT', side: 'short', positionId: 'p2' });
    book.begin([eth], USDT, 10);
    expect(book.quantity(BTC, USDT)).toBe(0);
    expect(book.quantity('ETHUSDT', USDT)).toBe(d('-2'));
    expect(book.entryPrice('ETHUSDT', USDT)).toBe(d('60000'));
  });

  it('accepted for one symbol leaves older polls without a word', () => {
    const book = longOne();
    book.accept(BTC, USDT, undefined, 500);
    expect(poll(book, [positionRow('1')], 400)).toEqual({ equal: false, discrepancies: [] });
    expect(book.quantity(BTC, USDT)).toBe(0);
  });
});

describe('a row of position history', () => {
  const close = (fields: Partial<CloseReport>): CloseReport => ({
    rowId: 'r1',
    positionId: 'p1',
    symbol: BTC,
    currency: USDT,
    side: 'long',
    kind: 'closed',
    quantity: d('1'),
    entryPrice: d('60000'),
    closePrice: d('59000'),
    pnl: d('-1000'),
    openedAt: 0,
    closedAt: 1_000,
    ...fields,
  });

  it.each([
    { named: 'its close', fields: {}, proves: true },
    { named: 'its liquidation', fields: { kind: 'liquidated' as const }, proves: true },
    { named: 'a partial close', fields: { kind: 'partial' as const }, proves: false },
    { named: 'another position', fields: { positionId: 'p0' }, proves: false },
    {
      named: 'its other side, before it was reversed',
      fields: { side: 'short' as const },
      proves: false,
    },
    { named: 'another quantity', fields: { quantity: d<'quantity'>('2') }, proves: false },
  ])('of $named proves that it is gone: $proves', ({ fields, proves }) => {
    expect(longOne().provesClosed(BTC, USDT, [close(fields)])).toBe(proves);
  });

  it('proves nothing of a position whose id we do not know', () => {
    const book = new PositionBook();
    fill(book, 'buy', '1', '60000');
    expect(book.provesClosed(BTC, USDT, [close({})])).toBe(false);
    book.setPositionId(BTC, USDT, 'p1');
    expect(book.provesClosed(BTC, USDT, [close({})])).toBe(true);
  });

  it('proves nothing of the next position after a flat one', () => {
    const book = longOne();
    fill(book, 'sell', '1', '60000');
    fill(book, 'buy', '1', '60000');
    expect(book.provesClosed(BTC, USDT, [close({})])).toBe(false);
  });

  it('is not needed to know that nothing was open', () => {
    expect(new PositionBook().quantity(BTC, USDT)).toBe(0 as Quantity);
  });
});

describe('what of a position is not ours', () => {
  const bookWith = (theirs: string): PositionBook => {
    const book = new PositionBook();
    book.begin([positionRow('3')], USDT, 0);
    book.share(BTC, USDT, d(theirs));
    return book;
  };
  const shares = (book: PositionBook) => [book.foreign(BTC, USDT), book.own(BTC, USDT)];

  it('is told beside what is', () => {
    const book = bookWith('1');
    expect(shares(book)).toEqual([d('1'), d('2')]);
    expect([...book.open()]).toMatchObject([{ symbol: BTC, quantity: d('3'), foreign: d('1') }]);
  });

  it('of a symbol that nobody has seen is nothing', () => {
    expect(shares(new PositionBook())).toEqual([0, 0]);
  });

  it.each([
    { side: 'buy', quantity: '1', left: ['1', '3'] },
    { side: 'sell', quantity: '2', left: ['1', '0'] },
    { side: 'sell', quantity: '2.5', left: ['0.5', '0'] },
    { side: 'sell', quantity: '3', left: ['0', '0'] },
    { side: 'sell', quantity: '4', left: ['0', '-1'] },
  ] as const)('after a $side of ours of $quantity: $left', ({ side, quantity, left }) => {
    const book = bookWith('1');
    fill(book, side, quantity, '60000');
    expect(shares(book)).toEqual(left.map((text) => d(text)));
  });

  it.each([
    { shown: '3', beyond: '0', left: ['1', '2'] },
    { shown: '2.5', beyond: '0', left: ['0.5', '2'] },
    { shown: '5', beyond: '2', left: ['3', '2'] },
    { shown: '4', beyond: '0', left: ['1', '3'] },
  ])('once $shown is taken over, $beyond of it beyond our orders: $left', (of) => {
    const book = bookWith('1');
    book.accept(BTC, USDT, positionRow(of.shown), 500, d<'quantity'>(of.beyond));
    expect(shares(book)).toEqual(of.left.map((text) => d(text)));
  });

  it('is never more than the position, nor of the other sign', () => {
    expect(shares(bookWith('5'))).toEqual([d('3'), 0]);
    expect(shares(bookWith('-1'))).toEqual([0, d('3')]);
  });
});

describe('what a list that lags may show', () => {
  const visible = (book: PositionBook, at: number) => book.visible(BTC, USDT, at);

  it('of a symbol that nobody has seen: nothing open', () => {
    expect(visible(new PositionBook(), 0)).toEqual([0]);
  });

  it.each([
    { at: 1_000, shows: ['1', '0'] },
    { at: 30_999, shows: ['1', '0'] },
    { at: 31_000, shows: ['1'] },
  ])('$at ms after a start, a fill at 1,000 ms: $shows', ({ at, shows }) => {
    const book = new PositionBook();
    fill(book, 'buy', '1', '100', 1_000);
    expect(visible(book, at)).toEqual(shows.map((text) => d(text)));
  });

  it('is remembered of the last sixteen fills', () => {
    const book = new PositionBook();
    for (let fills = 0; fills < 17; fills += 1) fill(book, 'buy', '1', '100', fills);
    expect(visible(book, 20)).toEqual(
      [17, ...Array.from({ length: 16 }, (_, index) => index + 1)].map((held) => d(`${held}`)),
    );
  });

  it('begins at our last fill', () => {
    const book = new PositionBook();
    expect(book.filledAt(BTC, USDT)).toBe(Number.NEGATIVE_INFINITY);
    book.begin([positionRow('1')], USDT, 10);
    expect(book.filledAt(BTC, USDT)).toBe(Number.NEGATIVE_INFINITY);
    fill(book, 'buy', '1', '100', 20);
    expect(book.filledAt(BTC, USDT)).toBe(20);
  });
});

describe('a claim of the venue', () => {
  const claimed = (book: PositionBook) => book.claimed(BTC, USDT);

  it('is told until a poll agrees, a fill comes, or it is taken over', () => {
    for (const settle of [
      (book: PositionBook) => poll(book, [positionRow('1')], 50_000),
      (book: PositionBook) => {
        fill(book, 'buy', '1', '60000', 50_000);
      },
      (book: PositionBook) => {
        book.accept(BTC, USDT, positionRow('2'), 50_000);
      },
    ]) {
      const book = longOne();
      expect(claimed(book)).toBeUndefined();
      poll(book, [positionRow('2')], 40_000);
      expect(claimed(book)).toBe(d('2'));
      settle(book);
      expect(claimed(book)).toBeUndefined();
    }
  });

  it('of a short is below 0', () => {
    const book = longOne();
    poll(book, [positionRow('2', { side: 'short' })], 40_000);
    expect(claimed(book)).toBe(d('-2'));
  });

  it('is given patience by its symbol and by what is claimed', () => {
    const book = longOne();
    const asked: unknown[] = [];
    book.observe([positionRow('2')], { currency: USDT, startedAt: 40_000 }, (symbol, quantity) => {
      asked.push([symbol, quantity]);
      return 0;
    });
    expect(asked).toEqual([[BTC, d('2')]]);
  });

  it.each([
    { ms: 29_999, confirmed: false },
    { ms: 30_000, confirmed: true },
  ])('that shows what was before a fill is confirmed $ms ms after it: $confirmed', (of) => {
    const book = longOne();
    fill(book, 'buy', '1', '60000', 100_000);
    for (const at of [110_000, 120_000]) poll(book, [positionRow('1')], at);
    const { discrepancies } = poll(book, [positionRow('1')], 100_000 + of.ms);
    expect(discrepancies[0]?.confirmed).toBe(of.confirmed);
  });

  it('is none of a symbol that nobody has seen', () => {
    const book = new PositionBook();
    expect(claimed(book)).toBeUndefined();
    expect(book.report(BTC, USDT)).toBeUndefined();
    expect(book.provesClosed(BTC, USDT, [])).toBe(false);
  });

  it('tells since when it stands', () => {
    const book = longOne();
    poll(book, [], 40_000);
    expect(poll(book, [], 42_000).discrepancies[0]?.since).toBe(40_000);
    expect(poll(book, [positionRow('2')], 44_000).discrepancies[0]?.since, 'another claim').toBe(
      44_000,
    );
  });

  it('of several symbols is one claim each', () => {
    const book = longOne();
    const eth = positionRow('1', { symbol: 'ETHUSDT', positionId: 'p2' });
    const { equal, discrepancies } = poll(book, [positionRow('1'), eth], 40_000);
    expect(equal).toBe(false);
    expect(discrepancies.map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
  });

  it('that nothing is open agrees with a book that is flat', () => {
    const book = longOne();
    fill(book, 'sell', '1', '60000', 100);
    expect(poll(book, [], 200)).toEqual({ equal: true, discrepancies: [] });
    expect(book.report(BTC, USDT)).toBeUndefined();
  });
});

describe('a position that the venue names', () => {
  const CLOSED: CloseReport = {
    rowId: 'r1',
    positionId: 'p7',
    symbol: BTC,
    currency: USDT,
    side: 'long',
    kind: 'closed',
    quantity: d('1'),
    entryPrice: d('60000'),
    closePrice: d('59000'),
    pnl: d('-1000'),
    openedAt: 0,
    closedAt: 1_000,
  };

  it.each([
    {
      how: 'a poll that agrees',
      tell: (book: PositionBook) => poll(book, [positionRow('1', { positionId: 'p7' })], 10),
    },
    {
      how: 'a claim that is taken over',
      tell: (book: PositionBook) => {
        book.accept(BTC, USDT, positionRow('1', { positionId: 'p7' }), 10);
      },
    },
    {
      how: 'the answer to an order',
      tell: (book: PositionBook) => {
        book.setPositionId(BTC, USDT, 'p7');
      },
    },
  ])('by $how is proved closed by that name', ({ tell }) => {
    const book = longOne();
    expect(book.provesClosed(BTC, USDT, [CLOSED])).toBe(false);
    tell(book);
    expect(book.provesClosed(BTC, USDT, [CLOSED])).toBe(true);
    expect(book.provesClosed(BTC, USDT, [])).toBe(false);
  });

  it('keeps its name through a fill that leaves something open', () => {
    const book = longOne();
    book.setPositionId(BTC, USDT, 'p7');
    fill(book, 'sell', '0.5', '60000');
    expect(book.provesClosed(BTC, USDT, [{ ...CLOSED, quantity: d('0.5') }])).toBe(true);
  });

  it('keeps the name that our order told, where a list that lags shows another of its size', () => {
    const book = new PositionBook();
    fill(book, 'buy', '1', '60000');
    book.setPositionId(BTC, USDT, 'p7');
    const see = (startedAt: number): boolean => {
      const poll = { currency: USDT, startedAt };
      book.observe([positionRow('1', { positionId: 'p1' })], poll, () => 0);
      return book.provesClosed(BTC, USDT, [CLOSED]);
    };
    expect(see(20_000)).toBe(true);
    expect(see(40_000), 'by now it cannot lag').toBe(false);
  });

  it('is worth nothing, and has no entry, once it is flat', () => {
    const book = longOne();
    expect(book.unrealised(BTC, USDT, d('60001'))).toBe(d('1'));
    book.accept(BTC, USDT, undefined, 10);
    expect(book.unrealised(BTC, USDT, d('60001'))).toBe(0);
    expect(book.entryPrice(BTC, USDT)).toBeUndefined();
    expect(book.unrealised('ETHUSDT', USDT, d('1'))).toBe(0);
    expect(book.entryPrice('ETHUSDT', USDT)).toBeUndefined();
  });

  it('of the other currency stays where belief begins in one', () => {
    const book = new PositionBook();
    book.begin([positionRow('2', { currency: 'INR' })], 'INR', 0);
    book.begin([positionRow('1')], USDT, 0);
    expect(book.quantity(BTC, 'INR')).toBe(d('2'));
    expect(book.report(BTC, USDT)).toMatchObject({ quantity: d('1') });
  });
});
