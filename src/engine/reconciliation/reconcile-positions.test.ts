import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import { d, type IntentCase } from '../../../test/support/builders/risk-case.js';
import { absolute, sign, negate, fixed, type Quantity } from '../../core/fixed/fixed.js';
import { externalShare, withinPosition } from '../../execution/external-share.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import {
  widestPositionRange,
  judgePosition,
  possiblePositionRange,
} from './reconcile-positions.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const quantity = (value: string): Quantity => d(value);
const order = (of: IntentCase): OwnOrder => new ProtocolRig().order(of);
const text = (verdict: ReturnType<typeof judgePosition>): string =>
  'beyond' in verdict ? `${verdict.kind} ${scaledOf(verdict.beyond) / 1e8}` : verdict.kind;

interface Row {
  readonly believed: string;
  readonly claimed: string;
  readonly orders?: readonly IntentCase[];
  readonly external?: readonly [low: string, high: string];
  readonly verdict: string;
}

const buy = (size: string): IntentCase => ({ quantity: size });
const sell = (size: string): IntentCase => ({ quantity: size, side: 'sell' });
const exitOf = (size: string): IntentCase => ({ quantity: size, side: 'sell', exit: true });

const ROWS: readonly Row[] = [
  { believed: '0', claimed: '0', verdict: 'equal' },
  { believed: '1', claimed: '1', orders: [buy('5')], verdict: 'equal' },
  { believed: '0', claimed: '1', orders: [buy('1')], verdict: 'explained' },
  { believed: '0', claimed: '0.4', orders: [buy('1')], verdict: 'explained' },
  { believed: '1', claimed: '0', orders: [exitOf('1')], verdict: 'explained' },
  { believed: '1', claimed: '0', verdict: 'shrunk' },
  { believed: '-2', claimed: '-0.5', verdict: 'shrunk' },
  { believed: '1', claimed: '3', verdict: 'grown 2' },
  { believed: '0', claimed: '-1', verdict: 'grown -1' },
  { believed: '0', claimed: '1.5', orders: [buy('1')], verdict: 'grown 0.5' },
  { believed: '1', claimed: '-1', verdict: 'grown -1' },
  { believed: '1', claimed: '-1', orders: [sell('2')], verdict: 'explained' },
  // A reduction cannot reverse it.
  { believed: '1', claimed: '-1', orders: [exitOf('2')], verdict: 'grown -1' },
  { believed: '0', claimed: '1', external: ['0', '1'], verdict: 'foreign 1' },
  { believed: '0', claimed: '2', external: ['0', '1'], verdict: 'grown 2' },
  { believed: '0', claimed: '2', orders: [buy('1')], external: ['0', '1'], verdict: 'foreign 1' },
  { believed: '0', claimed: '-1', external: ['0', '1'], verdict: 'grown -1' },
];

describe('a position report of the venue', () => {
  it.each(ROWS)('$believed and $claimed is $verdict', (row) => {
    const believed = quantity(row.believed);
    const orders = (row.orders ?? []).map(order);
    const [low, high] = row.external ?? ['0', '0'];
    const verdict = judgePosition({
      believed,
      reported: quantity(row.claimed),
      own: possiblePositionRange(believed, orders),
      external: { low: quantity(low), high: quantity(high) },
    });
    expect(text(verdict)).toBe(row.verdict);
  });
});

const size = fc.integer({ min: -50, max: 50 }).map((n) => fixed<'quantity'>(n * 1e8));
const orderCase = fc.record({
  quantity: fc.integer({ min: 1, max: 20 }).map(String),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  exit: fc.boolean(),
});
const orders = fc.array(orderCase, { maxLength: 4 }).map((cases) => cases.map(order));
const reach = fc.tuple(size, size).map(([a, b]) => ({
  low: fixed<'quantity'>(Math.min(0, scaledOf(a), scaledOf(b))),
  high: fixed<'quantity'>(Math.max(0, scaledOf(a), scaledOf(b))),
}));
const NO_EXTERNAL = { low: quantity('0'), high: quantity('0') };

describe('the verdict on a position', () => {
  it('a claim beyond every order of ours is growth, and nothing else is', () => {
    fc.assert(
      fc.property(size, size, orders, (believed, reported, ours) => {
        const reached = possiblePositionRange(believed, ours);
        const verdict = judgePosition({ believed, reported, own: reached, external: NO_EXTERNAL });
        const further =
          reported > Math.max(0, scaledOf(reached.high)) ||
          reported < Math.min(0, scaledOf(reached.low));
        expect(verdict.kind === 'grown').toBe(further && reported !== believed);
      }),
    );
  });

  it('another order of ours never explains less of a claim', () => {
    fc.assert(
      fc.property(size, size, orders, orderCase, (believed, reported, ours, more) => {
        const judge = (all: readonly OwnOrder[]) =>
          judgePosition({
            believed,
            reported,
            own: possiblePositionRange(believed, all),
            external: NO_EXTERNAL,
          });
        const before = judge(ours);
        const after = judge([...ours, order(more)]);
        const beyond = (v: typeof before): number =>
          'beyond' in v ? scaledOf(absolute(v.beyond)) : 0;
        expect(beyond(after)).toBeLessThanOrEqual(beyond(before));
      }),
    );
  });

  it('the unexplained part is part of the claim, and external orders explain no more than their range', () => {
    fc.assert(
      fc.property(size, size, orders, reach, (believed, reported, ours, external) => {
        const verdict = judgePosition({
          believed,
          reported,
          own: possiblePositionRange(believed, ours),
          external,
        });
        if (!('beyond' in verdict)) return;
        expect(sign(verdict.beyond)).toBe(sign(reported));
        expect(absolute(verdict.beyond)).toBeLessThanOrEqual(absolute(reported));
        const most = verdict.beyond > 0 ? external.high : negate(external.low);
        expect(verdict.kind === 'foreign').toBe(absolute(verdict.beyond) <= most);
      }),
    );
  });

  it('an accepted claim gives no verdict again (P26)', () => {
    fc.assert(
      fc.property(size, orders, reach, (reported, ours, external) => {
        const own = possiblePositionRange(reported, ours);
        const sides = { believed: reported, reported, own, external };
        expect(judgePosition(sides)).toEqual({ kind: 'equal' });
      }),
    );
  });

  it('the range reaches from the furthest of several positions', () => {
    const from = [quantity('0'), quantity('2')];
    expect(widestPositionRange(from, [order(sell('1'))])).toEqual({
      low: quantity('-1'),
      high: quantity('2'),
    });
  });
});

it('a reduction may have filled before a later reported change', () => {
  const from = [quantity('-3'), quantity('-4')];
  const reduction = order({ quantity: '4', side: 'buy', exit: true });
  expect(widestPositionRange(from, [reduction])).toEqual({
    low: quantity('-4'),
    high: quantity('1'),
  });
});

describe('the external share', () => {
  it.each([
    // before: quantity and external share; after: quantity and unexplained part; external share then
    ['0', '0', '2', '2', '2'],
    ['1', '0', '3', '2', '2'],
    ['3', '2', '2', '0', '1'],
    ['3', '2', '0.5', '0', '0'],
    ['3', '2', '0', '0', '0'],
    ['3', '2', '3', '0', '2'],
    ['-3', '-2', '-4', '-1', '-3'],
    ['1', '0', '-1', '-1', '-1'],
    ['3', '2', '-1', '-1', '0'],
  ])('of %s with %s theirs, at %s with %s beyond, is %s', (had, theirs, has, beyond, share) => {
    expect(
      externalShare(
        { quantity: quantity(had), external: quantity(theirs) },
        { quantity: quantity(has), unexplained: quantity(beyond) },
      ),
    ).toBe(quantity(share));
  });

  it('the external share has the position’s sign and never exceeds it', () => {
    fc.assert(
      fc.property(size, size, size, size, (had, theirs, has, unexplained) => {
        const before = { quantity: had, external: withinPosition(theirs, had) };
        const share = externalShare(before, { quantity: has, unexplained });
        expect(absolute(share)).toBeLessThanOrEqual(absolute(has));
        expect(share === 0 || sign(share) === sign(has)).toBe(true);
      }),
    );
  });
});
