import { ExternalActivity } from './reconciliation/external-activity.js';
import { describe, expect, it } from 'vitest';
import { BTC, d } from '../../test/support/builders/risk-case.js';
import type { Currency } from '../core/currency.js';
import type { Ratio } from '../core/fixed/fixed.js';
import { Journal } from '../execution/journal/journal.js';
import { OrderLedger } from '../execution/order/order-ledger.js';
import { PositionLedger } from '../execution/position-ledger.js';
import { AccountView } from './account/account-view.js';
import { EngineFacts } from './engine-facts.js';
import { LeverageSettings } from './watch/leverage-settings.js';
import { PriceCache } from './market/price-cache.js';
import { TradingState } from './trading-state.js';
import { PriceMoves } from './market/price-moves.js';
import { SymbolHalts } from './account/symbol-halts.js';

const silent = {
  journaling: false,
  journal: () => undefined,
  requestPermit: () => undefined,
  send: () => undefined,
  timer: () => undefined,
  notify: () => undefined,
};

function rig(hedgeRate?: string) {
  const stamp = { venueTime: 1_000, monotonic: 50 };
  const positions = new PositionLedger();
  const account = new AccountView();
  const prices = new PriceCache();
  const leverage = new LeverageSettings({
    setter: { ensure: () => undefined },
    currency: 'USDT',
    onChanged: () => undefined,
    onFailed: () => undefined,
  });
  const tradingState = new TradingState({
    stamp,
    journal: new Journal(silent, stamp),
    effects: silent,
    recovered: [
      {
        control: 'R22',
        symbol: 'ETHUSDT',
        to: 'REDUCE_ONLY',
        class: 'latching',
        cause: 'it grew',
      },
    ],
  });
  tradingState.start();
  tradingState.becomeReady();
  tradingState.kill('pause', 'a test');
  const facts = new EngineFacts({
    stamp,
    instruments: new Map([[BTC.symbol, BTC]]),
    prices,
    losses: undefined,
    external: new ExternalActivity(() => undefined),
    account,
    positions,
    exposure: new OrderLedger(positions),
    halts: new SymbolHalts({ tradingState, effects: silent, isHeld: () => true }),
    leverage,
    priceMoves: new PriceMoves(),
    funding: new Map(),
    hedgeRate: {
      current: hedgeRate === undefined ? undefined : d<'ratio'>(hedgeRate),
      at: stamp.venueTime,
    },
    tradingState,
  });
  return { facts, positions, account, prices, leverage, stamp };
}

const position = (currency: Currency) =>
  ({
    symbol: 'BTCUSDT',
    currency,
    side: 'buy',
    quantity: d<'quantity'>('2'),
    price: d<'price'>('100'),
    monotonic: 0,
  }) as const;
const wallet = (currency: Currency) =>
  ({ currency, balance: d<'USDT'>('900'), locked: d<'USDT'>('100') }) as const;

describe('the facts of the gate', () => {
  it('the facts name the halted symbols and the reasons', () => {
    const { facts } = rig();
    expect(facts.haltReason('ETHUSDT')).toBe('it grew');
    expect(facts.haltReason('BTCUSDT')).toBeUndefined();
  });

  it('facts are undefined before they were read, never 0', () => {
    const { facts } = rig();
    expect(facts.equity('USDT')).toBeUndefined();
    expect(facts.walletAt('USDT')).toBeUndefined();
    expect(facts.ordersAt('USDT')).toBeUndefined();
    expect(facts.positionsAt('USDT')).toBeUndefined();
    expect(facts.lastPrice('BTCUSDT')).toBeUndefined();
    expect(facts.lastPriceAt('BTCUSDT')).toBeUndefined();
    expect(facts.markPrice('BTCUSDT')).toBeUndefined();
    expect(facts.leverage('BTCUSDT')).toBeUndefined();
    expect(facts.instrument('ETHUSDT')).toBeUndefined();
  });

  it('the facts are current', () => {
    const { facts, stamp, account, leverage, prices } = rig();
    stamp.venueTime = 7;
    account.updateOpenOrders('USDT', [], 40);
    account.updatePositions('USDT', 41);
    account.updateWallet(wallet('USDT'), 42);
    leverage.configure('BTCUSDT', d<'ratio'>('3') satisfies Ratio);
    prices.setLast('BTCUSDT', 5, 43);
    expect(facts).toMatchObject({ venueTime: 7, monotonic: 50, killLevel: 'pause' });
    expect([facts.ordersAt('USDT'), facts.positionsAt('USDT'), facts.walletAt('USDT')]).toEqual([
      40, 41, 42,
    ]);
    expect(facts.ordersAt('INR')).toBeUndefined();
    expect(facts.mode('BTCUSDT')).toBe('REDUCE_ONLY');
    expect(facts.configuredLeverage('BTCUSDT')).toBe(d('3'));
    expect(facts.lastPriceAt('BTCUSDT')).toBe(43);
    expect(facts.instrument('BTCUSDT')).toBe(BTC);
  });

  it.each([
    { currency: 'USDT', rate: undefined, last: '110', equity: '1020' },
    { currency: 'USDT', rate: undefined, last: '90', equity: '980' },
    { currency: 'INR', rate: '80', last: '110', equity: '2600' },
    { currency: 'INR', rate: undefined, last: '110', equity: undefined },
    { currency: 'INR', rate: undefined, last: '100', equity: '1000' },
  ] as const)('make equity in $currency at $last, rate $rate: $equity', (row) => {
    const { facts, account, positions, prices } = rig(row.rate);
    account.updateWallet(wallet(row.currency), 1);
    positions.applyFill(position(row.currency));
    positions.applyFill(position(row.currency === 'INR' ? 'USDT' : 'INR'));
    prices.setLast('BTCUSDT', Number(row.last), 1);
    expect(facts.equity(row.currency)).toBe(row.equity === undefined ? undefined : d(row.equity));
  });
});

describe('the view of the account', () => {
  it('the view keeps the newest snapshot of each kind', () => {
    const account = new AccountView();
    expect(account.updateWallet(wallet('USDT'), 10)).toBe(true);
    expect(account.updateWallet({ ...wallet('USDT'), balance: d<'USDT'>('1') }, 9)).toBe(false);
    expect(account.updateOpenOrders('USDT', [], 12)).toBe(true);
    expect(account.updateOpenOrders('USDT', [], 11)).toBe(false);
    expect(account.updatePositions('USDT', 11)).toBe(true);
    expect(account.updatePositions('USDT', 10)).toBe(false);
    expect(account.of('USDT').wallet?.balance).toBe(d('900'));
    expect(account.of('USDT')).toMatchObject({ walletAt: 10, ordersAt: 12, positionsAt: 11 });
    expect(account.of('INR').walletAt).toBe(Number.NEGATIVE_INFINITY);
  });
});
