import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { changedLimits } from '../limits/risk-config.js';
import { PRESET_LIMITS } from '../limits/risk-limits.js';
import { contradictionsIn } from './contradictions.js';
import { loosenings, looseningText } from './limit-catalog.js';
import { withChanges } from './limit-changes.js';
import { isLooser, type TighterDirection } from './limit-entry.js';
import { tightened } from './tightened.js';

const STANDARD = PRESET_LIMITS.standard;

describe('a looser limit', () => {
  it.each<readonly [string, TighterDirection, string | undefined, string | undefined, boolean]>([
    ['a larger maximum', 'lower', '3', '3.1', true],
    ['an equal maximum', 'lower', '3', '3', false],
    ['a smaller maximum', 'lower', '3', '2.9', false],
    ['ten after nine', 'lower', '9', '10', true],
    ['a removed maximum', 'lower', '3', undefined, true],
    ['a new maximum', 'lower', undefined, '3', false],
    ['a smaller minimum', 'higher', '8', '7', true],
    ['a larger minimum', 'higher', '8', '9', false],
    ['an age above the least by interval', 'lower', 'by interval', '3001', true],
    ['an age at the least by interval', 'lower', 'by interval', '3000', false],
    ['by interval after an age', 'lower', '59999', 'by interval', true],
    ['by interval after the largest age', 'lower', '60000', 'by interval', false],
    ['a further symbol', 'subset', 'BTCUSDT', 'BTCUSDT, ETHUSDT', true],
    ['another symbol', 'subset', 'BTCUSDT', 'ETHUSDT', true],
    ['fewer symbols', 'subset', 'BTCUSDT, ETHUSDT', 'BTCUSDT', false],
    ['every symbol', 'subset', 'BTCUSDT', '*', true],
    ['names after every symbol', 'subset', '*', 'BTCUSDT', false],
    ['a larger quantity', 'per-symbol', 'BTCUSDT 1', 'BTCUSDT 2', true],
    ['a symbol without its quantity', 'per-symbol', 'BTCUSDT 1, ETHUSDT 1', 'BTCUSDT 1', true],
    ['a further quantity', 'per-symbol', 'BTCUSDT 1', 'BTCUSDT 1, ETHUSDT 5', false],
    ['a weaker word', ['require', 'warn', 'off'], 'warn', 'off', true],
    ['a stronger word', ['require', 'warn', 'off'], 'warn', 'require', false],
  ])('%s is found', (_name, tighter, before, after, looser) => {
    expect(isLooser({ tighter }, before, after)).toBe(looser);
  });

  it('cautious allows nothing that standard does not, and standard is looser than it', () => {
    expect(loosenings(STANDARD, PRESET_LIMITS.cautious)).toEqual([]);
    const keys = loosenings(PRESET_LIMITS.cautious, STANDARD).map(({ key }) => key);
    expect(keys).toContain('max_leverage');
    expect(keys).toContain('market_orders');
    expect(keys).toContain('loss_streak.losses');
  });

  it('is told with both values', () => {
    const [found] = loosenings(STANDARD, changedLimits(STANDARD, { max_leverage: 5 }));
    expect(found === undefined ? '' : looseningText(found)).toBe('max_leverage from 3 x to 5 x');
  });
});

describe('limits tightened at run time', () => {
  it('a tighter limit takes effect, and the others stay', () => {
    const result = tightened(STANDARD, {
      max_leverage: 2,
      daily_loss_limit_pct: { soft: 1 },
      max_order_qty: { BTCUSDT: '0.05' },
      symbols_allow: ['BTCUSDT'],
    });
    expect(result).toMatchObject({
      ok: true,
      changes: [
        'max_order_qty from none to BTCUSDT 0.05 base units',
        'max_leverage from 3 x to 2 x',
        'daily_loss_limit_pct.soft from 3 % of equity to 1 % of equity',
        'symbols_allow from * to BTCUSDT',
      ],
    });
    if (!result.ok) return;
    expect(result.limits.loss.maxDayShare.hard).toBe(STANDARD.loss.maxDayShare.hard);
    const further = tightened(result.limits, { max_order_qty: { ETHUSDT: 1 } });
    expect(further.ok && [...further.limits.maxOrderQuantity.keys()]).toEqual([
      'BTCUSDT',
      'ETHUSDT',
    ]);
  });

  it('one looser limit refuses the whole change', () => {
    expect(tightened(STANDARD, { max_leverage: 2, max_drawdown_pct: 20 })).toEqual({
      ok: false,
      problems: [
        'max_drawdown_pct from 15 % of equity to 20 % of equity allows more: limits only tighten at run time. Change the configuration, then sluice risk accept CONFIG and restart',
      ],
      isLooser: true,
    });
  });

  it.each([
    [{ preset: 'none' }, /preset/],
    [{ max_leverag: 2 }, /max_leverag/],
    [{ max_leverage: 0 }, /max_leverage: expected a number above 0/],
    [{ max_leverage: Number.NaN }, /max_leverage: /],
    ['2', /expected object/],
    [undefined, /expected object/],
  ])('%j is refused', (change, problem) => {
    const result = tightened(STANDARD, change);
    expect(result.ok ? '' : result.problems.join('\n')).toMatch(problem);
  });

  it('an empty change changes nothing', () => {
    expect(tightened(STANDARD, {})).toEqual({ ok: true, limits: STANDARD, changes: [] });
  });
});

describe('contradictions', () => {
  it.each(Object.entries(PRESET_LIMITS))('preset %s has none', (_name, limits) => {
    expect(contradictionsIn(limits)).toEqual([]);
  });

  it.each<readonly [Readonly<Record<string, unknown>>, string, string]>([
    [{ max_order_notional_usdt: 1_001 }, 'max_order_notional_usdt', 'max_position_notional.usdt'],
    [
      { max_order_notional_pct_equity: 51 },
      'max_order_notional_pct_equity',
      'max_position_notional.pct_equity',
    ],
    [
      { max_position_notional: { pct_equity: 151 } },
      'max_position_notional.pct_equity',
      'max_gross_exposure_pct',
    ],
    [{ max_net_exposure_pct: 151 }, 'max_net_exposure_pct', 'max_gross_exposure_pct'],
    [{ max_loss_per_trade_pct: 6 }, 'max_loss_per_trade_pct', 'daily_loss_limit_pct.hard'],
    [
      { daily_loss_limit_pct: { soft: 5 } },
      'daily_loss_limit_pct.soft',
      'daily_loss_limit_pct.hard',
    ],
    [{ max_drawdown_pct: 4 }, 'daily_loss_limit_pct.hard', 'max_drawdown_pct'],
    [{ max_open_orders: { account: 11 } }, 'max_open_orders.symbol', 'max_open_orders.account'],
    [{ unknown_intents: { symbol: 4 } }, 'unknown_intents.symbol', 'unknown_intents.account'],
    [{ reject_breaker: { symbol: 11 } }, 'reject_breaker.symbol', 'reject_breaker.account'],
    [{ max_clock_skew_ms: { warn: 10_000 } }, 'max_clock_skew_ms.warn', 'max_clock_skew_ms.block'],
    [{ funding_guard: { refuse_bps: 5 } }, 'funding_guard.warn_bps', 'funding_guard.refuse_bps'],
  ])('%j is one', (change, lower, upper) => {
    expect(contradictionsIn(changedLimits(STANDARD, change))).toMatchObject([{ lower, upper }]);
  });

  it('equal limits contradict each other only where the first must act before the second', () => {
    const equal = changedLimits(STANDARD, {
      max_order_notional_usdt: 1_000,
      max_open_orders: { symbol: 40 },
    });
    expect(contradictionsIn(equal)).toEqual([]);
  });
});

describe('limits tightened by a person beside a configuration', () => {
  const change = (key: string, value: string) => ({ key, value, reason: 'a test' });

  it('each key has its value, its configured value and its reason', () => {
    const { limits, tightened: found } = withChanges(STANDARD, [
      change('max_leverage', '2.5'),
      change('max_order_qty.BTCUSDT', '0.01'),
      change('symbols_allow', 'BTCUSDT, ETHUSDT'),
      change('max_leverage', '2'),
    ]);
    expect(found).toEqual([
      {
        key: 'max_order_qty',
        unit: 'base units',
        from: null,
        to: 'BTCUSDT 0.01',
        reason: 'a test',
      },
      { key: 'max_leverage', unit: 'x', from: '3', to: '2', reason: 'a test' },
      { key: 'symbols_allow', unit: '', from: '*', to: 'BTCUSDT, ETHUSDT', reason: 'a test' },
    ]);
    expect(limits.maxLeverage).toBe(d('2'));
  });

  it('a key that the configuration makes as tight, or that would allow more, changes nothing', () => {
    const configured = changedLimits(STANDARD, { max_leverage: 2 });
    const changes = [change('max_leverage', '2.5'), change('max_drawdown_pct', '10')];
    expect(withChanges(configured, changes).tightened).toMatchObject([
      { key: 'max_drawdown_pct', from: '15', to: '10' },
    ]);
    expect(withChanges(configured, [change('max_leverage', '9'), change('nothing', '1')])).toEqual({
      limits: configured,
      tightened: [],
    });
  });
});
