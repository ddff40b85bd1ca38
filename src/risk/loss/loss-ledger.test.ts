import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { Decimal } from '../../core/fixed/decimal.js';
import { fixed, textFromFixed, type Amount, type Usdt } from '../../core/fixed/fixed.js';
import { DEFAULT_LIMITS } from '../limits/risk-limits.js';
import { LossLedger, type LossMeasure } from './loss-ledger.js';
import { DAY_MS } from '../../core/interval.js';

const usdt = (text: string): Usdt => d<'USDT'>(text);
const LIMITS = DEFAULT_LIMITS.loss;
const DAY = 20_000 * DAY_MS;
const begin = (equity = '10000'): LossLedger => LossLedger.begin(usdt(equity), DAY);

const texts = ({ dayLoss, dayStart, drawdown, highWater }: LossMeasure) =>
  [dayLoss, dayStart, drawdown, highWater].map((value) => textFromFixed(value)).join(' ');

describe('losses of a day', () => {
  it('a loss counts from the start of the day, a drawdown from the highest equity', () => {
    const ledger = begin();
    expect(texts(ledger.measure(usdt('12000')))).toBe('-2000 10000 0 12000');
    expect(texts(ledger.measure(usdt('9700')))).toBe('300 10000 2300 12000');
    ledger.startDay(DAY + DAY_MS, usdt('9700'));
    expect(texts(ledger.measure(usdt('9600')))).toBe('100 9700 2400 12000');
  });

  it('a day that is not later changes nothing: a clock that steps back opens no budget', () => {
    const ledger = begin();
    ledger.countOrder();
    ledger.countFill(usdt('250'));
    for (const day of [DAY, DAY - DAY_MS]) ledger.startDay(day, usdt('9000'));
    expect(texts(ledger.measure(usdt('9000')))).toBe('1000 10000 1000 10000');
    expect(ledger.counters).toMatchObject({ orders: 1, turnover: usdt('250') });
  });

  it('a new day resets orders, turnover and stop-outs, and keeps streak and high water', () => {
    const ledger = begin();
    ledger.countOrder();
    ledger.countFill(usdt('250'));
    ledger.countClose(usdt('-1'), undefined);
    ledger.startDay(DAY + DAY_MS, usdt('9999'));
    expect(ledger.counters).toMatchObject({
      orders: 0,
      turnover: 0,
      losingCloses: 1,
      highWater: usdt('10000'),
    });
  });
});

describe('transfers', () => {
  it('a deposit is no profit, and raises no limit before the next day', () => {
    const ledger = begin();
    ledger.deposit(usdt('90000'));
    expect(texts(ledger.measure(usdt('99700')))).toBe('300 10000 300 10000');
    ledger.startDay(DAY + DAY_MS, usdt('99700'));
    expect(texts(ledger.measure(usdt('99700')))).toBe('0 99700 300 100000');
  });

  it('a withdrawal keeps the loss in percent: it breaches no limit', () => {
    const ledger = begin();
    ledger.measure(usdt('9710'));
    ledger.withdraw(usdt('4855'), usdt('9710'));
    expect(texts(ledger.measure(usdt('4855')))).toBe('145 5000 145 5000');
  });

  it('a withdrawal of a deposit of the same day leaves every limit as it was', () => {
    const ledger = begin();
    ledger.deposit(usdt('5000'));
    ledger.withdraw(usdt('5000'), usdt('14900'));
    expect(texts(ledger.measure(usdt('9900')))).toBe('100 10000 100 10000');
  });

  it('a withdrawal of everything begins anew with the rest', () => {
    const ledger = begin();
    ledger.withdraw(usdt('10000'), usdt('10000'));
    expect(texts(ledger.measure(usdt('0')))).toBe('0 0 0 0');
  });
});

describe('a streak of losing closes', () => {
  const pause = { losses: 3, until: DAY + 5_000 };

  it('the last losing close of a streak pauses entries, and the count begins anew', () => {
    const ledger = begin();
    for (const profit of ['-1', '2', '-1', '-1']) ledger.countClose(usdt(profit), pause);
    expect(ledger.counters).toMatchObject({ losingCloses: 2 });
    expect(ledger.counters.pausedUntil).toBeUndefined();
    ledger.countClose(usdt('-0.00000001'), pause);
    expect(ledger.counters).toMatchObject({ losingCloses: 0, pausedUntil: DAY + 5_000 });
  });

  it('a close at exactly 0 is no loss', () => {
    const ledger = begin();
    ledger.countClose(usdt('-1'), pause);
    ledger.countClose(usdt('0'), pause);
    expect(ledger.counters.losingCloses).toBe(0);
  });
});

it('a person who resumes accepts the losses: both bases begin at the present equity', () => {
  const ledger = begin();
  ledger.latch('R19');
  ledger.latch('R19');
  expect(ledger.counters.latched).toEqual(['R19']);
  ledger.rebase(usdt('9000'));
  expect(ledger.counters.latched).toEqual([]);
  expect(texts(ledger.measure(usdt('9000')))).toBe('0 9000 0 9000');
});

/** The same rules in decimals of 40 digits, one event after the other. */
class NaiveLedger {
  dayStart: Decimal;
  highWater: Decimal;
  deposits = new Decimal(0);

  constructor(equity: Decimal) {
    this.dayStart = equity;
    this.highWater = equity;
  }

  measure(equity: Decimal): readonly Decimal[] {
    const adjusted = equity.minus(this.deposits);
    this.highWater = Decimal.max(this.highWater, adjusted);
    return [this.dayStart.minus(adjusted), this.highWater.minus(adjusted)];
  }

  startDay(equity: Decimal): void {
    this.dayStart = equity;
    this.highWater = Decimal.max(this.highWater.plus(this.deposits), equity);
    this.deposits = new Decimal(0);
  }

  withdraw(amount: Decimal, before: Decimal): void {
    const undone = Decimal.min(amount, this.deposits);
    this.deposits = this.deposits.minus(undone);
    const rest = amount.minus(undone);
    if (rest.isZero()) return;
    const from = before.minus(undone);
    const to = from.minus(rest);
    const scaled = (value: Decimal): Decimal =>
      value.times(to).div(from).toDecimalPlaces(8, Decimal.ROUND_HALF_EVEN);
    this.dayStart = scaled(this.dayStart);
    this.highWater = scaled(this.highWater);
  }
}

const cents = fc.integer({ min: 1, max: 100_000 });
const events = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('profit' as const),
      cents: fc.integer({ min: -90_000, max: 90_000 }),
    }),
    fc.record({ kind: fc.constantFrom('deposit' as const, 'withdraw' as const), cents }),
    fc.record({ kind: fc.constant('day' as const), cents }),
  ),
  { maxLength: 40 },
);

type LossEvent = typeof events extends fc.Arbitrary<(infer Event)[]> ? Event : never;

const amount = (value: number): Amount => fixed<'USDT'>(value * 1_000_000);

/** Plays events on a ledger and on a naive one, and visits both after each. @param visit gets the equity in cents */
function play(
  list: readonly LossEvent[],
  visit: (ledger: LossLedger, naive: NaiveLedger, equity: number) => void,
): void {
  let equity = 1_000_000;
  let day = DAY;
  const ledger = LossLedger.begin(amount(equity), day);
  const naive = new NaiveLedger(new Decimal(equity).div(100));
  for (const event of list) {
    if (event.kind === 'profit' && equity + event.cents > 0) equity += event.cents;
    else if (event.kind === 'deposit') {
      equity += event.cents;
      ledger.deposit(amount(event.cents));
      naive.deposits = naive.deposits.plus(new Decimal(event.cents).div(100));
    } else if (event.kind === 'withdraw' && event.cents < equity) {
      ledger.withdraw(amount(event.cents), amount(equity));
      naive.withdraw(new Decimal(event.cents).div(100), new Decimal(equity).div(100));
      equity -= event.cents;
    } else if (event.kind === 'day') {
      ledger.startDay((day += DAY_MS), amount(equity));
      naive.startDay(new Decimal(equity).div(100));
    }
    visit(ledger, naive, equity);
  }
}

describe('the ledger', () => {
  it('equals a naive recomputation over any sequence of profits, transfers and days', () => {
    fc.assert(
      fc.property(events, (list) => {
        play(list, (ledger, naive, equity) => {
          const { dayLoss, drawdown } = ledger.measure(amount(equity));
          const expected = naive
            .measure(new Decimal(equity).div(100))
            .map((value) => value.toFixed());
          expect([textFromFixed(dayLoss), textFromFixed(drawdown)]).toEqual(expected);
        });
      }),
    );
  });

  it('an equity is safe only where both limits hold and the high water stays', () => {
    let safe = 0;
    const isWithin = ({ dayLoss, dayStart, drawdown, highWater }: LossMeasure): boolean =>
      Number(dayLoss) <= 0.05 * Number(dayStart) && Number(drawdown) <= 0.06 * Number(highWater);
    fc.assert(
      fc.property(events, (list) => {
        play(list, (ledger, _naive, cents) => {
          const equity = amount(cents);
          const isSafe = ledger.isSafe(equity, LIMITS);
          const { highWater } = ledger;
          const measure = ledger.measure(equity);
          if (isSafe) {
            safe += 1;
            expect(isWithin(measure)).toBe(true);
            expect(ledger.highWater).toBe(highWater);
          } else if (isWithin(measure)) ledger.setSafe(equity, LIMITS);
        });
      }),
      { numRuns: 500 },
    );
    expect(safe).toBeGreaterThan(100);
  });

  it('accepted losses leave no equity safe: the limits begin anew', () => {
    const ledger = begin();
    ledger.setSafe(usdt('9600'), LIMITS);
    ledger.rebase(usdt('12000'));
    expect(ledger.isSafe(usdt('9700'), LIMITS)).toBe(false);
  });

  it('no limit that has changed leaves an equity safe', () => {
    const ledger = begin();
    ledger.setSafe(usdt('9600'), LIMITS);
    expect(ledger.isSafe(usdt('9700'), LIMITS)).toBe(true);
    expect(ledger.isSafe(usdt('9599'), LIMITS)).toBe(false);
    expect(ledger.isSafe(usdt('9700'), { ...LIMITS })).toBe(false);
    ledger.setSafe(usdt('9800'), { ...LIMITS });
    expect(ledger.isSafe(usdt('9700'), LIMITS)).toBe(false);
  });

  it('no transfer moves the loss in percent by more than the rounding of 1e-8', () => {
    fc.assert(
      fc.property(fc.integer({ min: -500_000, max: 500_000 }), cents, (profit, moved) => {
        const equity = 1_000_000 + profit;
        const ledger = LossLedger.begin(amount(1_000_000), DAY);
        const share = (measure: LossMeasure): number =>
          Number(measure.dayLoss) / Number(measure.dayStart);
        const before = share(ledger.measure(amount(equity)));
        ledger.withdraw(amount(moved), amount(equity));
        expect(share(ledger.measure(amount(equity - moved)))).toBeCloseTo(before, 9);
        ledger.deposit(amount(moved));
        expect(share(ledger.measure(amount(equity)))).toBeCloseTo(before, 9);
      }),
    );
  });
});
