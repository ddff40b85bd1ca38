import { describe, expect, it } from 'vitest';
import { d, factsOf, type FactsCase } from '../../../../test/support/builders/risk-case.js';
import { CONTROL_ENTRIES } from '../../../risk/catalog/control-catalog.js';
import { LIMIT_ENTRIES } from '../../../risk/catalog/limit-catalog.js';
import { REACHED_KEYS } from '../../../risk/catalog/limit-scope.js';
import { PRESET_LIMITS } from '../../../risk/limits/risk-limits.js';
import type { LimitInputs } from './limit-reading.js';
import { limitStatuses } from './limit-status.js';
import { limitTables } from './limit-text.js';

const COUNTS = {
  duplicates: () => 1,
  minuteEntries: 5,
  nakedMs: () => 0,
  unknownOrders: 1,
  rejections: (symbol?: string) => (symbol === undefined ? 4 : 3),
  errors: 4,
  oldestEntryMs: undefined,
  failedStarts: 2,
  skewMs: -1_500,
  slippedEntries: () => 2,
};

const statuses = (facts: FactsCase = {}, changes: Partial<LimitInputs> = {}) =>
  limitStatuses({
    symbols: ['BTCUSDT'],
    strategies: [{ id: 'cross', interval: '1m' }],
    currency: 'USDT',
    facts: factsOf(facts),
    counts: COUNTS as unknown as LimitInputs['counts'],
    limits: PRESET_LIMITS.cautious,
    preset: 'cautious',
    mode: 'TRADING',
    killLevel: undefined,
    restrictions: [],
    ...changes,
  });

const of = (key: string, facts: FactsCase = {}, changes: Partial<LimitInputs> = {}) =>
  statuses(facts, changes).find((row) => row.key === key);

describe('the headroom of every limit', () => {
  it('every control of the catalogue has a row, in its order', () => {
    const controls = [...new Set(statuses().map(({ control }) => control))];
    expect(controls).toEqual(CONTROL_ENTRIES.map(({ id }) => id));
  });

  it('every key of the risk block has a row, and a scope', () => {
    const keys = LIMIT_ENTRIES.map(({ key }) => key).sort();
    const shown = new Set(statuses().map(({ key }) => key));
    expect(keys.filter((key) => !shown.has(key))).toEqual([]);
    expect([...REACHED_KEYS].sort()).toEqual(keys);
  });

  it('the hold time of a loss limit counts on the monotonic clock, its day on that of the venue', () => {
    expect(of('daily_loss_limit_pct.hold_ms')?.clock).toBe('monotonic');
    expect(of('daily_loss_limit_pct.soft')?.clock).toBe('venue');
  });

  it('a row has a number with its unit, or a state', () => {
    for (const row of statuses({ funding: { rate: '0.0001', inMs: 1_000 } })) {
      const isNumber = row.unit !== null && row.limit !== null && row.bound !== null;
      expect([row.control, row.key, isNumber || row.state !== null]).toEqual([
        row.control,
        row.key,
        true,
      ]);
    }
  });

  it.each<[string, FactsCase, string | null, string, string | null]>([
    ['max_order_notional_usdt', {}, null, '250.00', '250.00'],
    ['max_order_notional_pct_equity', { equity: '1000' }, null, '100.00', '100.00'],
    ['max_ref_price_age_ms.entry', { lastAge: 1_200 }, '1200', '3000', '1800'],
    ['max_state_age_ms.exit', { walletAge: 40_000 }, '40000', '30000', '0'],
    ['duplicate_window_ms', {}, '1', '3', '2'],
    ['max_entries_per_minute', {}, '5', '5', '0'],
    ['max_open_orders.symbol', { orders: 3 }, '3', '4', '1'],
    ['max_position_notional.usdt', { longest: '0.005' }, '300.00', '500.00', '200.00'],
    [
      'max_gross_exposure_pct',
      { others: [['ETHUSDT', '-2', '2000', '2']] },
      '4000.00',
      '10000.00',
      '6000.00',
    ],
    [
      'max_margin_utilisation_pct',
      { others: [['ETHUSDT', '-2', '2000', '2']] },
      '2000.00',
      '4000.00',
      '2000.00',
    ],
    ['max_leverage', { leverage: '1.5' }, '1.5', '2', '0.5'],
    ['max_loss_per_trade_pct', {}, null, '50.00', '50.00'],
    ['max_naked_ms', {}, '0', '5000', '5000'],
    [
      'daily_loss_limit_pct.soft',
      { losses: { dayLoss: 5e9 as never } },
      '50.00',
      '200.00',
      '150.00',
    ],
    [
      'daily_loss_limit_pct.hard',
      { losses: { dayLoss: -5e9 as never } },
      '0.00',
      '300.00',
      '300.00',
    ],
    ['max_drawdown_pct', { losses: { drawdown: 5e9 as never } }, '50.00', '1000.00', '950.00'],
    ['reject_breaker.symbol', {}, '3', '3', '0'],
    ['reject_breaker.account', {}, '4', '6', '2'],
    ['error_breaker', {}, '4', '5', '1'],
    ['loss_streak.losses', { losses: { losingCloses: 2 } }, '2', '5', '3'],
    ['crash_loop', {}, '2', '5', '3'],
    ['max_clock_skew_ms.warn', {}, '1500', '2000', '500'],
    ['price_jump_pct.tick', { jump: ['100', '103'] }, '3', '5', '2'],
    ['price_jump_pct.mark_gap', { last: '100', mark: '101' }, '1', '2', '1'],
    ['fill_slippage_bps', {}, '2', '3', '1'],
    ['max_orders_per_day', { losses: { orders: 50 } }, '50', '200', '150'],
    ['funding_guard.refuse_bps', { funding: { rate: '-0.0004', inMs: 9e6 } }, '4', '10', '6'],
    ['volatility_halt', { volatility: '2.5' }, '2.5', '6', '3.5'],
  ])('%s is read from the facts of the gate', (key, facts, used, limit, headroom) => {
    expect(of(key, facts)).toMatchObject({ used, limit, headroom, bound: 'most', is_known: true });
  });

  it('the distance to liquidation must stay at least at its limit', () => {
    const row = of('min_liq_distance_pct', { position: '0.01' });
    expect(row).toMatchObject({ bound: 'least', limit: '15' });
    expect(Number(row?.used)).toBeCloseTo(Number(row?.headroom) + 15, 2);
  });

  it('a fact that is not known leaves no headroom, and is the tightest row', () => {
    expect(of('max_position_notional.usdt', { last: null })).toMatchObject({
      used: null,
      headroom: null,
      is_known: false,
    });
    const [table] = limitTables(statuses({ last: null }), false);
    expect(table?.rows[0]).toMatchObject({ used: 'not known' });
  });

  it('the budget of a strategy counts its own symbols', () => {
    const symbols = new Set(['ETHUSDT']);
    const limits = {
      ...PRESET_LIMITS.cautious,
      budgets: new Map([['cross', { share: d<'ratio'>('0.5'), symbols }]]),
    };
    const facts: FactsCase = {
      others: [
        ['ETHUSDT', '1', '2000', '2'],
        ['SOLUSDT', '1', '100', '2'],
      ],
    };
    expect(of('strategy_budget_pct', facts, { limits })).toMatchObject({
      strategy: 'cross',
      used: '2000.00',
      limit: '5000.00',
      headroom: '3000.00',
    });
  });

  it('scope, window and clock come with the limit', () => {
    expect(of('reject_breaker.account')).toMatchObject({
      scope: 'account',
      window_ms: 300_000,
      clock: 'monotonic',
    });
    expect(of('fill_slippage_bps')).toMatchObject({ scope: 'strategy', strategy: 'cross' });
    expect(of('max_leverage')).toMatchObject({ scope: 'symbol', symbol: 'BTCUSDT' });
    expect(of('price_collar_bps.exit')).toMatchObject({ scope: 'order', used: null });
  });

  it('a switch has its state', () => {
    expect(of('market_orders')?.state).toBe('reduce_only');
    expect(of('kill_switch', {}, { killLevel: 'pause' })?.state).toBe('pause');
    expect(of('require_stop_loss')).toMatchObject({ state: 'require', limit: null, unit: null });
  });

  it('a preset that counts only says so', () => {
    const row = of('max_open_orders.symbol', {}, { preset: 'research' });
    expect(row).toMatchObject({ enforced: false });
    expect(of('max_open_orders.symbol')).toMatchObject({ enforced: true });
  });
});

describe('the table of limits', () => {
  it('has the tightest limits first, and the rest behind --all', () => {
    const rows = statuses();
    const [short, none] = limitTables(rows, false);
    expect(short?.title).toContain('--all');
    expect(short?.rows).toHaveLength(12);
    expect(none?.rows).toEqual([]);
    expect(short?.rows.slice(0, 3).map(({ left }) => left)).toEqual(['0', '0', '0']);
    const [long, states] = limitTables(rows, true);
    expect((long?.rows.length ?? 0) + (states?.rows.length ?? 0)).toBe(rows.length);
  });
});
