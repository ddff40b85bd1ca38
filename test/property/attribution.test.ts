import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import {
  absolute,
  add,
  negate,
  numberFromFixed,
  textFromFixed,
  ZERO,
  type Amount,
  type Quantity,
} from '../../src/core/fixed/fixed.js';
import type { Side } from '../../src/core/order.js';
import { attributedLedger } from '../../src/report/books/ledger-rows.js';
import { groupRows, ledgerTotals } from '../../src/report/books/owner-books.js';
import { EXTERNAL, OrderOwners, UNATTRIBUTED } from '../../src/report/books/owner.js';
import { statementOf } from '../../src/report/books/statement.js';
import { accountListsOf } from '../support/builders/account-lists.js';
import { ExchangeRig, HOUR, MIDNIGHT, of } from '../support/rigs/exchange-rig.js';

const NONE = ZERO as Quantity;
const OWNERS = ['trend', 'grid', EXTERNAL] as const;
type TradingOwner = (typeof OWNERS)[number];

type Step =
  | {
      readonly kind: 'trade';
      readonly owner: TradingOwner;
      readonly side: Side;
      readonly quantity: number;
      readonly currency: Currency;
    }
  | { readonly kind: 'move'; readonly percent: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'transfer'; readonly amount: number; readonly currency: Currency };

const currency = fc.constantFrom(...CURRENCIES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('trade' as const),
      owner: fc.constantFrom(...OWNERS),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: fc.integer({ min: 60, max: 4_000 }),
      currency,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      percent: fc.integer({ min: -14, max: 14 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'settle' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      amount: fc.integer({ min: -50, max: 50 }).filter((amount) => amount !== 0),
      currency,
    }),
  },
);

/** Executes steps ten seconds apart, and remembers the owner of every order. */
class AttributionRun {
  readonly rig = new ExchangeRig(
    {
      funding: {
        intervalMs: 8 * HOUR,
        rate: (_symbol, settlementMs) =>
          of((settlementMs / HOUR) % 16 === 0 ? '0.0003' : '-0.0007'),
      },
    },
    { rebates: 'forty-percent' },
  );
  readonly ownerOf = new Map<string, TradingOwner>();
  #now = MIDNIGHT + HOUR;
  #price = 100;

  step(next: Step): void {
    this.#now += next.kind === 'settle' ? 8 * HOUR : 10_000;
    this.rig.exchange.setTime(this.#now);
    switch (next.kind) {
      case 'trade':
        this.#trade(next);
        return;
      case 'move':
        this.#price = Math.max(20, (this.#price * (100 + next.percent)) / 100);
        this.rig.move(this.#price.toFixed(1));
        return;
      case 'transfer': {
        const direction = next.amount > 0 ? 'deposit' : 'withdraw';
        const amount = absolute(of(String(next.amount)) as Amount);
        this.rig.exchange.transfer(next.currency, direction, amount);
        return;
      }
      case 'settle':
    }
  }

  #trade({ owner, side, quantity, currency: of_ }: Extract<Step, { kind: 'trade' }>): void {
    const placed = this.rig.exchange.place({
      terms: {
        symbol: this.rig.symbol,
        currency: of_,
        side,
        type: 'market',
        quantity: of((quantity / 1_000).toFixed(3)),
        reduceOnly: false,
      },
    });
    if (!placed.ok) return;
    this.ownerOf.set(placed.value.orderId, owner);
    this.rig.exchange.matchPending();
  }
}

const sum = (amounts: Iterable<Amount>): Amount =>
  [...amounts].reduce((total, amount) => add(total, amount), ZERO as Amount);

function check(run: AttributionRun, of_: Currency, openingWallet: Amount): void {
  const { rig, ownerOf } = run;
  const owners = new OrderOwners(
    [...ownerOf]
      .filter(([, owner]) => owner !== EXTERNAL)
      .map(([orderId, owner]) => ({
        orderId,
        clientOrderId: `c-${orderId}`,
        owner,
        symbol: rig.symbol,
      })),
  );
  const { rows, openShares } = attributedLedger(accountListsOf(rig.exchange, of_), owners);
  // Nothing but transfers belongs to nobody, and a liquidation to the owners of its position.
  expect(rows.filter(({ owner, kind }) => owner === UNATTRIBUTED && kind !== 'transfer')).toEqual(
    [],
  );
  const totals = [...groupRows(rows, ({ owner }) => owner).values()].map(ledgerTotals);
  const account = rig.exchange.totals(of_);
  const realised = sum(totals.flatMap(({ price, liquidation }) => [price, liquidation]));
  const fees = negate(sum(totals.flatMap((each) => [each.fees, each.rebates])));
  expect(textFromFixed(realised)).toBe(textFromFixed(account.realisedPnl));
  expect(textFromFixed(fees)).toBe(textFromFixed(account.fees));
  expect(textFromFixed(negate(sum(totals.map(({ funding }) => funding))))).toBe(
    textFromFixed(account.funding),
  );
  const { balance, locked } = rig.exchange.futuresWallet(of_);
  const statement = statementOf({
    currency: of_,
    rows,
    closing: { at: Number.POSITIVE_INFINITY, wallet: add(balance, locked) },
    opening: { at: MIDNIGHT, wallet: openingWallet },
    range: {},
  });
  expect(textFromFixed(statement.gap)).toBe('0');
  const held = [...(openShares.get(rig.symbol) ?? [])].reduce<Quantity>(
    (total, { quantity }) => add(total, quantity),
    ZERO as Quantity,
  );
  expect(textFromFixed(held)).toBe(
    textFromFixed(absolute(rig.exchange.positions(of_)[0]?.quantity ?? (ZERO as Quantity))),
  );
  checkFeesOfOwners(run, of_, rows);
}

/** The fee of an order is shared by the quantities that it opened or closed of each owner. */
function checkFeesOfOwners(
  { rig, ownerOf }: AttributionRun,
  of_: Currency,
  rows: ReturnType<typeof attributedLedger>['rows'],
): void {
  for (const order of rig.exchange.allOrders()) {
    if (order.currency !== of_ || !ownerOf.has(order.orderId)) continue;
    const own = rows.filter(({ orderId }) => orderId === order.orderId);
    const paid = sum(order.executions.map(({ fee }) => fee));
    const filled = numberFromFixed(order.filledQuantity);
    for (const [owner, of_owner] of groupRows(own, (row) => row.owner)) {
      const traded = of_owner.reduce(
        (total, { kind, quantity }) =>
          total + numberFromFixed(kind === 'fill' ? (quantity ?? NONE) : NONE),
        0,
      );
      const charged = numberFromFixed(negate(ledgerTotals(of_owner).fees));
      const due = (numberFromFixed(paid) * traded) / filled;
      expect(Math.abs(charged - due), `${owner} ${order.orderId}`).toBeLessThan(1e-7);
    }
  }
}

it('the books of all owners add up to the account, whatever trades, liquidates, settles or moves', () => {
  let liquidations = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const run = new AttributionRun();
      for (const each of steps) run.step(each);
      check(run, 'USDT', of('1000'));
      check(run, 'INR', of('96000'));
      for (const of_ of CURRENCIES)
        liquidations += run.rig.exchange
          .positionHistory(of_)
          .filter(({ kind }) => kind === 'liquidated').length;
    }),
    { numRuns: Number(process.env['SLUICE_RUNS'] ?? 150), seed: 18 },
  );
  // The sequences reach what the test is about.
  expect(liquidations).toBeGreaterThan(5);
});
