import { describe, expect, it } from 'vitest';
import { d, explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import type { Control } from '../control.js';
import { MODES } from '../mode.js';
import { allowList, killSwitch, leverage, tradingMode, attribution } from './permission.js';

const exit = { exit: true, side: 'sell' as const };

const check = (control: Control, rows: readonly ControlCase[]): void => {
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(control, row)).toMatch(row.refused ?? /^passes$/);
  });
};

describe('R30 kill_switch', () => {
  check(killSwitch, [
    { name: 'off' },
    { name: 'pause, an entry', facts: { killLevel: 'pause' }, refused: /switch is on \(pause\)/ },
    { name: 'pause, an exit', intent: exit, facts: { killLevel: 'pause' } },
    { name: 'flatten, an entry', facts: { killLevel: 'flatten' }, refused: /\(flatten\)/ },
    { name: 'flatten, an exit', intent: exit, facts: { killLevel: 'flatten' } },
    { name: 'cancel, an entry', facts: { killLevel: 'cancel' }, refused: /\(cancel\)/ },
    { name: 'cancel, an exit', intent: exit, facts: { killLevel: 'cancel' }, refused: /cancel/ },
  ]);
});

describe('mode', () => {
  it.each(MODES)('mode %s allows its orders only', (mode) => {
    const entries = mode === 'TRADING';
    const exits = mode !== 'STARTING' && mode !== 'RECONCILING';
    const entry = explanationOf(tradingMode, { name: '', facts: { mode } });
    expect(entry).toBe(entries ? 'passes' : `mode ${mode} lets no entry out`);
    const leaving = explanationOf(tradingMode, { name: '', intent: exit, facts: { mode } });
    expect(leaving).toBe(exits ? 'passes' : `mode ${mode} lets no order out`);
  });
});

describe('R22 foreign_hand', () => {
  check(attribution, [
    { name: 'a free symbol' },
    {
      name: 'an entry on a halted symbol',
      facts: { halted: 'it grew' },
      refused: /^BTCUSDT is halted: it grew$/,
    },
    { name: 'an exit of a halted symbol', intent: exit, facts: { halted: 'it grew' } },
  ]);
});

describe('R28 symbols_allow, currencies_allow', () => {
  const symbolsAllow = new Set(['ETHUSDT']);
  check(allowList, [
    { name: 'any symbol under a wildcard' },
    { name: 'a listed symbol', intent: { symbol: 'ETHUSDT' }, limits: { symbolsAllow } },
    {
      name: 'a symbol that is not listed',
      limits: { symbolsAllow },
      refused: /BTCUSDT is not in symbols_allow/,
    },
    {
      name: 'a market exit of a symbol that is not listed any more',
      intent: exit,
      limits: { symbolsAllow },
    },
    {
      name: 'an exit that may rest, of a symbol that is not listed',
      intent: { ...exit, price: '60000' },
      limits: { symbolsAllow },
      refused: /not in symbols_allow/,
    },
    {
      name: 'a currency that is not listed',
      intent: { currency: 'INR' },
      refused: /INR is not in currencies_allow/,
    },
    {
      name: 'a listed currency',
      intent: { currency: 'INR' },
      limits: { currenciesAllow: new Set(['INR'] as const) },
    },
  ]);
});

describe('R15 max_leverage', () => {
  check(leverage, [
    { name: 'below', facts: { configured: '2', leverage: '2' } },
    { name: 'at the limit', facts: { configured: '3', leverage: '3' } },
    {
      name: 'above the limit',
      facts: { configured: '3.01', leverage: '3.01' },
      refused: /leverage 3\.01 is above 3/,
    },
    {
      name: 'not what was configured',
      facts: { configured: '2', leverage: '3' },
      refused: /leverage is 3 at the venue and 2 in the config/,
    },
    {
      name: 'never configured',
      facts: { configured: null },
      refused: /configured leverage of BTC/,
    },
    { name: 'never read back', facts: { leverage: null }, refused: /at the venue is not known/ },
    { name: 'an exit at any leverage', intent: exit, facts: { leverage: null, configured: '50' } },
    {
      name: 'a higher limit',
      facts: { configured: '10', leverage: '10' },
      limits: { maxLeverage: d('10') },
    },
  ]);
});

describe('the mode control', () => {
  it('its refusal names the restriction behind the mode', () => {
    const facts = { mode: 'REDUCE_ONLY', modeCause: 'R25: 5 errors' } as const;
    expect(explanationOf(tradingMode, { name: '', facts })).toBe(
      'mode REDUCE_ONLY lets no entry out (R25: 5 errors)',
    );
  });

  it('an exit stays in while the run ends, in every mode', () => {
    const facts = { mode: 'HALTED', exitHold: 'the run ends: no space' } as const;
    expect(explanationOf(tradingMode, { name: '', intent: exit, facts })).toBe(
      'mode HALTED lets no order out',
    );
  });
});
