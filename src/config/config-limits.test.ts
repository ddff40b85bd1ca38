import { describe, expect, it } from 'vitest';
import { ConfigError } from '../core/command-errors.js';
import { configFromYaml } from './config.js';

/** A configuration whose `risk:` block has these lines, from line 9 on. */
const configWith = (...lines: readonly string[]) =>
  configFromYaml(
    'bot.yaml',
    new TextEncoder().encode(
      [
        'mode: sandbox',
        'account: bot',
        'venue: { embedded: { clock: real } }',
        'strategies:',
        '  - id: a',
        '    use: sma-cross',
        '    symbols: [BTCUSDT]',
        "    size: { notional: '100' }",
        'risk:',
        ...lines.map((line) => `  ${line}`),
        '',
      ].join('\n'),
    ),
  );

function problemsOf(...lines: readonly string[]): readonly string[] {
  try {
    configWith(...lines);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const BLOCK = 'symbols_allow: [BTCUSDT]';

describe('a wrong limit', () => {
  it.each([
    ['max_leverage: 0', 'bot.yaml:11:17 risk.max_leverage: expected a number above 0'],
    ['max_leverage: -2', 'bot.yaml:11:17 risk.max_leverage: expected a number above 0'],
    [
      'max_leverage: .nan',
      'bot.yaml:11:17 risk.max_leverage: expected a plain decimal such as 12.5',
    ],
    [
      'max_leverage:',
      'bot.yaml:11:3 risk.max_leverage: has no value: give one, or leave the key out',
    ],
    [
      'max_drawdown_pct: 0',
      'bot.yaml:11:21 risk.max_drawdown_pct: expected a percentage above 0, at most 100',
    ],
    [
      'max_drawdown_pct: 0.15',
      'bot.yaml:11:21 risk.max_drawdown_pct: is 0.15 %; a percentage is written as 3 for 3 %, and the least here is 1; did you mean 15?',
    ],
    [
      'max_drawdown_pct: 120',
      'bot.yaml:11:21 risk.max_drawdown_pct: expected a percentage above 0, at most 100',
    ],
    [
      'daily_loss_limit_pct: { hard: 0.03 }',
      'bot.yaml:11:33 risk.daily_loss_limit_pct.hard: is 0.03 %; a percentage is written as 3 for 3 %, and the least here is 0.2; did you mean 3?',
    ],
    [
      'daily_loss_limit_pct: 0.03',
      'bot.yaml:11:25 risk.daily_loss_limit_pct: expected a map such as { soft: 3, hard: 5 }',
    ],
    [
      'max_position_notional: 500',
      "bot.yaml:11:26 risk.max_position_notional: expected a map such as { usdt: '1000', pct_equity: 50 }",
    ],
    [
      'price_collar_bps: { exit: 0.5 }',
      'bot.yaml:11:29 risk.price_collar_bps.exit: is 0.5 basis points; 100 are written for 1 %, and the least here is 1; did you mean 50?',
    ],
    [
      'price_collar_bps: { exit: 0.001 }',
      'bot.yaml:11:29 risk.price_collar_bps.exit: is 0.001 basis points; 100 are written for 1 %, and the least here is 1',
    ],
    [
      'max_open_orders: { symbol: 0 }',
      'bot.yaml:11:30 risk.max_open_orders.symbol: expected a whole number from 1 to 10000',
    ],
    [
      'dead_man_ms: 2.5',
      'bot.yaml:11:16 risk.dead_man_ms: expected a whole number of milliseconds from 1 to 86400000',
    ],
    [
      'max_drawdown: 10',
      'bot.yaml:11:3 risk: unknown key "max_drawdown"; did you mean "max_drawdown_pct"?',
    ],
  ])('%s is refused at its place, with the mend', (line, problem) => {
    expect(problemsOf(BLOCK, line)).toEqual([problem]);
  });
});

describe('contradictory limits', () => {
  it('are refused with both keys and both places', () => {
    expect(
      problemsOf(BLOCK, 'daily_loss_limit_pct:', '  soft: 6', '  hard: 4', 'max_drawdown_pct: 3'),
    ).toEqual([
      'bot.yaml:12:11 risk.daily_loss_limit_pct.soft: 6 % of equity is not below risk.daily_loss_limit_pct.hard 4 % of equity (bot.yaml:13:11): entries would not stop before every position is closed; lower this key or raise that one',
      'bot.yaml:13:11 risk.daily_loss_limit_pct.hard: 4 % of equity is above risk.max_drawdown_pct 3 % of equity (bot.yaml:14:21): the drawdown would act before the loss of the day; lower this key or raise that one',
    ]);
  });

  it('a key above a limit of the preset is refused with the name of the preset', () => {
    expect(problemsOf(BLOCK, 'max_order_notional_usdt: 2000')).toEqual([
      'bot.yaml:11:28 risk.max_order_notional_usdt: 2000 USDT is above risk.max_position_notional.usdt 1000 USDT (preset standard): such an order would never be allowed; lower this key or raise that one',
    ]);
  });

  it('a key tighter than a limit of the preset is no contradiction', () => {
    expect(problemsOf(BLOCK, "max_position_notional: { usdt: '100' }")).toEqual([]);
  });
});

it('the keys of the block are known, with the members of groups', () => {
  const config = configWith(BLOCK, 'max_position_notional: { pct_equity: 20 }');
  expect([...config.riskKeys]).toEqual(['symbols_allow', 'max_position_notional.pct_equity']);
});
