import { describe, expect, it } from 'vitest';
import { positionRow } from '../../test/support/builders/position-row.js';
import { d } from '../../test/support/builders/risk-case.js';
import type { CloseReport, PositionReport } from '../core/account.js';
import type { Quantity } from '../core/fixed/fixed.js';
import { PositionLedger } from './position-ledger.js';

const USDT = 'USDT' as const;
const BTC = 'BTCUSDT';

function fill(
  ledger: PositionLedger,
  side: 'buy' | 'sell',
  quantity: string,
  price: string,
  at = 0,
) {
  const terms = { symbol: BTC, currency: USDT, side } as const;
  ledger.applyFill({ ...terms, quantity: d(quantity), price: d(price), monotonic: at });
}
const PATIENCE = 5_000;
const poll = (
  ledger: PositionLedger,
  rows: readonly PositionReport[],
  startedAt: number,
  patience = PATIENCE,
) => ledger.observe(rows, { currency: USDT, startedAt }, () => patience);

/** A ledger with a long position of 1 BTC that has existed for long. */
function longOne(): PositionLedger {
  const ledger = new PositionLedger();
  ledger.initialize([positionRow('1')], USDT, 0);
  return ledger;
}

describe('own fills', () => {
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
  ] as const)('fills $fills make $quantity at $entry', ({ fills, quantity, entry }) => {
    const ledger = new PositionLedger();
    for (const [side, amount, price] of fills) fill(ledger, side, amount, price);
    expect(ledger.quantity(BTC, USDT)).toBe(d(quantity));
    expect(ledger.entryPrice(BTC, USDT)).toBe(entry === undefined ? undefined : d(entry));
    expect([...ledger.openPositions()]).toHaveLength(quantity === '0' ? 0 : 1);
  });

  it.each([
    { side: 'buy', price: '110', gain: '20' },
    { side: 'buy', price: '90', gain: '-20' },
    { side: 'sell', price: '110', gain: '-20' },
    { side: 'sell', price: '90', gain: '20' },
  ] as const)('a $side of 2 at 100 is worth $gain at $price', ({ side, price, gain }) => {
    const ledger = new PositionLedger();
    fill(ledger, side, '2', '100');
    expect(ledger.unrealised(BTC, USDT, d(price))).toBe(d(gain));
  });

  it('a fill in one currency does not move the position in the other', () => {
    const ledger = new PositionLedger();
    fill(ledger, 'buy', '1', '100');
    expect(ledger.quantity(BTC, 'INR')).toBe(0);
  });
});

describe('list of positions', () => {
  it('a list that agrees updates the details of the rows', () => {
    const ledger = longOne();
    const shown = positionRow('1', { liquidationPrice: d('30000') });
    expect(poll(ledger, [shown], 10)).toEqual({ equal: true, discrepancies: [] });
    expect(ledger.report(BTC, USDT)).toBe(shown);
  });

  it('a list requested before our last fill neither erases the fill nor agrees', () => {
    const ledger = new PositionLedger();
    fill(ledger, 'buy', '1', '100', 1_000);
    for (const startedAt of [900, 1_000])
      expect(poll(ledger, [], startedAt)).toEqual({ equal: false, discrepancies: [] });
    expect(ledger.quantity(BTC, USDT)).toBe(d('1'));
  });

  it('a list that is empty for a moment does not make the position flat', () => {
    const ledger = longOne();
    const [blip] = poll(ledger, [], 40_000).discrepancies;
    expect(blip).toEqual({
      symbol: BTC,
      tracked: d('1'),
      reported: 0,
      since: 40_000,
      confirmed: false,
    });
    expect(ledger.quantity(BTC, USDT)).toBe(d('1'));
    poll(ledger, [positionRow('1')], 42_000);
    poll(ledger, [], 44_000);
    expect(poll(ledger, [], 46_000).discrepancies[0]?.confirmed, 'a new claim begins').toBe(false);
  });

  it.each([
    { at: [40_000, 42_000, 44_000], confirmed: false, named: 'too soon' },
    { at: [40_000, 45_000], confirmed: false, named: 'too few reads' },
    { at: [40_000, 42_000, 45_000], confirmed: true, named: 'three reads over five seconds' },
  ])('a repeated difference is confirmed: $confirmed ($named)', ({ at, confirmed }) => {
    const ledger = longOne();
    const last = at.map((startedAt) => poll(ledger, [], startedAt)).at(-1);
    expect(last?.discrepancies[0]?.confirmed).toBe(confirmed);
  });

  it('a list that differs in another way each time is never confirmed', () => {
    const ledger = longOne();
    for (const [index, claimed] of ['2', '3', '2', '3', '2'].entries()) {
      const { discrepancies } = poll(ledger, [positionRow(claimed)], 40_000 + index * 5_000);
      expect(discrepancies[0]?.confirmed).toBe(false);
    }
  });

  it('a difference needs the patience that the caller asks for', () => {
    const ledger = longOne();
    for (let at = 40_000; at < 70_000; at += 2_000)
      expect(poll(ledger, [], at, 30_000).discrepancies[0]?.confirmed).toBe(false);
    expect(poll(ledger, [], 70_000, 30_000).discrepancies[0]?.confirmed).toBe(true);
  });

  it('a list that shows the quantity before our fill may lag for the read visibility time', () => {
    const ledger = longOne();
    fill(ledger, 'buy', '1', '60000', 100_000);
    for (let at = 101_000; at < 130_000; at += 2_000)
      expect(poll(ledger, [positionRow('1')], at).discrepancies[0]?.confirmed, `${at}`).toBe(false);
    expect(poll(ledger, [positionRow('1')], 131_000).discrepancies[0]?.confirmed).toBe(true);
  });

  it('a list of one currency is no evidence for the other', () => {
    const ledger = new PositionLedger();
    ledger.initialize([positionRow('1', { currency: 'INR' })], 'INR', 0);
    expect(poll(ledger, [], 10).equal).toBe(true);
    expect(ledger.quantity(BTC, 'INR')).toBe(d('1'));
  });

  it('a list that shows an untracked position is a discrepancy too', () => {
    const ledger = new PositionLedger();
    const { equal, discrepancies } = poll(ledger, [positionRow('2', { side: 'short' })], 10);
    expect(equal).toBe(false);
    expect(discrepancies[0]).toMatchObject({ tracked: 0, reported: d('-2'), confirmed: false });
  });
});

describe('initial and accepted reports', () => {
  it('initialising replaces every tracked position of the currency', () => {
    const ledger = new PositionLedger();
    fill(ledger, 'buy', '5', '100');
    const eth = positionRow('2', { symbol: 'ETHUSDT', side: 'short', positionId: 'p2' });
    ledger.initialize([eth], USDT, 10);
    expect(ledger.quantity(BTC, USDT)).toBe(0);
    expect(ledger.quantity('ETHUSDT', USDT)).toBe(d('-2'));
    expect(ledger.entryPrice('ETHUSDT', USDT)).toBe(d('60000'));
  });

  it('accepting one symbol makes older lists count for nothing', () => {
    const ledger = longOne();
    ledger.acceptReport(BTC, USDT, undefined, 500);
    expect(poll(ledger, [positionRow('1')], 400)).toEqual({ equal: false, discrepancies: [] });
    expect(ledger.quantity(BTC, USDT)).toBe(0);
  });
});

describe('row of position history', () => {
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
  ])('a row of $named proves the close: $proves', ({ fields, proves }) => {
    expect(longOne().provesClosed(BTC, USDT, [close(fields)])).toBe(proves);
  });

  it('a row proves nothing about a position without an id', () => {
    const ledger = new PositionLedger();
    fill(ledger, 'buy', '1', '60000');
    expect(ledger.provesClosed(BTC, USDT, [close({})])).toBe(false);
    ledger.setPositionId(BTC, USDT, 'p1');
    expect(ledger.provesClosed(BTC, USDT, [close({})])).toBe(true);
  });

  it('a row proves nothing about the position that follows a flat one', () => {
    const ledger = longOne();
    fill(ledger, 'sell', '1', '60000');
    fill(ledger, 'buy', '1', '60000');
    expect(ledger.provesClosed(BTC, USDT, [close({})])).toBe(false);
  });

  it('a position that was never open needs no row', () => {
    expect(new PositionLedger().quantity(BTC, USDT)).toBe(0 as Quantity);
  });
});

describe('external part of a position', () => {
  const bookWith = (theirs: string): PositionLedger => {
    const ledger = new PositionLedger();
    ledger.initialize([positionRow('3')], USDT, 0);
    ledger.setExternalShare(BTC, USDT, d(theirs));
    return ledger;
  };
  const shares = (ledger: PositionLedger) => [
    ledger.externalQuantity(BTC, USDT),
    ledger.ownQuantity(BTC, USDT),
  ];

  it('the ledger keeps the external and the own part', () => {
    const ledger = bookWith('1');
    expect(shares(ledger)).toEqual([d('1'), d('2')]);
    expect([...ledger.openPositions()]).toMatchObject([
      { symbol: BTC, quantity: d('3'), external: d('1') },
    ]);
  });

  it('an unknown symbol has no external part', () => {
    expect(shares(new PositionLedger())).toEqual([0, 0]);
  });

  it.each([
    { side: 'buy', quantity: '1', left: ['1', '3'] },
    { side: 'sell', quantity: '2', left: ['1', '0'] },
    { side: 'sell', quantity: '2.5', left: ['0.5', '0'] },
    { side: 'sell', quantity: '3', left: ['0', '0'] },
    { side: 'sell', quantity: '4', left: ['0', '-1'] },
  ] as const)('our $side of $quantity leaves $left external', ({ side, quantity, left }) => {
    const ledger = bookWith('1');
    fill(ledger, side, quantity, '60000');
    expect(shares(ledger)).toEqual(left.map((text) => d(text)));
  });

  it.each([
    { shown: '3', beyond: '0', left: ['1', '2'] },
    { shown: '2.5', beyond: '0', left: ['0.5', '2'] },
    { shown: '5', beyond: '2', left: ['3', '2'] },
    { shown: '4', beyond: '0', left: ['1', '3'] },
  ])('accepting $shown with $beyond unexplained leaves $left external', (of) => {
    const ledger = bookWith('1');
    ledger.acceptReport(BTC, USDT, positionRow(of.shown), 500, d<'quantity'>(of.beyond));
    expect(shares(ledger)).toEqual(of.left.map((text) => d(text)));
  });

  it('the external part never exceeds the position and has its sign', () => {
    expect(shares(bookWith('5'))).toEqual([d('3'), 0]);
    expect(shares(bookWith('-1'))).toEqual([0, d('3')]);
  });
});

describe('quantities that a lagging list may show', () => {
  const visible = (ledger: PositionLedger, at: number) =>
    ledger.acceptableQuantities(BTC, USDT, at);

  it('an unknown symbol may only be shown flat', () => {
    expect(visible(new PositionLedger(), 0)).toEqual([0]);
  });

  it.each([
    { at: 1_000, shows: ['1', '0'] },
    { at: 30_999, shows: ['1', '0'] },
    { at: 31_000, shows: ['1'] },
  ])(
    'a list begun $at ms after the start, with a fill at 1,000 ms, may show $shows',
    ({ at, shows }) => {
      const ledger = new PositionLedger();
      fill(ledger, 'buy', '1', '100', 1_000);
      expect(visible(ledger, at)).toEqual(shows.map((text) => d(text)));
    },
  );

  it('the ledger remembers the quantities before the last sixteen fills', () => {
    const ledger = new PositionLedger();
    for (let fills = 0; fills < 17; fills += 1) fill(ledger, 'buy', '1', '100', fills);
    expect(visible(ledger, 20)).toEqual(
      [17, ...Array.from({ length: 16 }, (_, index) => index + 1)].map((held) => d(`${held}`)),
    );
  });

  it('only our own fills move the time of the last fill', () => {
    const ledger = new PositionLedger();
    expect(ledger.filledAt(BTC, USDT)).toBe(Number.NEGATIVE_INFINITY);
    ledger.initialize([positionRow('1')], USDT, 10);
    expect(ledger.filledAt(BTC, USDT)).toBe(Number.NEGATIVE_INFINITY);
    fill(ledger, 'buy', '1', '100', 20);
    expect(ledger.filledAt(BTC, USDT)).toBe(20);
  });
});

describe('reported quantity', () => {
  const claimed = (ledger: PositionLedger) => ledger.reportedQuantity(BTC, USDT);

  it('a reported quantity stays until a list agrees, a fill comes, or it is accepted', () => {
    for (const settle of [
      (ledger: PositionLedger) => poll(ledger, [positionRow('1')], 50_000),
      (ledger: PositionLedger) => {
        fill(ledger, 'buy', '1', '60000', 50_000);
      },
      (ledger: PositionLedger) => {
        ledger.acceptReport(BTC, USDT, positionRow('2'), 50_000);
      },
    ]) {
      const ledger = longOne();
      expect(claimed(ledger)).toBeUndefined();
      poll(ledger, [positionRow('2')], 40_000);
      expect(claimed(ledger)).toBe(d('2'));
      settle(ledger);
      expect(claimed(ledger)).toBeUndefined();
    }
  });

  it('a reported short is below 0', () => {
    const ledger = longOne();
    poll(ledger, [positionRow('2', { side: 'short' })], 40_000);
    expect(claimed(ledger)).toBe(d('-2'));
  });

  it('the patience depends on the symbol and the reported quantity', () => {
    const ledger = longOne();
    const asked: unknown[] = [];
    ledger.observe(
      [positionRow('2')],
      { currency: USDT, startedAt: 40_000 },
      (symbol, quantity) => {
        asked.push([symbol, quantity]);
        return 0;
      },
    );
    expect(asked).toEqual([[BTC, d('2')]]);
  });

  it.each([
    { ms: 29_999, confirmed: false },
    { ms: 30_000, confirmed: true },
  ])(
    'a list that repeats the quantity before a fill is confirmed $ms ms after it: $confirmed',
    (of) => {
      const ledger = longOne();
      fill(ledger, 'buy', '1', '60000', 100_000);
      for (const at of [110_000, 120_000]) poll(ledger, [positionRow('1')], at);
      const { discrepancies } = poll(ledger, [positionRow('1')], 100_000 + of.ms);
      expect(discrepancies[0]?.confirmed).toBe(of.confirmed);
    },
  );

  it('an unknown symbol has no reported quantity', () => {
    const ledger = new PositionLedger();
    expect(claimed(ledger)).toBeUndefined();
    expect(ledger.report(BTC, USDT)).toBeUndefined();
    expect(ledger.provesClosed(BTC, USDT, [])).toBe(false);
  });

  it('a discrepancy carries the time since which it is reported', () => {
    const ledger = longOne();
    poll(ledger, [], 40_000);
    expect(poll(ledger, [], 42_000).discrepancies[0]?.since).toBe(40_000);
    expect(poll(ledger, [positionRow('2')], 44_000).discrepancies[0]?.since, 'another claim').toBe(
      44_000,
    );
  });

  it('each symbol has its own discrepancy', () => {
    const ledger = longOne();
    const eth = positionRow('1', { symbol: 'ETHUSDT', positionId: 'p2' });
    const { equal, discrepancies } = poll(ledger, [positionRow('1'), eth], 40_000);
    expect(equal).toBe(false);
    expect(discrepancies.map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
  });

  it('an empty list agrees with a flat ledger', () => {
    const ledger = longOne();
    fill(ledger, 'sell', '1', '60000', 100);
    expect(poll(ledger, [], 200)).toEqual({ equal: true, discrepancies: [] });
    expect(ledger.report(BTC, USDT)).toBeUndefined();
  });
});

describe('position id', () => {
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
      how: 'a list that agrees',
      observe: (ledger: PositionLedger) =>
        poll(ledger, [positionRow('1', { positionId: 'p7' })], 10),
    },
    {
      how: 'an accepted report',
      observe: (ledger: PositionLedger) => {
        ledger.acceptReport(BTC, USDT, positionRow('1', { positionId: 'p7' }), 10);
      },
    },
    {
      how: 'the reply to an order',
      observe: (ledger: PositionLedger) => {
        ledger.setPositionId(BTC, USDT, 'p7');
      },
    },
  ])('a position id from $how proves the close', ({ observe }) => {
    const ledger = longOne();
    expect(ledger.provesClosed(BTC, USDT, [CLOSED])).toBe(false);
    observe(ledger);
    expect(ledger.provesClosed(BTC, USDT, [CLOSED])).toBe(true);
    expect(ledger.provesClosed(BTC, USDT, [])).toBe(false);
  });

  it('a position keeps its id through a fill that leaves it open', () => {
    const ledger = longOne();
    ledger.setPositionId(BTC, USDT, 'p7');
    fill(ledger, 'sell', '0.5', '60000');
    expect(ledger.provesClosed(BTC, USDT, [{ ...CLOSED, quantity: d('0.5') }])).toBe(true);
  });

  it("a position keeps the id of our order's reply where a lagging list shows another of its size", () => {
    const ledger = new PositionLedger();
    fill(ledger, 'buy', '1', '60000');
    ledger.setPositionId(BTC, USDT, 'p7');
    const see = (startedAt: number): boolean => {
      const poll = { currency: USDT, startedAt };
      ledger.observe([positionRow('1', { positionId: 'p1' })], poll, () => 0);
      return ledger.provesClosed(BTC, USDT, [CLOSED]);
    };
    expect(see(20_000)).toBe(true);
    expect(see(40_000), 'by now it cannot lag').toBe(false);
  });

  it('a flat position has no entry price and is worth 0', () => {
    const ledger = longOne();
    expect(ledger.unrealised(BTC, USDT, d('60001'))).toBe(d('1'));
    ledger.acceptReport(BTC, USDT, undefined, 10);
    expect(ledger.unrealised(BTC, USDT, d('60001'))).toBe(0);
    expect(ledger.entryPrice(BTC, USDT)).toBeUndefined();
    expect(ledger.unrealised('ETHUSDT', USDT, d('1'))).toBe(0);
    expect(ledger.entryPrice('ETHUSDT', USDT)).toBeUndefined();
  });

  it('initialising one currency leaves the positions of the other', () => {
    const ledger = new PositionLedger();
    ledger.initialize([positionRow('2', { currency: 'INR' })], 'INR', 0);
    ledger.initialize([positionRow('1')], USDT, 0);
    expect(ledger.quantity(BTC, 'INR')).toBe(d('2'));
    expect(ledger.report(BTC, USDT)).toMatchObject({ quantity: d('1') });
  });
});
