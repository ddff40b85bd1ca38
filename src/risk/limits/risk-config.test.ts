import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { d } from '../../../test/support/builders/risk-case.js';
import { DEFAULT_LIMITS, PRESET_LIMITS } from './risk-limits.js';
import { riskSchema, type RiskUse } from './risk-config.js';

/** Problems as "path: message" lines, or none. */
function problems(value: unknown, use: RiskUse = 'sandbox'): string {
  const parsed = riskSchema(use).safeParse(value);
  return parsed.success
    ? ''
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
}

const LIVE = { preset: 'standard', symbols_allow: ['BTCUSDT'] };

describe('the risk block', () => {
  it('an empty block has the defaults', () => {
    expect(riskSchema('sandbox').parse({})).toEqual({ preset: 'standard', limits: DEFAULT_LIMITS });
  });

  it('every limit is read by its key, as text or number', () => {
    const { preset, limits } = riskSchema('backtest').parse({
      preset: 'research',
      max_order_notional_usdt: '1000.5',
      max_order_notional_pct_equity: 12.5,
      max_order_qty: { BTCUSDT: '0.25', ETHUSDT: 3 },
      price_collar_bps: { entry_aggressive: 10, entry_passive: '200.5', exit: 100 },
      max_ref_price_age_ms: { entry: 1_000 },
      max_state_age_ms: { exit: 60_000 },
      instrument_rules: true,
      duplicate_window_ms: 10_000,
      max_open_orders: { symbol: 2 },
      max_position_notional: { usdt: 2_000, pct_equity: '100' },
      max_leverage: 3,
      symbols_allow: ['BTCUSDT', '1000PEPEUSDT'],
      currencies_allow: ['USDT', 'INR'],
      kill_switch: true,
    });
    expect(preset).toBe('research');
    expect(limits).toEqual({
      ...PRESET_LIMITS.research,
      maxOrderNotional: d('1000.5'),
      maxOrderNotionalShare: d('0.125'),
      maxOrderQuantity: new Map([
        ['BTCUSDT', d('0.25')],
        ['ETHUSDT', d('3')],
      ]),
      priceCollarBps: { entryAggressive: d('10'), exitAggressive: d('100'), passive: d('200.5') },
      maxReferencePriceAgeMs: { entry: 1_000, exit: 15_000 },
      maxStateAgeMs: { entry: 5_000, exit: 60_000 },
      duplicateWindowMs: 10_000,
      maxOpenOrders: { symbol: 2, account: 40 },
      maxPositionNotional: d('2000'),
      maxPositionNotionalShare: d('1'),
      maxLeverage: d('3'),
      symbolsAllow: new Set(['BTCUSDT', '1000PEPEUSDT']),
      currenciesAllow: new Set(['USDT', 'INR']),
    });
  });

  it.each([
    { name: 'an unknown key', value: { max_postion: 1 }, problem: /max_postion/ },
    {
      name: 'an unknown key of a group',
      value: { price_collar_bps: { entry: 5 } },
      problem: /price_collar_bps: .*entry/,
    },
    { name: 'no block', value: undefined, problem: /expected object/ },
    { name: 'an unknown preset', value: { preset: 'loose' }, problem: /preset: / },
    {
      name: 'an exponent',
      value: { max_leverage: '1e1' },
      problem: /max_leverage: expected a plain decimal/,
    },
    {
      name: 'a tiny number that YAML made an exponent of',
      value: { max_order_notional_usdt: 1e-9 },
      problem: /expected a plain decimal/,
    },
    {
      name: 'too many places',
      value: { max_order_notional_usdt: '0.000000001' },
      problem: /more than 8 decimal places/,
    },
    { name: 'no number', value: { max_leverage: Number.NaN }, problem: /max_leverage: / },
    { name: 'zero', value: { max_order_notional_usdt: 0 }, problem: /expected a number above 0/ },
    { name: 'a negative amount', value: { max_leverage: '-1' }, problem: /above 0/ },
    {
      name: 'a slipped unit',
      value: { max_order_notional_pct_equity: 10_001 },
      problem: /expected a percentage above 0, at most 10000/,
    },
    {
      name: 'an age of 0',
      value: { max_state_age_ms: { entry: 0 } },
      problem: /max_state_age_ms\.entry: /,
    },
    {
      name: 'a fraction of a millisecond',
      value: { duplicate_window_ms: 1.5 },
      problem: /duplicate_window_ms: /,
    },
    {
      name: 'the instrument rules off',
      value: { instrument_rules: false },
      problem: /instrument_rules cannot be disabled/,
    },
    { name: 'the kill switch off', value: { kill_switch: false }, problem: /cannot be disabled/ },
    { name: 'no symbol at all', value: { symbols_allow: [] }, problem: /symbols_allow: / },
    {
      name: 'a symbol with a blank',
      value: { symbols_allow: ['btc usdt'] },
      problem: /expected a trading symbol/,
    },
    {
      name: 'an unknown currency',
      value: { currencies_allow: ['USD'] },
      problem: /currencies_allow\.0: /,
    },
  ])('the risk block refuses $name', ({ value, problem }) => {
    expect(problems(value)).toMatch(problem);
  });

  it.each([
    ['max_order_notional_pct_equity', '10000', '10000.00000001', 'a percentage'],
    ['max_order_notional_pct_equity', '1', '0', 'a percentage'],
    ['price_collar_bps.exit', '10000', '10000.00000001', 'basis points'],
    ['price_collar_bps.entry_passive', '1', '0', 'basis points'],
    ['price_collar_bps.entry_aggressive', '1', '-1', 'basis points'],
  ])('the bounds of %s are enforced: %s is within, %s is not', (path, within, beyond, what) => {
    const at = (text: string) =>
      path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), text);
    expect(problems(at(within))).toBe('');
    expect(problems(at(beyond))).toBe(`${path}: expected ${what} above 0, at most 10000`);
  });

  it.each([
    ['max_state_age_ms', { exit: 86_400_000 }, { exit: 86_400_001 }],
    ['max_ref_price_age_ms', { entry: 1 }, { entry: 0 }],
    ['duplicate_window_ms', 86_400_000, 86_400_001],
    ['duplicate_window_ms', 0, -1],
    ['max_open_orders', { symbol: 1 }, { symbol: 0 }],
    ['max_open_orders', { account: 10_000 }, { account: 10_001 }],
    ['max_open_orders', { account: 1 }, { account: 1.5 }],
    ['max_order_qty', { BTCUSDT: '0.00000001' }, { BTCUSDT: '0' }],
    ['max_order_qty', { [`A${'B'.repeat(31)}`]: 1 }, { [`A${'B'.repeat(32)}`]: 1 }],
    ['max_order_qty', { AB: 1 }, { A: 1 }],
    ['max_order_qty', { AB: 1 }, { 'AB-C': 1 }],
    ['max_position_notional', { pct_equity: 50 }, { pct_equity: 0 }],
    ['max_position_notional', { usdt: 50 }, { usdts: 50 }],
    ['currencies_allow', ['INR'], []],
    ['symbols_allow', ['AB'], ['*']],
    ['kill_switch', true, 'true'],
  ])('%s accepts %j and not %j', (key, good, bad) => {
    expect(problems({ [key]: good })).toBe('');
    expect(problems({ [key]: bad })).toContain(key);
  });

  it('a fault is reported without faults that follow from it', () => {
    expect(problems({ max_order_notional_pct_equity: 'much' })).toBe(
      'max_order_notional_pct_equity: expected a plain decimal such as 12.5',
    );
    expect(problems({ symbols_allow: '*' }, 'live')).toBe(
      'symbols_allow: live trading names every symbol, without *',
    );
    expect(problems({ preset: 'none' }, 'live').split('\n')).toEqual([
      'preset: preset none exists in backtests only',
      'symbols_allow: live trading names every symbol, without *',
    ]);
    expect(problems({ ...LIVE, preset: 'research' }, 'live')).toBe(
      'preset: live trading needs preset standard or cautious',
    );
    expect(problems({ max_leverage: '9'.repeat(31) })).toMatch(/^max_leverage: /);
    expect(problems({ kill_switch: false })).toBe('kill_switch: kill_switch cannot be disabled');
    expect(problems({ instrument_rules: false })).toBe(
      'instrument_rules: instrument_rules cannot be disabled',
    );
    expect(problems({ max_leverage: 0 })).toBe('max_leverage: expected a number above 0');
    expect(problems({ symbols_allow: ['btc usdt'] })).toContain(
      'expected a trading symbol such as BTCUSDT',
    );
  });

  it('each half of a pair may be given alone', () => {
    const limits = (value: unknown) => riskSchema('sandbox').parse(value).limits;
    expect(limits({ max_state_age_ms: { entry: 7 } }).maxStateAgeMs).toEqual({
      entry: 7,
      exit: 30_000,
    });
    expect(limits({ max_ref_price_age_ms: { exit: 8 } }).maxReferencePriceAgeMs).toEqual({
      entry: 3_000,
      exit: 8,
    });
    expect(limits({ max_open_orders: { account: 9 } }).maxOpenOrders).toEqual({
      symbol: 12,
      account: 9,
    });
    expect(limits({ max_position_notional: { usdt: '7' } })).toMatchObject({
      maxPositionNotional: d('7'),
      maxPositionNotionalShare: d('0.5'),
    });
    expect(limits({ max_position_notional: { pct_equity: '7' } })).toMatchObject({
      maxPositionNotional: d('1000'),
      maxPositionNotionalShare: d('0.07'),
    });
    expect(limits({ price_collar_bps: {} }).priceCollarBps).toEqual({
      entryAggressive: d('50'),
      exitAggressive: d('300'),
      passive: d('1000'),
    });
    expect(limits({ symbols_allow: '*' }).symbolsAllow).toBe('*');
  });

  it.each<{ value: unknown; use: RiskUse; problem: RegExp }>([
    { use: 'sandbox', value: { preset: 'none' }, problem: /preset none exists in backtests only/ },
    { use: 'paper', value: { preset: 'none' }, problem: /backtests only/ },
    { use: 'live', value: { ...LIVE, preset: 'research' }, problem: /needs preset standard/ },
    { use: 'live', value: { preset: 'standard' }, problem: /names every symbol/ },
    { use: 'live', value: { ...LIVE, symbols_allow: '*' }, problem: /names every symbol/ },
    { use: 'live', value: LIVE, problem: /^$/ },
    { use: 'backtest', value: { preset: 'none' }, problem: /^$/ },
    { use: 'paper', value: { preset: 'research' }, problem: /^$/ },
    { use: 'sandbox', value: { symbols_allow: '*' }, problem: /^$/ },
  ])('for $use, $value has the problem "$problem"', ({ use, value, problem }) => {
    expect(problems(value, use)).toMatch(problem);
  });

  it('live trading requires a stop, unless the configuration has its own word', () => {
    const required = (use: RiskUse, value: object) =>
      riskSchema(use).parse({ ...LIVE, ...value }).limits.loss.stopLoss;
    expect(required('sandbox', {})).toBe('warn');
    expect(required('live', {})).toBe('require');
    expect(required('live', { require_stop_loss: 'warn' })).toBe('warn');
    expect(required('live', { preset: 'cautious' })).toBe('require');
  });

  it('every misspelt key is refused', () => {
    const keys = [
      'max_order_notional_usdt',
      'max_order_notional_pct_equity',
      'price_collar_bps',
      'max_ref_price_age_ms',
      'max_state_age_ms',
      'duplicate_window_ms',
      'max_open_orders',
      'max_position_notional',
      'max_leverage',
      'symbols_allow',
      'currencies_allow',
      'preset',
    ];
    for (const key of keys) {
      for (let at = 0; at < key.length; at += 1) {
        const typo = key.slice(0, at) + key.slice(at + 1);
        expect(problems({ [typo]: 1 })).toContain(typo);
      }
    }
  });

  it('the risk block is a plain zod schema', () => {
    expect(riskSchema('live')).toBeInstanceOf(z.ZodType);
  });
});
