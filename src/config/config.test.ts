import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixedFromText, textFromFixed } from '../core/fixed/fixed.js';
import { configFromYaml, loadConfig, type ConfigUse, type SluiceConfig } from './config.js';
import { ConfigError } from '../core/command-errors.js';
import { nodeFiles } from '../io/node/node-files.js';

const GOOD = `mode: sandbox
account: demo
venue:
  embedded: { clock: fast:60, seed: 1, start: 2025-05-05T00:00:00Z }
strategies:
  - id: btc-cross
    use: sma-cross
    symbols: [BTCUSDT]
    interval: 1m
    size: { notional: "250.10" }
    params: { fast: 3, slow: "8", rate: 0.10 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

const load = (text: string, use?: ConfigUse): SluiceConfig =>
  configFromYaml('bot.yaml', new TextEncoder().encode(text), use);

function problemsOf(text: string, use?: ConfigUse): readonly string[] {
  try {
    load(text, use);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The good file with one change. */
const changed = (from: string, to: string): string => {
  expect(GOOD).toContain(from);
  return GOOD.replace(from, to);
};

describe('a valid configuration file', () => {
  test('a minimal file becomes a typed configuration with defaults', () => {
    const config = load(GOOD);
    expect(config).toMatchObject({
      path: 'bot.yaml',
      directory: resolve('.'),
      mode: 'sandbox',
      account: 'demo',
      venue: {
        endpoint: {
          kind: 'embedded',
          clock: { kind: 'fast', factor: 60 },
          seed: 1,
          startMs: Date.UTC(2025, 4, 5),
        },
        tradeCurrency: 'USDT',
      },
      stateDir: resolve('.sluice/demo'),
      onStop: 'cancel-entries',
      stopTimeoutMs: 30_000,
      riskSettings: { preset: 'standard' },
      pollMs: 2_000,
      logLevel: 'info',
    });
    expect(config.strategies).toEqual([
      {
        id: 'btc-cross',
        use: 'sma-cross',
        symbols: ['BTCUSDT'],
        interval: '1m',
        leverage: fixedFromText('1'),
        size: { kind: 'notional', notional: 250.1 },
        protect: {},
        apply: 'next_entry',
        onError: 'hold',
        isolation: 'thread',
        hookTimeoutMs: 2_000,
        entry: { kind: 'market' },
        params: { fast: 3, slow: '8', rate: 0.1 },
      },
    ]);
    expect(config.riskSettings.limits.symbolsAllow).toEqual(new Set(['BTCUSDT']));
  });

  test('a decimal keeps every digit, quoted or not', () => {
    for (const size of ['0.10000001', '"0.10000001"']) {
      const { strategies } = load(changed('notional: "250.10"', `quantity: ${size}`));
      expect(strategies[0]?.size).toEqual({ kind: 'quantity', quantity: 10_000_001 });
    }
  });

  test('locate returns the position of a parameter, for problems found later', () => {
    expect(load(GOOD).locate(['strategies', 0, 'params', 'slow'])).toBe('bot.yaml:11:30');
    expect(load(GOOD).locate(['strategies', 0, 'params', 'missing'])).toBe('bot.yaml:11:5');
    expect(load(GOOD).locate(['strategies', 0, 'use'])).toBe('bot.yaml:7:10');
  });

  test('a remote venue is read, with the secret path relative to the file', () => {
    const text = changed('mode: sandbox', 'mode: live').replace(
      /  embedded.*\n/,
      '  base_url: https://api.example.com\n  ws_url: wss://api.example.com\n  api_secret_file: secrets/key\n',
    );
    expect(load(text).venue).toEqual({
      endpoint: {
        kind: 'remote',
        baseUrl: 'https://api.example.com',
        wsUrl: 'wss://api.example.com',
      },
      apiSecretFile: resolve('secrets/key'),
      tradeCurrency: 'USDT',
    });
  });

  test('a failed strategy is protected by default in live, and held elsewhere', () => {
    const remote =
      'base_url: https://api.example.com\n  ws_url: wss://api.example.com\n  api_secret_file: key';
    const modeText = (mode: string): string =>
      changed('mode: sandbox', `mode: ${mode}`).replace(/embedded.*/, remote);
    const withStop = (mode: string): string =>
      modeText(mode).replace('size:', 'protect: { stop_loss_pct: 2 }\n    size:');
    expect(load(GOOD).strategies[0]?.onError).toBe('hold');
    for (const mode of ['live', 'observe']) {
      expect(load(withStop(mode)).strategies[0]?.onError).toBe('protect');
      expect(load(modeText(mode)).strategies[0]?.onError, 'no distance is known').toBe('hold');
      const held = withStop(mode).replace('size:', 'on_error: hold\n    size:');
      expect(load(held).strategies[0]?.onError).toBe('hold');
    }
  });

  test('a backtest requires only the strategies', () => {
    const strategies = GOOD.slice(GOOD.indexOf('strategies:'), GOOD.indexOf('risk:'));
    expect(problemsOf(strategies)).toHaveLength(4);
    expect(load(strategies, 'backtest')).toMatchObject({
      account: 'backtest',
      venue: { endpoint: { kind: 'none' }, tradeCurrency: 'USDT' },
      riskSettings: { preset: 'research' },
    });
  });

  test.each(readdirSync('config').filter((name) => name.endsWith('.yaml')))(
    'ships as config/%s',
    async (name) => {
      const use = name === 'backtest.yaml' ? 'backtest' : 'run';
      await expect(loadConfig(`config/${name}`, nodeFiles, use)).resolves.toBeDefined();
    },
  );
});

describe('the simulated account', () => {
  const paper = (rest = '') =>
    `${GOOD.replace('mode: sandbox', 'mode: paper').replace(
      /embedded: .*/,
      'base_url: https://api.example.com\n  ws_url: wss://api.example.com',
    )}${rest}`;

  test('paper settings have defaults and their own keys', () => {
    expect(load(paper()).paper).toMatchObject({
      futures: { USDT: fixedFromText('10000') },
      takerFeeRate: fixedFromText('0.00059'),
      slippageBps: 5,
      latencyMs: 100,
      limitFill: 'through',
      assumptions: {},
    });
    const given = load(
      paper(
        'paper: { futures: { INR: "5" }, latency_ms: 0, assume: { exchange-stop-trigger: mark } }\n',
      ),
    ).paper;
    expect(given.futures.INR).toBe(fixedFromText('5'));
    expect(given).toMatchObject({ latencyMs: 0, assumptions: { stopTrigger: 'mark' } });
  });

  test.each([
    ['paper: { latency: 5 }', /paper: unknown key "latency"/],
    ['paper: { slippage_bps: -1 }', /expected a whole number from 0 to 1000/],
    [
      'paper: { assume: { exchange-stop-triger: mark } }',
      /exchange-stop-triger.*exchange-stop-trigger/,
    ],
  ])('the paper settings %s are refused', (rest, expected) => {
    expect(problemsOf(paper(`${rest}\n`)).join('\n')).toMatch(expected);
  });

  test('paper settings are refused in other modes', () => {
    expect(problemsOf(`${GOOD}paper: {}\n`).join()).toMatch(/paper: is for mode: paper/);
    const file = changed('start:', 'quirks: field, start:').replace(
      'strategies:',
      '  instruments_file: x\nstrategies:',
    );
    expect(problemsOf(file).join()).toMatch(/instruments_file: is for mode: paper/);
  });

  test('an embedded sandbox accepts quirks', () => {
    const quirksOf = (text: string) => {
      const { endpoint } = load(changed('seed: 1', `seed: 1, quirks: ${text}`)).venue;
      return endpoint.kind === 'embedded' ? endpoint.quirks : undefined;
    };
    expect(quirksOf('field')).toBe('field');
    expect(quirksOf('[sticky-partial]')).toEqual(['sticky-partial']);
    expect(quirksOf('"sticky-partial,read-lag"')).toEqual(['sticky-partial', 'read-lag']);
    expect(problemsOf(changed('seed: 1', 'seed: 1, quirks: feld')).join()).toMatch(/feld/);
  });
});

describe('a mistake', () => {
  test.each([
    [
      'mode: sandbox',
      'mode: sandbx',
      '1:7 mode: expected one of sandbox, paper, observe, live, not "sandbx"; did you mean "sandbox"?',
    ],
    [
      'account: demo',
      'acount: demo',
      '1:1 account: is missing',
      '2:1 unknown key "acount"; did you mean "account"?',
    ],
    [
      'account: demo',
      'account: "a b"',
      '2:10 account: expected a name of letters, digits, "-" and "_", at most 32 long, not "a b"',
    ],
    [
      'clock: fast:60',
      'clock: quick',
      '4:22 venue.embedded.clock: expected real, manual or fast:N such as fast:60, not "quick"',
    ],
    [
      'seed: 1',
      'seed: 1.5',
      '4:37 venue.embedded.seed: expected a whole number from 0 to 4294967295, not "1.5"',
    ],
    [
      '2025-05-05T00:00:00Z',
      '2025-05-05T00:00',
      '4:47 venue.embedded.start: expected a UTC time such as 2025-05-05 or 2025-05-05T00:00:00Z, not "2025-05-05T00:00"',
    ],
    [
      'strategies:\n',
      'strategies: []\nold:\n',
      '5:1 strategies: expected at least one of strategies',
      '6:1 unknown key "old"',
    ],
    [
      'use: sma-cross',
      'used: sma-cross',
      '6:5 strategies[0].use: is missing',
      '7:5 strategies[0]: unknown key "used"; did you mean "use"?',
    ],
    [
      'symbols: [BTCUSDT]\n    i',
      'symbols: BTCUSDT\n    i',
      '8:14 strategies[0].symbols: expected a list of symbols, not "BTCUSDT"',
    ],
    [
      'interval: 1m',
      'interval: 2m',
      /9:15 strategies\[0\]\.interval: expected one of 1m, 3m, .*, not "2m"; did you mean "1m"\?/,
    ],
    [
      'interval: 1m',
      'leverage: 0',
      '9:15 strategies[0].leverage: expected a decimal above 0 with at most 8 places, such as "0.01", not "0"',
    ],
    [
      'interval: 1m',
      'leverage: 1e1',
      '9:15 strategies[0].leverage: expected a decimal above 0 with at most 8 places, such as "0.01", not "1e1"',
    ],
    [
      'notional: "250.10"',
      'notional: 5, quantity: 5',
      /10:5 strategies\[0\]\.size: expected exactly one of/,
    ],
    [
      'notional: "250.10"',
      'notinal: 5',
      '10:5 strategies[0].size: expected exactly one of quantity, notional, equity_pct, risk_pct, volatility_pct',
      '10:13 strategies[0].size: unknown key "notinal"; did you mean "notional"?',
    ],
    [
      'notional: "250.10"',
      'notional: lots',
      /10:23 strategies\[0\]\.size\.notional: expected a plain decimal/,
    ],
    ['{ notional: "250.10" }', '5', '10:11 strategies[0].size: expected a map, not "5"'],
    [
      'notional: "250.10"',
      'risk_pct: 0.5',
      '10:23 strategies[0].size.risk_pct: needs protect: { stop_loss_pct: … }, the distance that the risk is measured to',
    ],
    [
      'params: { fast: 3, slow: "8", rate: 0.10 }',
      'params: 3',
      '11:13 strategies[0].params: expected a map of parameters',
    ],
    [
      'params:',
      'entry: { marketable_limit: { bps: 5, ttl: 5 } }\n    params:',
      '11:14 strategies[0].entry.marketable_limit.ttl_ms: is missing',
      '11:42 strategies[0].entry.marketable_limit: unknown key "ttl"',
    ],
    [
      'params:',
      'protect: { stop_los_pct: 2 }\n    params:',
      '11:16 strategies[0].protect: unknown key "stop_los_pct"; did you mean "stop_loss_pct"?',
    ],
    [
      'params:',
      'on_error: protect\n    params:',
      '11:15 strategies[0].on_error: protect needs protect: { stop_loss_pct: … }, the distance of the stop',
    ],
    [
      'params:',
      'on_error: flaten\n    params:',
      '11:15 strategies[0].on_error: expected one of hold, protect, flatten, not "flaten"; did you mean "flatten"?',
    ],
    [
      'params:',
      'isolation: process\n    params:',
      '11:16 strategies[0].isolation: expected one of thread, none, not "process"',
    ],
    [
      'params:',
      'hook_timeout: 1h\n    params:',
      '11:19 strategies[0].hook_timeout: expected a duration from 50ms to 60s, such as 2s, not "1h"',
    ],
    [
      'notional: "250.10"',
      'notional: 5, lookback: 20',
      '10:36 strategies[0].size.lookback: goes with volatility_pct only',
    ],
    [
      'params:',
      'protect: { max_hold: 4 hours }\n    params:',
      '11:26 strategies[0].protect.max_hold: expected a time such as 90m, 4h or 2d, not "4 hours"',
    ],
    [
      'risk: { preset: standard, symbols_allow: [BTCUSDT] }\n',
      '',
      '1:1 risk: is missing; start with risk: { preset: standard, symbols_allow: [BTCUSDT] }',
    ],
    [
      'preset: standard',
      'preset: standard, max_levrage: 3',
      '12:27 risk: unknown key "max_levrage"; did you mean "max_leverage"?',
    ],
    ['preset: standard', 'preset: none', '12:17 risk.preset: preset none exists in backtests only'],
    [
      'mode: sandbox',
      'mode: paper',
      '4:3 venue.embedded: is for mode: sandbox, and this is mode: paper',
    ],
    [
      'venue:\n',
      'venue:\n  base_url: http://127.0.0.1:1\n',
      '4:13 venue.base_url: leave it out: the sandbox is embedded',
    ],
    [
      'venue:\n',
      'venue:\n  api_secret_file: key\n',
      '4:20 venue.api_secret_file: leave it out: an embedded sandbox generates its own secret',
    ],
    [
      'venue:\n',
      'venue:\n  trade_currency: INR\n',
      '3:1 venue.inr_rate: is missing: the venue has no rate feed; give { value: "…" } in INR per USDT',
    ],
    ['account: demo', 'account: demo\naccount: other', '3:1 this key is given twice; keep one'],
    [
      'account: demo',
      'account: &name demo\nstate_dir: *name',
      '3:12 aliases (*name) are not supported; write the value out',
    ],
    [
      'account: demo',
      'account: demo\n__proto__: { mode: live }',
      '3:1 "__proto__" cannot be a key',
    ],
    ['account: demo', 'account: !!js/function x', /2:10 is not valid YAML: Unresolved tag/],
    [
      'account: demo',
      'account: demo\nstate_dir: ${HOME}/x\nlog_level: loud',
      /4:12 log_level: expected one of debug, .* not "loud"/,
    ],
  ])('%j → %j is reported with its position', (from, to, ...expected) => {
    const problems = problemsOf(changed(from, to));
    expect(problems.map((problem) => problem.replace('bot.yaml:', ''))).toEqual(
      expected.map((line) =>
        typeof line === 'string' ? line : (expect.stringMatching(line) as string),
      ),
    );
  });

  test.each([
    [
      'http://api.example.com',
      'ws://127.0.0.1',
      'without TLS only 127.0.0.1 or [::1] is accepted; use https://',
    ],
    [
      'https://api.example.com',
      'wss://127.0.0.1',
      'mode: sandbox trades on 127.0.0.1 or [::1] only',
    ],
    [
      'http://127.0.0.1:8787',
      'wss://api.example.com',
      'mode: sandbox trades on 127.0.0.1 or [::1] only',
    ],
    ['http://127.0.0.1/path', 'ws://127.0.0.1', 'it must end after host and port, without a path'],
  ])('the addresses %s and %s are refused', (baseUrl, wsUrl, why) => {
    const addresses = `  base_url: ${baseUrl}\n  ws_url: ${wsUrl}\n`;
    const problems = problemsOf(GOOD.replace(/  embedded.*\n/, addresses));
    expect(problems).toEqual([expect.stringContaining(`is refused: ${why}`)]);
  });

  test('a venue without addresses is reported', () => {
    const text = GOOD.replace(/  embedded.*\n/, '  trade_currency: USDT\n');
    expect(problemsOf(text)).toEqual([
      'bot.yaml:3:1 venue.base_url: is missing (or embed a sandbox: embedded: { clock: real })',
      'bot.yaml:3:1 venue.ws_url: is missing (or embed a sandbox: embedded: { clock: real })',
    ]);
  });

  test('two owners of one symbol are reported with both lines', () => {
    const second =
      '  - { id: second, use: sma-cross, symbols: [ETHUSDT, BTCUSDT], size: { notional: 5 } }\n';
    expect(problemsOf(changed('risk:', `${second}risk:`))).toEqual([
      'bot.yaml:12:54 strategies[1].symbols[1]: BTCUSDT in USDT already belongs to "btc-cross" (bot.yaml:8:15); one strategy owns a symbol and currency',
    ]);
  });

  test('budgets are shares of the account, equal ones where none is given', () => {
    const second =
      '  - { id: second, use: sma-cross, symbols: [ETHUSDT], size: { notional: 5 } }\n';
    const two = changed('risk:', `${second}risk:`);
    const sharesOf = (text: string) =>
      [...load(text).riskSettings.limits.budgets].map(
        ([id, { share, symbols }]) => `${id} ${textFromFixed(share)} ${[...symbols].join(' ')}`,
      );
    expect(sharesOf(GOOD)).toEqual(['btc-cross 1 BTCUSDT']);
    expect(sharesOf(two)).toEqual(['btc-cross 0.5 BTCUSDT', 'second 0.5 ETHUSDT']);
    const given = two.replace('standard,', 'standard, strategy_budget_pct: { second: 30 },');
    expect(sharesOf(given)).toEqual(['btc-cross 0.7 BTCUSDT', 'second 0.3 ETHUSDT']);
  });

  test.each([
    [
      '{ btc-cross: 70, second: 50 }',
      'risk.strategy_budget_pct: the budgets add up to 120 %, and the account has 100 %: lower one of them',
    ],
    [
      '{ btc-cross: 100 }',
      'risk.strategy_budget_pct: the budgets add up to 100 % and leave nothing for second: lower one of them, or give these a budget',
    ],
    [
      '{ btc-crss: 10 }',
      'risk.strategy_budget_pct.btc-crss: no strategy has the id "btc-crss"; did you mean "btc-cross"?',
    ],
    [
      '{ second: 0.3 }',
      'risk.strategy_budget_pct.second: is 0.3 %; a percentage is written as 3 for 3 %, and the least here is 1; did you mean 30?',
    ],
  ])('the budgets %s are refused at their line', (budgets, problem) => {
    const second =
      '  - { id: second, use: sma-cross, symbols: [ETHUSDT], size: { notional: 5 } }\n';
    const text = changed('risk:', `${second}risk:`).replace(
      'standard,',
      `standard, strategy_budget_pct: ${budgets},`,
    );
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^bot\.yaml:13:\d+ /)]);
    expect(problemsOf(text)[0]).toContain(problem);
  });

  test('two strategies with one id are reported with both lines', () => {
    const second =
      '  - { id: btc-cross, use: sma-cross, symbols: [ETHUSDT], size: { notional: 5 } }\n';
    expect(problemsOf(changed('risk:', `${second}risk:`))).toEqual([
      'bot.yaml:12:11 strategies[1].id: "btc-cross" is the id of another strategy too (bot.yaml:6:9)',
    ]);
  });

  test('all mistakes are reported at once, in the order of the file', () => {
    const text = GOOD.replace('sandbox', 'sandbx')
      .replace('use:', 'used:')
      .replace('risk:', 'risks:');
    expect(problemsOf(text).map((problem) => problem.split(' ')[0])).toEqual([
      'bot.yaml:1:1',
      'bot.yaml:1:7',
      'bot.yaml:6:5',
      'bot.yaml:7:5',
      'bot.yaml:12:1',
    ]);
  });

  test.each([
    [
      '',
      'bot.yaml:1:1 the file is empty: a configuration starts like config/sandbox.yaml, with mode: sandbox',
    ],
    [
      'just words',
      'bot.yaml:1:1 expected a map, not "just words": a configuration starts like config/sandbox.yaml, with mode: sandbox',
    ],
    ['a: 1\n---\nb: 2\n', 'bot.yaml:2:1 the file holds several YAML documents; keep one'],
    [`a: ${'['.repeat(60_000)}`, /nested too deep/],
    [`a: ${'x'.repeat(300_000)}`, 'bot.yaml: the file has 300003 bytes; the limit is 262144'],
  ])('a file that is no configuration gives one problem (%#)', (text, expected) => {
    const [first, ...others] = problemsOf(text).filter((problem) => !/is missing/.test(problem));
    expect(first).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
    expect(others.filter((problem) => !problem.includes('unknown key'))).toEqual([]);
  });

  test('a wrong encoding is reported', () => {
    expect(() => configFromYaml('bot.yaml', new Uint8Array([0x61, 0xff]))).toThrow(
      'bot.yaml: the file is not UTF-8 text',
    );
  });

  test('a wrong path is reported', async () => {
    await expect(loadConfig('no/such.yaml', nodeFiles)).rejects.toThrow(
      'no/such.yaml: there is no such file',
    );
    await expect(loadConfig('config', nodeFiles)).rejects.toThrow(
      'config: the file cannot be read',
    );
  });

  test('a misspelling of any key is found', () => {
    const words = [...GOOD.matchAll(/\b([a-z_]+):(?= |\n)/g)].map((match) => match[1] ?? '');
    for (const word of new Set(words.filter((word) => !['fast', 'slow', 'rate'].includes(word)))) {
      const wrong = GOOD.replace(new RegExp(`\\b${word}:(?= |\\n)`), `${word}x:`);
      expect(problemsOf(wrong).join('\n'), word).toContain(`unknown key "${word}x"`);
    }
  });
});
