import { describe, expect, it } from 'vitest';
import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import { ConfigError } from '../../core/command-errors.js';
import { checkLimitConflicts, checkLeverageLimit } from './limit-conflicts.js';

const GOOD = `mode: sandbox
account: demo
venue:
  embedded: { clock: fast:60, seed: 1 }
strategies:
  - id: btc-cross
    use: sma-cross
    symbols: [BTCUSDT, ETHUSDT]
    leverage: 2
    size: { notional: '250' }
risk:
  preset: standard
  symbols_allow: [BTCUSDT, ETHUSDT]
`;

const load = (text: string): SluiceConfig =>
  configFromYaml('bot.yaml', new TextEncoder().encode(text));

function problemsOf(from: string, to: string): readonly string[] {
  expect(GOOD).toContain(from);
  try {
    checkLimitConflicts(load(GOOD.replace(from, to)));
    checkLeverageLimit(load(GOOD.replace(from, to)));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a configuration in conflict with its own limits', () => {
  it.each([
    [
      'symbols_allow: [BTCUSDT, ETHUSDT]',
      'symbols_allow: [BTCUSDT]',
      [
        'bot.yaml:8:24 strategies[0].symbols[1]: ETHUSDT is not in risk.symbols_allow (bot.yaml:13:3), so every order in it would be refused: add it there, or take it out here',
      ],
    ],
    [
      "notional: '250'",
      "notional: '501'",
      [
        'bot.yaml:10:23 strategies[0].size.notional: 501 USDT is above risk.max_order_notional_usdt 500 USDT (its default; risk: at bot.yaml:11:1), so every entry would be refused: lower the size, raise the limit, or set size.on_limit: cap',
      ],
    ],
    [
      'preset: standard',
      "preset: standard\n  max_position_notional: { usdt: '100' }",
      [
        'bot.yaml:10:23 strategies[0].size.notional: 250 USDT is above risk.max_position_notional.usdt 100 USDT (bot.yaml:13:34), so every entry would be refused: lower the size, raise the limit, or set size.on_limit: cap',
      ],
    ],
    ["notional: '250' }", "quantity: '2' }\n    protect: {}", []],
    [
      'leverage: 2',
      'leverage: 10',
      [
        'bot.yaml:9:15 strategies[0].leverage: 10 is above risk.max_leverage 3 (its default; risk: at bot.yaml:11:1), so every entry would be refused',
      ],
    ],
    [
      'embedded: { clock: fast:60, seed: 1 }',
      "embedded: { clock: fast:60, seed: 1 }\n  trade_currency: INR\n  inr_rate: { value: '90' }",
      [
        'bot.yaml:5:19 venue.trade_currency: INR is not in risk.currencies_allow (its default; risk: at bot.yaml:13:1), so every order would be refused: add it there',
      ],
    ],
    ["notional: '250'", "notional: '1000', on_limit: cap", []],
    ["notional: '250'", 'equity_pct: 300', []],
    ['preset: standard', 'preset: research\n  max_leverage: 1', []],
    ['leverage: 2', 'leverage: 3', []],
  ])('a conflict is refused with both keys: %s → %s', (from, to, problems) => {
    expect(problemsOf(from, to)).toEqual(problems);
  });

  it('the error names a quantity above the limit of its symbol', () => {
    const text = GOOD.replace("notional: '250'", "quantity: '2'").replace(
      'preset: standard',
      "preset: standard\n  max_order_qty: { ETHUSDT: '1' }",
    );
    expect(() => {
      checkLimitConflicts(load(text));
    }).toThrow(/size\.quantity: 2 is above risk\.max_order_qty\.ETHUSDT 1 \(bot\.yaml:13:29\)/);
  });
});
