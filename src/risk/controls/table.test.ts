import { describe, expect, it } from 'vitest';
import {
  intentOf,
  d,
  VENUE_TIME,
  factsOf,
  breachOf,
  type ControlCase,
} from '../../../test/support/builders/risk-case.js';
import type { Control, Values } from '../control.js';
import type { ControlId } from '../control-id.js';
import { collectEvidence } from '../evidence.js';
import { RecentIntents } from '../recent-intents.js';
import { LOSS_LIMITS } from '../limits/loss-limits.js';
import { createGate } from '../gate.js';
import { DEFAULT_LIMITS } from '../limits/risk-limits.js';
import type { StrategyBudgets } from '../limits/strategy-budgets.js';
import { CONTROLS } from './table.js';

const budget = (share: string, symbols: readonly string[]): StrategyBudgets =>
  new Map([['cross', { share: d<'ratio'>(share), symbols: new Set(symbols) }]]);

const named = (id: ControlId): Control => {
  const control = CONTROLS.find((each) => each.id === id);
  if (control === undefined) throw new Error(`no control ${id}`);
  return control;
};

const exit = { exit: true, side: 'sell' as const };
const limitExit = { ...exit, price: '60000' };

/** A refusal: its log text, and its journaled values. */
interface Row extends Omit<ControlCase, 'name' | 'refused'> {
  readonly id: ControlId;
  readonly text: string;
  readonly values: Values;
}

const rows: readonly Row[] = [
  {
    id: 'R30',
    facts: { killLevel: 'pause' },
    text: 'the kill switch is on (pause)',
    values: { level: 'pause' },
  },
  {
    id: 'mode',
    facts: { mode: 'HALTED' },
    text: 'mode HALTED lets no entry out',
    values: { mode: 'HALTED' },
  },
  {
    id: 'R22',
    facts: { halted: 'it grew' },
    text: 'BTCUSDT is halted: it grew',
    values: { symbol: 'BTCUSDT', cause: 'it grew' },
  },
  {
    id: 'R28',
    limits: { symbolsAllow: new Set(['ETHUSDT']) },
    text: 'BTCUSDT is not in symbols_allow',
    values: { symbol: 'BTCUSDT' },
  },
  {
    id: 'R28',
    intent: { currency: 'INR' },
    text: 'INR is not in currencies_allow',
    values: { currency: 'INR' },
  },
  {
    id: 'R05',
    facts: { lastAge: 3_001 },
    text: 'price of BTCUSDT is 3001 ms old, limit 3000 ms',
    values: { age_ms: '3001', limit_ms: '3000' },
  },
  {
    id: 'R05',
    facts: { last: null },
    text: 'price of BTCUSDT is not known',
    values: { missing: 'price of BTCUSDT' },
  },
  {
    id: 'R06',
    facts: { ordersAge: 5_001 },
    text: 'state of open orders is 5001 ms old, limit 5000 ms',
    values: { state: 'open orders', age_ms: '5001', limit_ms: '5000' },
  },
  {
    id: 'R06',
    facts: { walletAge: null },
    text: 'state of wallet is not known',
    values: { missing: 'state of wallet' },
  },
  {
    id: 'R07',
    intent: { quantity: '0.0015' },
    text: 'quantity 0.0015 is not a multiple of the step 0.001',
    values: { rule: 'quantity is not a multiple of the step 0.001', value: '0.0015' },
  },
  {
    id: 'R07',
    intent: { price: '2000000' },
    text: 'limit price 2000000 is above the maximum 1999999.8',
    values: { rule: 'limit price is above the maximum 1999999.8', value: '2000000' },
  },
  {
    id: 'R07',
    facts: { last: '4999.9' },
    text: '0.001 at 4999.9 is worth less than the minimum 5 USDT',
    values: { quantity: '0.001', price: '4999.9', min_notional: '5' },
  },
  {
    id: 'R07',
    intent: exit,
    facts: { position: '-0.5' },
    text: 'a reduce-only sell has no long BTCUSDT to reduce',
    values: { position: '-0.5' },
  },
  {
    id: 'R07',
    intent: { ...exit, takeProfit: '61000' },
    facts: { position: '1' },
    text: 'a reduce-only order cannot carry a stop or target: the venue drops it',
    values: {},
  },
  {
    id: 'R07',
    facts: { leverage: '0.99' },
    text: 'leverage 0.99 is below the minimum 1',
    values: { rule: 'leverage is below the minimum 1', value: '0.99' },
  },
  {
    id: 'R15',
    facts: { leverage: '3' },
    text: 'leverage is 3 at the venue and 2 in the config',
    values: { value: '3', configured: '2' },
  },
  {
    id: 'R15',
    facts: { configured: '6', leverage: '6' },
    text: 'leverage 6 is above 3',
    values: { value: '6', limit: '3' },
  },
  {
    id: 'R15',
    facts: { configured: null },
    text: 'configured leverage of BTCUSDT in USDT is not known',
    values: { missing: 'configured leverage of BTCUSDT in USDT' },
  },
  {
    id: 'R15',
    facts: { leverage: null },
    text: 'leverage of BTCUSDT in USDT at the venue is not known',
    values: { missing: 'leverage of BTCUSDT in USDT at the venue' },
  },
  {
    id: 'R23',
    facts: { unknownOrders: 1 },
    text: '1 orders of BTCUSDT have an unknown outcome, limit 1',
    values: { symbol: 'BTCUSDT', unknown: '1', limit: '1' },
  },
  {
    id: 'R08',
    intent: { leg: 1 },
    before: [[{ leg: 1 }, 0]],
    text: 'this decision (leg 1) has had its order already',
    values: { leg: '1' },
  },
  {
    id: 'R08',
    intent: { ordinal: 1 },
    before: [[{}, 1_746_403_259_000]],
    text: 'the same order was wanted 1000 ms before, window 5000 ms',
    values: { since_ms: '1000', window_ms: '5000' },
  },
  {
    id: 'R08',
    facts: { instrument: null },
    text: 'instrument BTCUSDT is not known',
    values: { missing: 'instrument BTCUSDT' },
  },
  {
    id: 'R01',
    intent: { quantity: '0.009' },
    text: 'order notional 540 is above 500 USDT',
    values: { value: '540', limit: '500' },
  },
  {
    id: 'R01',
    intent: { quantity: '0.005' },
    facts: { equity: '1000' },
    text: 'order notional 300 is above 250 USDT (by its share of equity)',
    values: { value: '300', limit: '250' },
  },
  {
    id: 'R02',
    intent: { quantity: '150.001' },
    text: 'order quantity 150.001 is above 150 BTCUSDT',
    values: { value: '150.001', limit: '150' },
  },
  {
    id: 'R02',
    intent: { quantity: '0.002' },
    limits: { maxOrderQuantity: new Map([['BTCUSDT', d<'quantity'>('0.001')]]) },
    text: 'order quantity 0.002 is above 0.001 BTCUSDT',
    values: { value: '0.002', limit: '0.001' },
  },
  {
    id: 'R03',
    intent: { price: '60300.1' },
    text: 'buy limit 60300.1 is more than 50 bps beyond the reference price 60000',
    values: { price: '60300.1', reference: '60000', limit_bps: '50' },
  },
  {
    id: 'R03',
    intent: { price: '53999.9' },
    text: 'buy limit 53999.9 is more than 1000 bps away from the reference price 60000',
    values: { price: '53999.9', reference: '60000', limit_bps: '1000' },
  },
  {
    id: 'R12',
    intent: { quantity: '0.003' },
    facts: { position: '0.016' },
    text: 'worst position notional 1140 is above 1000 USDT',
    values: { value: '1140', limit: '1000' },
  },
  {
    id: 'R10',
    facts: { orders: 12 },
    text: 'it would be order 13 open in BTCUSDT, limit 12',
    values: { where: 'BTCUSDT', orders: '13', limit: '12' },
  },
  {
    id: 'R10',
    facts: { accountOrders: 40 },
    text: 'it would be order 41 open in the account, limit 40',
    values: { where: 'the account', orders: '41', limit: '40' },
  },
  {
    id: 'R04',
    limits: { market: { ...DEFAULT_LIMITS.market, marketEntries: false } },
    text: 'market orders may only reduce: use entry: limit in the strategy, or market_orders: allow in risk',
    values: { type: 'market' },
  },
  {
    id: 'R09',
    before: Array.from(
      { length: 12 },
      (_, index) => [{ ordinal: index + 1 }, VENUE_TIME - 59_999] as const,
    ),
    text: 'it would be entry 13 within a minute, limit 12: it waits',
    values: { entries: '13', limit: '12' },
  },
  {
    id: 'R13',
    facts: { others: [['ETHUSDT', '-5', '3000', '2']] },
    text: 'gross exposure of the worst positions 15060 is above 15000 USDT',
    values: { part: 'gross', value: '15060', limit: '15000' },
  },
  {
    id: 'R13',
    facts: { others: [['ETHUSDT', '1', null, '2']] },
    text: 'price of ETHUSDT is not known',
    values: { missing: 'price of ETHUSDT' },
  },
  {
    id: 'R14',
    facts: { others: [['ETHUSDT', '4', '3000', '2']] },
    text: 'margin of the worst positions 6030 is above 6000 USDT',
    values: { value: '6030', limit: '6000' },
  },
  {
    id: 'R34',
    facts: { others: [['ETHUSDT', '2.5', '3000', '2']] },
    limits: { budgets: budget('0.5', ['BTCUSDT', 'ETHUSDT']) },
    text: 'worst positions of cross 7560 are above its budget of 7500 USDT',
    values: { strategy: 'cross', value: '7560', limit: '7500' },
  },
  {
    id: 'R16',
    intent: { side: 'sell' },
    limits: { maxLeverage: d('20') },
    facts: { configured: '12', leverage: '12' },
    text: 'the worst position would be liquidated near 63725.49019608, 6.20915033 % from the price 60000, at least 8 %',
    values: {
      liquidation: '63725.49019608',
      price: '60000',
      distance_pct: '6.20915033',
      limit_pct: '8',
    },
  },
  {
    id: 'R20',
    intent: { price: '60000' },
    facts: { resting: { sell: ['60010', '60000'] } },
    text: 'this buy can reach 60000, where our own sell order rests at 60000: cancel that first',
    values: { reach: '60000', resting: '60000' },
  },
  {
    id: 'R27',
    facts: { last: '60300.1' },
    text: 'the price is 60300.1 and was 60000 at the decision, limit 50 bps',
    values: { price: '60300.1', reference: '60000', limit_bps: '50' },
  },
  {
    id: 'R38',
    facts: { jump: ['60000', '56999.9'] },
    text: 'two prices within a second of the last minute, 60000 and 56999.9 are more than 5 % apart',
    values: { part: 'tick', from: '60000', to: '56999.9', limit: '0.05' },
  },
  {
    id: 'R38',
    facts: { mark: '61200.1' },
    text: 'last price and mark price 60000 and 61200.1 are more than 2 % apart',
    values: { part: 'mark_gap', from: '60000', to: '61200.1', limit: '0.02' },
  },
  {
    id: 'R41',
    facts: { funding: { rate: '0.0031', inMs: 60_000 } },
    text: 'the next funding, within 60 s, costs 31 bps, limit 30 bps',
    values: { cost_bps: '31', limit_bps: '30' },
  },
  {
    id: 'R42',
    intent: { currency: 'INR' },
    limits: { currenciesAllow: new Set(['USDT', 'INR']) },
    facts: { hedgeRateAge: 8 * 86_400_000 },
    text:
      'the newest rate of INR to USDT is 8 d 0 h old, limit 7 d 0 h: set venue.inr_rate.value and as_of, ' +
      'and restart',
    values: { age_ms: '691200000', limit_ms: '604800000' },
  },
  {
    id: 'R43',
    facts: { volatility: '8.01' },
    text: 'a minute of the last five had 8.01 times the average range of an hour, limit 8',
    values: { value: '8.01', limit: '8' },
  },
  {
    id: 'R17',
    limits: { loss: LOSS_LIMITS.cautious },
    text: 'the entry has no stop loss: set protect.stop_loss_pct (require_stop_loss)',
    values: { missing: 'stop_loss' },
  },
  {
    id: 'R17',
    intent: { quantity: '0.01', stopLoss: '49000' },
    text: 'the loss at the stop 49000 is 111.1881 USDT with fees and slippage, limit 100 USDT',
    values: { loss: '111.1881', limit: '100' },
  },
  {
    id: 'R19',
    facts: { losses: { dayLoss: d('300.01') } },
    text: 'loss of the venue day is 300.01 of 10000, limit 3 %',
    values: { value: '300.01', limit: '300' },
  },
  {
    id: 'R19',
    facts: { losses: { unexplained: d('-250') } },
    text: 'the wallet changed by -250 and no trade explains it: the transfers are being read',
    values: { unexplained: '-250' },
  },
  {
    id: 'R21',
    facts: { losses: { drawdown: d('1800.01'), highWater: d('12000') } },
    text: 'drawdown is 1800.01 of 12000, limit 15 %',
    values: { value: '1800.01', limit: '1800' },
  },
  {
    id: 'R26',
    facts: { losses: { pausedUntil: VENUE_TIME + 1 } },
    limits: { loss: { ...LOSS_LIMITS.cautious, stopLoss: 'off' } },
    text: '5 positions in a row closed at a loss: entries pause until 2025-05-05T00:01:00.001Z',
    values: { losses: '5', paused_until: String(VENUE_TIME + 1) },
  },
  {
    id: 'R40',
    facts: { losses: { orders: 500 } },
    text: 'it is order 501 of the venue day, limit 500',
    values: { orders: '501', limit: '500' },
  },
  {
    id: 'R40',
    facts: { losses: { turnover: d('99950') } },
    text: 'turnover of the venue day would be 100010 USDT, limit 100000 USDT',
    values: { turnover: '100010', limit: '100000' },
  },
];

/** The control by which the gate refuses a row, under preset standard. */
function refusingControl({ limits, before, intent, facts, phase }: Partial<Row>): string {
  const gate = createGate({ preset: 'standard', limits: { ...DEFAULT_LIMITS, ...limits } });
  for (const [earlier, time] of before ?? [])
    gate.remember({ ...intentOf(earlier), decidedAt: time });
  const judge = phase === 'send' ? gate.recheck : gate.judge;
  const verdict = judge(intentOf(intent), factsOf(facts));
  return verdict.ok ? 'approved' : verdict.control;
}

describe('a refusal', () => {
  it.each(rows)('a refusal by $id has the text "$text"', ({ id, text, values, ...row }) => {
    const breach = breachOf(named(id), { name: '', ...row });
    expect(breach?.explain()).toBe(text);
    expect(breach?.values()).toEqual(values);
  });

  it('the gate refuses some row by each control, and no other control in its place', () => {
    const refusing = new Set(rows.map(({ text: _, values: __, ...row }) => refusingControl(row)));
    for (const { id } of rows) expect(refusing, `rows of ${id}`).toContain(id);
  });

  it('every control has a row in this test', () => {
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(CONTROLS.map(({ id }) => id)));
  });
});

it('every control has its key in the risk block', () => {
  expect(Object.fromEntries(CONTROLS.map(({ id, key }) => [id, key]))).toEqual({
    R30: 'kill_switch',
    mode: 'mode',
    R22: 'foreign_hand',
    R28: 'symbols_allow',
    R05: 'max_ref_price_age_ms',
    R06: 'max_state_age_ms',
    R07: 'instrument_rules',
    R15: 'max_leverage',
    R04: 'market_orders',
    R27: 'max_price_drift_bps',
    R38: 'price_jump_pct',
    R43: 'volatility_halt',
    R41: 'funding_guard',
    R42: 'inr_fx_max_age_ms',
    R20: 'self_cross',
    R13: 'max_gross_exposure_pct',
    R14: 'max_margin_utilisation_pct',
    R34: 'strategy_budget_pct',
    R16: 'min_liq_distance_pct',
    R09: 'max_entries_per_minute',
    R23: 'unknown_intents',
    R08: 'duplicate_window_ms',
    R01: 'max_order_notional_usdt',
    R02: 'max_order_qty',
    R03: 'price_collar_bps',
    R12: 'max_position_notional',
    R10: 'max_open_orders',
    R17: 'max_loss_per_trade_pct',
    R19: 'daily_loss_limit_pct',
    R21: 'max_drawdown_pct',
    R26: 'loss_streak',
    R40: 'daily_turnover_x_equity',
  });
});

type MarginRow = Omit<ControlCase, 'name' | 'refused'> & {
  readonly id: ControlId;
  readonly what: string;
  /** "part: value of limit unit", the part only where a control has several. */
  readonly margins: readonly string[];
};

const half = { maxOrderQuantity: new Map([['BTCUSDT', d<'quantity'>('0.5')]]) };

const marginRows: readonly MarginRow[] = [
  { id: 'R05', what: 'an age', facts: { lastAge: 12.5 }, margins: ['13 of 3000 ms'] },
  { id: 'R05', what: 'a limit exit', intent: limitExit, margins: ['0 of 15000 ms'] },
  { id: 'R05', what: 'an exit at the market', intent: exit, margins: [] },
  { id: 'R05', what: 'no price', facts: { lastAge: null }, margins: [] },
  {
    id: 'R06',
    what: 'three ages',
    facts: { ordersAge: 0.5, positionsAge: 2, walletAge: 3 },
    margins: ['open_orders: 1 of 5000 ms', 'positions: 2 of 5000 ms', 'wallet: 3 of 5000 ms'],
  },
  {
    id: 'R06',
    what: 'what is known, at a limit exit',
    intent: limitExit,
    facts: { positionsAge: null },
    margins: ['open_orders: 0 of 30000 ms', 'wallet: 0 of 30000 ms'],
  },
  { id: 'R06', what: 'an exit at the market', intent: exit, margins: [] },
  {
    id: 'R07',
    what: 'both minima',
    intent: { price: '5000' },
    margins: ['quantity: 0.001 of ≥ 0.001 base', 'notional: 5 of ≥ 5 USDT'],
  },
  {
    id: 'R07',
    what: 'the quantity alone of an exit',
    intent: exit,
    margins: ['quantity: 0.001 of ≥ 0.001 base'],
  },
  {
    id: 'R07',
    what: 'the quantity alone without a price',
    facts: { last: null },
    margins: ['quantity: 0.001 of ≥ 0.001 base'],
  },
  { id: 'R07', what: 'no instrument', facts: { instrument: null }, margins: [] },
  { id: 'R15', what: 'the leverage', margins: ['2 of 3 x'] },
  { id: 'R15', what: 'an exit', intent: exit, margins: [] },
  { id: 'R15', what: 'unknown leverage', facts: { leverage: null }, margins: [] },
  { id: 'R01', what: 'the amount', margins: ['60 of 500 USDT'] },
  { id: 'R01', what: 'the share', facts: { equity: '1999' }, margins: ['60 of 499.75 USDT'] },
  { id: 'R01', what: 'both alike', facts: { equity: '2000' }, margins: ['60 of 500 USDT'] },
  { id: 'R01', what: 'no price', facts: { last: null }, margins: [] },
  { id: 'R01', what: 'no equity', facts: { equity: null }, margins: [] },
  {
    id: 'R01',
    what: 'an exit of the position',
    intent: exit,
    facts: { position: '0.001' },
    margins: [],
  },
  {
    id: 'R01',
    what: 'an exit of more than that',
    intent: { ...exit, quantity: '0.002' },
    facts: { position: '0.001' },
    margins: ['120 of 500 USDT'],
  },
  { id: 'R02', what: 'a market order', margins: ['0.001 of 150 base'] },
  { id: 'R02', what: 'a limit order', intent: { price: '60000' }, margins: ['0.001 of 1500 base'] },
  { id: 'R02', what: 'an own limit', limits: half, margins: ['0.001 of 0.5 base'] },
  {
    id: 'R02',
    what: 'an exit of the position',
    intent: exit,
    facts: { position: '0.001' },
    limits: half,
    margins: ['0.001 of 150 base'],
  },
  { id: 'R02', what: 'no instrument', facts: { instrument: null }, margins: [] },
  { id: 'R03', what: 'a buy above', intent: { price: '60060' }, margins: ['10 of 50 bps'] },
  { id: 'R03', what: 'a buy below', intent: { price: '59940' }, margins: ['10 of 1000 bps'] },
  { id: 'R03', what: 'a market order', margins: [] },
  { id: 'R03', what: 'no price', intent: { price: '60060' }, facts: { last: null }, margins: [] },
  {
    id: 'R03',
    what: 'a price of 0',
    intent: { price: '60060' },
    facts: { last: '0' },
    margins: [],
  },
  { id: 'R12', what: 'a long', facts: { position: '0.002' }, margins: ['180 of 1000 USDT'] },
  {
    id: 'R12',
    what: 'a short',
    intent: { side: 'sell' },
    facts: { position: '-0.002' },
    margins: ['180 of 1000 USDT'],
  },
  {
    id: 'R12',
    what: 'an entry against a position',
    facts: { position: '-1' },
    margins: ['60 of 1000 USDT'],
  },
  { id: 'R12', what: 'an exit', intent: exit, facts: { position: '1' }, margins: [] },
  {
    id: 'R10',
    what: 'both counts',
    facts: { orders: 2, accountOrders: 7 },
    margins: ['symbol: 3 of 12 orders', 'account: 8 of 40 orders'],
  },
  { id: 'R09', what: 'an entry', margins: ['1 of 12 orders'] },
  { id: 'R09', what: 'an exit', intent: exit, margins: [] },
  {
    id: 'R13',
    what: 'both sums',
    facts: { others: [['ETHUSDT', '-1', '3000', '2']] },
    margins: ['gross: 3060 of 15000 USDT', 'net: -2940 of 15000 USDT'],
  },
  { id: 'R13', what: 'no equity', facts: { equity: null }, margins: [] },
  { id: 'R13', what: 'an exit', intent: exit, facts: { position: '1' }, margins: [] },
  {
    id: 'R14',
    what: 'the margin',
    facts: { others: [['ETHUSDT', '1', '3000', null]] },
    margins: ['3030 of 6000 USDT'],
  },
  {
    id: 'R34',
    what: 'the symbols of the strategy',
    facts: {
      others: [
        ['ETHUSDT', '-1', '3000', '2'],
        ['SOLUSDT', '20', '100', '2'],
      ],
    },
    limits: { budgets: budget('0.4', ['BTCUSDT', 'ETHUSDT']) },
    margins: ['3060 of 6000 USDT'],
  },
  { id: 'R34', what: 'no budget', margins: [] },
  { id: 'R14', what: 'no wallet', facts: { wallet: null }, margins: [] },
  {
    id: 'R16',
    what: 'both distances',
    intent: { stopLoss: '59000' },
    facts: { leverage: '3' },
    margins: ['distance: 31.97278912 of ≥ 8 %', 'stop: 94.78723404 of ≥ 25 %'],
  },
  { id: 'R16', what: 'a long without leverage', facts: { leverage: '1' }, margins: [] },
  { id: 'R16', what: 'no leverage', facts: { leverage: null }, margins: [] },
  {
    id: 'R20',
    what: 'the nearest order',
    intent: { side: 'sell', price: '60100' },
    facts: { resting: { buy: ['59000', '59900', '59500'] } },
    margins: ['60100 of ≥ 59900 USDT'],
  },
  { id: 'R20', what: 'no order', margins: [] },
  { id: 'R27', what: 'a move', facts: { last: '60060' }, margins: ['10 of 50 bps'] },
  { id: 'R27', what: 'a manual order', intent: { byHand: true }, margins: [] },
  { id: 'R27', what: 'no price', facts: { last: null }, margins: [] },
  {
    id: 'R38',
    what: 'both gaps',
    facts: { jump: ['60000', '60600'], mark: '60300' },
    margins: ['tick: 1 of 5 %', 'mark_gap: 0.5 of 2 %'],
  },
  { id: 'R38', what: 'a stale mark', facts: { mark: '60300', markAge: 3_001 }, margins: [] },
  {
    id: 'R41',
    what: 'a cost',
    intent: { side: 'sell' },
    facts: { funding: { rate: '-0.0004', inMs: 1 } },
    margins: ['4 of 30 bps'],
  },
  {
    id: 'R41',
    what: 'a credit',
    facts: { funding: { rate: '-0.0004', inMs: 1 } },
    margins: [],
  },
  {
    id: 'R42',
    what: 'an INR entry',
    intent: { currency: 'INR' },
    facts: { hedgeRateAge: 60_000 },
    margins: ['60000 of 604800000 ms'],
  },
  { id: 'R42', what: 'a USDT entry', margins: [] },
  { id: 'R43', what: 'a ratio', facts: { volatility: '2.5' }, margins: ['2.5 of 8 x'] },
  { id: 'R43', what: 'no ratio', margins: [] },
  { id: 'R17', what: 'no stop', margins: [] },
  {
    id: 'R17',
    what: 'a stop',
    intent: { stopLoss: '57000' },
    margins: ['3.12753 of 100 USDT'],
  },
  {
    id: 'R17',
    what: 'no equity',
    intent: { stopLoss: '57000' },
    facts: { equity: null },
    margins: [],
  },
  {
    id: 'R17',
    what: 'no price',
    intent: { stopLoss: '57000' },
    facts: { last: null },
    margins: [],
  },
  {
    id: 'R19',
    what: 'a loss',
    facts: { losses: { dayLoss: d('125') } },
    margins: ['125 of 300 bps'],
  },
  { id: 'R19', what: 'an exit', intent: exit, margins: [] },
  { id: 'R19', what: 'no equity', facts: { losses: { dayStart: d('0') } }, margins: [] },
  { id: 'R19', what: 'nothing known', facts: { losses: null }, margins: [] },
  {
    id: 'R21',
    what: 'a fall',
    facts: { losses: { drawdown: d('600'), highWater: d('12000') } },
    margins: ['500 of 1500 bps'],
  },
  { id: 'R21', what: 'an exit', intent: exit, margins: [] },
  {
    id: 'R26',
    what: 'a streak',
    facts: { losses: { losingCloses: 2 } },
    limits: { loss: LOSS_LIMITS.cautious },
    margins: ['2 of 5 closes'],
  },
  { id: 'R26', what: 'no streak limit', margins: [] },
  {
    id: 'R40',
    what: 'a day',
    facts: { losses: { orders: 7, turnover: d('1000') } },
    margins: ['orders: 8 of 500 orders', 'turnover: 1060 of 100000 USDT'],
  },
  { id: 'R40', what: 'no price', facts: { last: null }, margins: ['orders: 1 of 500 orders'] },
  { id: 'R40', what: 'an exit', intent: exit, margins: [] },
];

describe('the margins', () => {
  it.each(marginRows)(
    'the margins of $id exist with $what',
    ({ id, intent, facts, limits, margins }) => {
      const evidence = collectEvidence(
        intentOf(intent),
        factsOf(facts),
        'decide',
        new RecentIntents(),
      );
      const all = named(id).margins?.(evidence, { ...DEFAULT_LIMITS, ...limits }) ?? [];
      const texts = all.map(
        ({ part, value, limit, unit, least }) =>
          `${part === undefined ? '' : `${part}: `}${value} of ${least === true ? '≥ ' : ''}${limit} ${unit}`,
      );
      expect(texts).toEqual(margins);
    },
  );
});
