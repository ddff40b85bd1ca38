import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { knownKeys } from '../../config/known-keys.js';
import { CONTROL_IDS } from '../control-id.js';
import { CONTROLS } from '../controls/table.js';
import { riskSchema } from '../limits/risk-config.js';
import { PRESET_LIMITS } from '../limits/risk-limits.js';
import {
  CONTROL_ENTRIES,
  CONTROL_NAMES,
  findControl,
  keysOfControl,
  limitsOfControl,
} from './control-catalog.js';
import { NOT_IN_BACKTESTS, notInBacktestsText } from './backtest-controls.js';
import { controlStatus } from './control-entry.js';
import { LIMIT_ENTRIES } from './limit-catalog.js';

/** Keys of the `risk:` block, with members of groups. */
function schemaKeys(): readonly string[] {
  const schema = riskSchema('sandbox');
  return knownKeys(schema, []).flatMap((key) => {
    const members = knownKeys(schema, [key]);
    return members.length === 0 ? [key] : members.map((member) => `${key}.${member}`);
  });
}

describe('the catalogue of controls', () => {
  it('has every control once, in the order of the ids', () => {
    expect(CONTROL_ENTRIES.map(({ id }) => id)).toEqual(CONTROL_IDS);
  });

  it('has every key of the risk block, and no other', () => {
    const alwaysOn = CONTROL_ENTRIES.flatMap(({ alwaysOnKey }) => alwaysOnKey ?? []);
    const known = [...LIMIT_ENTRIES.map(({ key }) => key), ...alwaysOn, 'preset'];
    expect([...known].sort()).toEqual([...schemaKeys()].sort());
  });

  it('says of each control of the gate that it is in force, with its clock', () => {
    for (const { id, key, clock } of CONTROLS) {
      const entry = findControl(id);
      expect([id, entry?.inForce]).toEqual([id, true]);
      // R27 has two parts: the price without a clock here, the age with one in the engine.
      if (id !== 'R27') expect([id, entry?.clock]).toEqual([id, clock]);
      if (id === 'mode' || id === 'R22') continue;
      expect(entry === undefined ? [] : keysOfControl(entry)).toContain(key);
    }
  });

  it('reads a value of every limit in every preset, in the form of the block', () => {
    const unlimited = LIMIT_ENTRIES.filter(
      ({ read }) => read(PRESET_LIMITS.standard) === undefined,
    ).map(({ key }) => key);
    expect(unlimited).toEqual([
      'max_order_qty',
      'loss_streak.losses',
      'loss_streak.pause_ms',
      'strategy_budget_pct',
    ]);
    const texts = Object.fromEntries(
      LIMIT_ENTRIES.map(({ key, read }) => [key, read(PRESET_LIMITS.cautious)]),
    );
    expect(texts).toMatchObject({
      max_order_notional_usdt: '250',
      max_order_notional_pct_equity: '10',
      'price_collar_bps.exit': '300',
      max_entry_age_ms: 'by interval',
      symbols_allow: '*',
      currencies_allow: 'USDT',
      require_stop_loss: 'require',
      'daily_loss_limit_pct.hard': '3',
      'loss_streak.losses': '5',
      market_orders: 'reduce_only',
    });
  });

  it.each([
    ['R19', 'R19'],
    ['r19', 'R19'],
    ['max_drawdown_pct', 'R21'],
    ['daily_loss_limit_pct', 'R19'],
    ['daily_loss_limit_pct.soft', 'R19'],
    ['kill_switch', 'R30'],
    ['MODE', 'mode'],
  ])('finds a control by %s', (name, id) => {
    expect(findControl(name)?.id).toBe(id);
  });

  it('finds no control by another name', () => {
    expect(findControl('R99')).toBeUndefined();
    expect(findControl('preset')).toBeUndefined();
  });

  it('finds a control by each of its names', () => {
    for (const name of CONTROL_NAMES) expect(findControl(name)?.id, name).toBeDefined();
    expect(limitsOfControl('R12').map(({ key }) => key)).toEqual([
      'max_position_notional.usdt',
      'max_position_notional.pct_equity',
    ]);
  });

  it('the page names every control that a backtest cannot evaluate, with the reason', () => {
    const page = readFileSync(new URL('../../../docs/risk.md', import.meta.url), 'utf8');
    for (const { controls, why } of NOT_IN_BACKTESTS) {
      const rows = page.split('\n').filter((line) => line.startsWith(`| ${controls.join(', ')} `));
      expect(rows.join('\n'), controls.join(', ')).toContain(why);
      for (const id of controls) expect(notInBacktestsText()).toContain(id);
    }
  });

  it('states the part of a control that is missing', () => {
    expect(controlStatus({ inForce: false })).toBe('not in force yet');
    expect(controlStatus({ inForce: true })).toBe('in force');
    expect(controlStatus({ inForce: true, lacks: 'no key' })).toBe('in force in part: no key');
  });
});
