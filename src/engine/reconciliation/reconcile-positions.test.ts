import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/harness/protocol-rig.js';
import { d, type IntentCase } from '../../../test/harness/risk-case.js';
import { absolute, sign, negate, fixed, type Quantity } from '../../core/fixed.js';
import { foreignShare, withinPosition } from '../../execution/foreign-share.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import { furthestOf, judgePosition, reachOf } from './reconcile-positions.js';
import { scaledOf } from '../../../test/harness/scaled.js';

const quantity = (value: string): Quantity => d(value);
const order = (of: IntentCase): OwnOrder => new ProtocolRig().order(of);
const text = (verdict: ReturnType<typeof judgePosition>): string =>
  'beyond' in verdict ? `${verdict.kind} ${scaledOf(verdict.beyond) / 1e8}` : verdict.kind;

interface Row {
  readonly believed: string;
  readonly claimed: string;
  readonly orders?: readonly IntentCase[];
  readonly foreign?: readonly [low: string, high: string];
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
  // A reduction cannot have turned it round.
  { believed: '1', claimed: '-1', orders: [exitOf('2')], verdict: 'grown -1' },
  { believed: '0', claimed: '1', foreign: ['0', '1'], verdict: 'foreign 1' },
  { believed: '0', claimed: '2', foreign: ['0', '1'], verdict: 'grown 2' },
  { believed: '0', claimed: '2', orders: [buy('1')], foreign: ['0', '1'], verdict: 'foreign 1' },
  { believed: '0', claimed: '-1', foreign: ['0', '1'], verdict: 'grown -1' },
];

describe('a claim of the venue against a belief', () => {
  it.each(ROWS)('$believed and $claimed is $verdict', (row) => {
    const believed = quantity(row.believed);
    const orders = (row.orders ?? []).map(order);
    const [low, high] = row.foreign ?? ['0', '0'];
    const verdict = judgePosition({
      believed,
      claimed: quantity(row.claimed),
      ours: reachOf(believed, orders),
      foreign: { low: quantity(low), high: quantity(high) },
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
const NOBODY = { low: quantity('0'), high: quantity('0') };

describe('the verdicts on a position', () => {
  it('call growth what lies beyond every order of ours, and nothing else', () => {
    fc.assert(
      fc.property(size, size, orders, (believed, claimed, ours) => {
        const reached = reachOf(believed, ours);
        const verdict = judgePosition({ believed, claimed, ours: reached, foreign: NOBODY });
        const further =
          claimed > Math.max(0, scaledOf(reached.high)) ||
          claimed < Math.min(0, scaledOf(reached.low));
        expect(verdict.kind === 'grown').toBe(further && claimed !== believed);
      }),
    );
  });

  it('never explain less of a claim for one order of ours more', () => {
    fc.assert(
      fc.property(size, size, orders, orderCase, (believed, claimed, ours, more) => {
        const judge = (all: readonly OwnOrder[]) =>
          judgePosition({ believed, claimed, ours: reachOf(believed, all), foreign: NOBODY });
        const before = judge(ours);
        const after = judge([...ours, order(more)]);
        const beyond = (v: typeof before): number =>
          'beyond' in v ? scaledOf(absolute(v.beyond)) : 0;
        expect(beyond(after)).toBeLessThanOrEqual(beyond(before));
      }),
    );
  });

  it('name as beyond a part of the claim, and give others no more than their orders can do', () => {
    fc.assert(
      fc.property(size, size, orders, reach, (believed, claimed, ours, foreign) => {
        const verdict = judgePosition({
          believed,
          claimed,
          ours: reachOf(believed, ours),
          foreign,
        });
        if (!('beyond' in verdict)) return;
        expect(sign(verdict.beyond)).toBe(sign(claimed));
        expect(absolute(verdict.beyond)).toBeLessThanOrEqual(absolute(claimed));
        const most = verdict.beyond > 0 ? foreign.high : negate(foreign.low);
        expect(verdict.kind === 'foreign').toBe(absolute(verdict.beyond) <= most);
      }),
    );
  });

  it('find nothing once the claim is believed (P26)', () => {
    fc.assert(
      fc.property(size, orders, reach, (claimed, ours, foreign) => {
        const sides = { believed: claimed, claimed, ours: reachOf(claimed, ours), foreign };
        expect(judgePosition(sides)).toEqual({ kind: 'equal' });
      }),
    );
  });

  it('reach from the furthest of several positions', () => {
    const from = [quantity('0'), quantity('2')];
    expect(furthestOf(from, [order(sell('1'))])).toEqual({
      low: quantity('-1'),
      high: quantity('2'),
    });
  });
});

it('lets a reduction have filled before what we have learnt since', () => {
  const from = [quantity('-3'), quantity('-4')];
  const reduction = order({ quantity: '4', side: 'buy', exit: true });
  expect(furthestOf(from, [reduction])).toEqual({ low: quantity('-4'), high: quantity('1') });
});

describe('the share of others', () => {
  it.each([
    // before: quantity and theirs; after: quantity and what is beyond; theirs then
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
      foreignShare(
        { quantity: quantity(had), foreign: quantity(theirs) },
        { quantity: quantity(has), beyond: quantity(beyond) },
      ),
    ).toBe(quantity(share));
  });

  it('is of the position’s sign and never larger, whatever happened', () => {
    fc.assert(
      fc.property(size, size, size, size, (had, theirs, has, beyond) => {
        const before = { quantity: had, foreign: withinPosition(theirs, had) };
        const share = foreignShare(before, { quantity: has, beyond });
        expect(absolute(share)).toBeLessThanOrEqual(absolute(has));
        expect(share === 0 || sign(share) === sign(has)).toBe(true);
      }),
    );
  });
});
