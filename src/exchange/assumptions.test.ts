import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, money, of, type RigTerms } from '../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
} from '../../test/support/rigs/balance-checked-exchange.js';
import { subtract, textFromFixed, ZERO, type Price, type Ratio } from '../core/fixed/fixed.js';
import type { OrderRef } from '../core/order.js';
import { ASSUMPTIONS, type Assumptions } from './assumptions.js';
import type { ExchangeOrder } from './simulated-exchange.js';

type Open = (terms?: RigTerms, also?: Partial<Assumptions>) => BalanceCheckedExchange;

/** The outcome under the default, the outcome under the other answer, and the observation. */
type Row = readonly [byDefault: unknown, otherwise: unknown, observe: (open: Open) => unknown];

const text = textFromFixed;
const byId = ({ orderId }: ExchangeOrder): OrderRef => ({ orderId });
const id = (rig: BalanceCheckedExchange): string => rig.position().positionId;
const at = (price: string): { price: Price } => ({ price: of(price) });

/** Half filled at 90; the rest is resting. */
function half(rig: BalanceCheckedExchange): ExchangeOrder {
  const order = rig.placeAndMatch('buy', { price: '90', quantity: '2' });
  return valueOf(rig.exchange.fillPart(byId(order), of('1')));
}

function paysFunding(open: Open, terms: RigTerms = {}): BalanceCheckedExchange {
  const rate = (): Ratio => of('0.001');
  return open({ funding: { intervalMs: 8 * HOUR, rate }, ...terms });
}

/** A new assumption does not compile without a row here. */
const ROWS: { readonly [Field in keyof Assumptions]: Row } = {
  stopTrigger: [
    ['0', '1'],
    ['1', '0'],
    (open) =>
      [
        ['94', '100'],
        ['100', '94'],
      ].map(([last = '', mark]) => {
        const rig = open();
        rig.placeAndMatch('buy', { stopLoss: '95' });
        rig.move(last, mark);
        return rig.signedPosition();
      }),
  ],
  liquidationTrigger: [
    ['1', '0'],
    ['0', '1'],
    (open) =>
      [
        ['90', '100'],
        ['100', '90'],
      ].map(([last = '', mark]) => {
        const rig = open();
        rig.placeAndMatch('buy');
        rig.move(last, mark);
        return rig.signedPosition();
      }),
  ],
  partialCloseNotional: [
    'ok',
    'notional-below-minimum',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      const close = { type: 'market', quantity: of<'quantity'>('0.001') } as const;
      return codeOf(rig.exchange.closePartially(id(rig), close));
    },
  ],
  v1MarketPrice: [
    'ok',
    'price-range',
    (open) => {
      const rig = open();
      const { symbol } = rig;
      return codeOf(
        rig.exchange.place({
          terms: {
            ...{ symbol, currency: 'USDT', side: 'buy', type: 'market', reduceOnly: false },
            ...{ quantity: of<'quantity'>('1'), price: of<'price'>('12445627') },
          },
          leverage: of('10'),
        }),
      );
    },
  ],
  limitLeg: [
    ['created', '1'],
    ['filled', '0'],
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      const order = byId(rig.protectiveOrder('stop-loss'));
      const change = { ...at('95'), order, type: 'limit' as const };
      valueOf(rig.exchange.moveProtection(id(rig), { stopLoss: change }));
      rig.move('94');
      return [rig.order(rig.protectiveOrder('stop-loss').orderId).status, rig.signedPosition()];
    },
  ],
  maintenanceRate: [
    '1',
    '0',
    (open) => {
      const rig = open({ leverage: '100' });
      rig.placeAndMatch('buy');
      return rig.signedPosition();
    },
  ],
  liquidationFee: [
    '0.0531',
    '0',
    (open) => {
      const rig = open();
      const { fee } = rig.placeAndMatch('buy').executions[0] ?? { fee: ZERO };
      rig.move('90');
      return text(subtract(rig.exchange.totals('USDT').fees, fee) as Price);
    },
  ],
  liquidatedPrice: [
    '66.6',
    '66.66666667',
    (open) => {
      const rig = open({ leverage: '3' });
      rig.placeAndMatch('buy');
      rig.move('60');
      return text(rig.exchange.positionHistory('USDT')[0]?.closePrice ?? of('0'));
    },
  ],
  oppositeExcess: [
    '-1',
    '0',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      rig.placeAndMatch('sell', { quantity: '2' });
      return rig.signedPosition();
    },
  ],
  flipPositionId: [
    true,
    false,
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      const before = id(rig);
      rig.placeAndMatch('sell', { quantity: '2' });
      return id(rig) === before;
    },
  ],
  flipMargin: [
    'insufficient-balance',
    'ok',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { quantity: '60' });
      return codeOf(rig.tryPlace('sell', { quantity: '120' }));
    },
  ],
  secondLeg: [
    '97',
    '95',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      rig.placeAndMatch('buy', { stopLoss: '97' });
      return text(rig.position().stopLoss?.price ?? of('0'));
    },
  ],
  reduceOnlyAtClose: [
    'system-canceled',
    'created',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      const close = rig.placeAndMatch('sell', { price: '110', reduceOnly: true });
      rig.placeAndMatch('sell');
      return rig.order(close.orderId).status;
    },
  ],
  reduceOnlyNotional: [
    'notional-below-minimum',
    'ok',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      return codeOf(rig.tryPlace('sell', { quantity: '0.01', reduceOnly: true }));
    },
  ],
  partialCancelStatus: [
    'canceled',
    'partially-filled',
    (open) => {
      const rig = open();
      return valueOf(rig.exchange.cancel(byId(half(rig)))).status;
    },
  ],
  orderHistory: [
    0,
    1,
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { price: '90' });
      return rig.exchange.orderHistory('USDT').length;
    },
  ],
  idBurn: [
    'ok',
    'client-order-id-exists',
    (open) => {
      const rig = open();
      rig.tryPlace('buy', { quantity: '500' }, { clientOrderId: 'a' });
      return codeOf(rig.tryPlace('buy', {}, { clientOrderId: 'a' }));
    },
  ],
  amendFilled: [
    'order-not-open',
    'ok',
    (open) => {
      const rig = open();
      return codeOf(rig.exchange.amend(byId(half(rig)), { ...at('91'), quantity: of('3') }));
    },
  ],
  amendQuantity: [
    '3',
    '4',
    (open) => {
      const rig = open({}, { amendFilled: 'accepted' });
      const to = { ...at('91'), quantity: of<'quantity'>('3') };
      return text(valueOf(rig.exchange.amend(byId(half(rig)), to)).quantity);
    },
  ],
  legOnExisting: [
    'ok',
    'protection-refused',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      return codeOf(rig.exchange.protect(id(rig), { stopLoss: at('96') }));
    },
  ],
  legBeyondMarket: [
    'invalid-stop-loss',
    'ok',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      return codeOf(rig.exchange.protect(id(rig), { stopLoss: at('101') }));
    },
  ],
  legPriceStep: [
    'ok',
    'invalid-stop-loss',
    (open) => codeOf(open().tryPlace('buy', { stopLoss: '95.05' })),
  ],
  movedStop: [
    'ok',
    'protection-refused',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      const order = byId(rig.protectiveOrder('stop-loss'));
      return codeOf(rig.exchange.moveProtection(id(rig), { stopLoss: { ...at('50'), order } }));
    },
  ],
  stopQuantity: [
    '0',
    '1',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      rig.placeAndMatch('buy');
      rig.move('95');
      return rig.signedPosition();
    },
  ],
  legsAtClose: [
    'system-canceled',
    'created',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { stopLoss: '95' });
      valueOf(rig.exchange.close(id(rig)));
      rig.exchange.matchPending();
      return rig.protectiveOrder('stop-loss').status;
    },
  ],
  leverageWhileOpen: [
    'ok',
    'leverage-range',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      return codeOf(rig.exchange.setLeverage(rig.symbol, 'USDT', of('20')));
    },
  ],
  v1Available: [
    'ok',
    'insufficient-balance',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { quantity: '90' });
      rig.move('110');
      return codeOf(rig.tryPlace('buy', { quantity: '20' }, { leverage: of('10') }));
    },
  ],
  lockScope: [
    'locked',
    'ok',
    (open) => {
      const rig = open();
      rig.exchange.setLocked(rig.symbol, true, 'INR');
      return codeOf(rig.tryPlace('buy'));
    },
  ],
  lockedActions: [
    'locked',
    'ok',
    (open) => {
      const rig = open();
      const order = rig.placeAndMatch('buy', { price: '90' });
      rig.exchange.setLocked(rig.symbol, true);
      return codeOf(rig.exchange.cancel(byId(order)));
    },
  ],
  pendingReduces: [
    'ok',
    'quantity-range',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { quantity: '2' });
      rig.placeAndMatch('sell', { quantity: '1.5', price: '105', reduceOnly: true });
      const close = { type: 'limit', quantity: of<'quantity'>('1'), ...at('105') } as const;
      return codeOf(rig.exchange.closePartially(id(rig), close));
    },
  ],
  delistingIncrease: [
    'delisting',
    'ok',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      rig.exchange.setDelisting(rig.symbol, true);
      return codeOf(rig.tryPlace('buy'));
    },
  ],
  delistingEntries: [
    'created',
    'system-canceled',
    (open) => {
      const rig = open();
      const entry = rig.placeAndMatch('buy', { price: '90' });
      rig.exchange.setDelisting(rig.symbol, true);
      return rig.order(entry.orderId).status;
    },
  ],
  asyncRefusal: [
    'canceled',
    'system-canceled',
    (open) => {
      const rig = open();
      const order = rig.place('buy', { quantity: '95' });
      rig.move('110');
      rig.exchange.matchPending();
      return rig.order(order.orderId).status;
    },
  ],
  addedMarginRate: [
    '90.4',
    '90.9',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { currency: 'INR' });
      rig.exchange.setHedgeRate(of('0.96'));
      const { positionId } = rig.position('INR');
      const row = valueOf(rig.exchange.adjustMargin(positionId, money('0.5')));
      return text(row.liquidationPrice ?? of('0'));
    },
  ],
  marginReduction: [
    'insufficient-funds',
    'ok',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      valueOf(rig.exchange.adjustMargin(id(rig), money('5')));
      rig.move('88');
      return codeOf(rig.exchange.adjustMargin(id(rig), money('-5')));
    },
  ],
  closeLimits: [
    'ok',
    'notional-below-minimum',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { quantity: '1' });
      rig.placeAndMatch('sell', { quantity: '0.96', reduceOnly: true });
      return codeOf(rig.exchange.close(id(rig)));
    },
  ],
  fundingInstant: [
    '0',
    '0.1',
    (open) => {
      const rig = paysFunding(open);
      rig.exchange.setTime(MIDNIGHT + 8 * HOUR);
      rig.placeAndMatch('buy');
      rig.exchange.setTime(MIDNIGHT + 9 * HOUR);
      return text(rig.exchange.totals('USDT').funding);
    },
  ],
  fundingPrice: [
    '0.11',
    '0.1',
    (open) => {
      const rig = paysFunding(open);
      rig.placeAndMatch('buy');
      rig.move('100', '110');
      rig.exchange.setTime(MIDNIGHT + 9 * HOUR);
      return text(rig.exchange.totals('USDT').funding);
    },
  ],
  fundingShortfall: [
    true,
    false,
    (open) => {
      const rig = paysFunding(open);
      rig.placeAndMatch('buy');
      rig.exchange.transfer('USDT', 'withdraw', rig.exchange.futuresWallet('USDT').balance);
      rig.exchange.setTime(MIDNIGHT + 9 * HOUR);
      return rig.exchange.futuresWallet('USDT').balance >= 0;
    },
  ],
  pnlHedgeRate: [
    '1000',
    '960',
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy', { currency: 'INR' });
      rig.exchange.setHedgeRate(of('100'));
      rig.move('110');
      rig.placeAndMatch('sell', { currency: 'INR' });
      return text(rig.exchange.totals('INR').realisedPnl);
    },
  ],
  rebates: [
    ['transaction'],
    ['rebate', 'transaction'],
    (open) => {
      const rig = open();
      rig.placeAndMatch('buy');
      return rig.exchange
        .fees('USDT')
        .map(({ kind }) => kind)
        .sort();
    },
  ],
};

describe.each(ASSUMPTIONS)('$id', ({ field, default: answer, other }) => {
  const [byDefault, otherwise, observe] = ROWS[field];

  it(`${field}: ${answer}`, () => {
    expect(observe((terms, also) => new BalanceCheckedExchange(terms, also))).toEqual(byDefault);
  });

  it(`${field}: ${other}`, () => {
    const open: Open = (terms, also) =>
      new BalanceCheckedExchange(terms, { ...also, [field]: other });
    expect(observe(open)).toEqual(otherwise);
  });
});
