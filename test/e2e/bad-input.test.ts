import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
let files = 0;

/** Creates a file in the folder. */
function file(name: string, content: string | Uint8Array): string {
  const directory = `${folder.path}/${(files += 1)}`;
  mkdirSync(directory);
  writeFileSync(`${directory}/${name}`, content);
  return `${directory}/${name}`;
}

/** The text with the folder's path replaced by an ellipsis. */
const plain = (text: string): string =>
  text.replaceAll(new RegExp(`${folder.path}(/\\d+)?`, 'g'), '…');

/** Refused with one actionable message, no result and no new file. */
function expectRefused(cliResult: CliResult, message: string | RegExp, exitCode = 2): void {
  const stderrText = plain(cliResult.stderr);
  if (typeof message === 'string') expect(stderrText).toContain(message);
  else expect(stderrText).toMatch(message);
  expect(stderrText).not.toMatch(/^ +at |unexpected: |undefined|\[object/m);
  expect(stderrText.match(/^(sluice|error): (?!warning)/gm)).toHaveLength(1);
  expect(cliResult.stdout).toBe('');
  expect(cliResult.exitCode).toBe(exitCode);
}

const HEADER = 'open_time,open,high,low,close,volume\n';
const START_S = Date.UTC(2025, 4, 5) / 1_000;
const rows = (count: number, stepS = 60): string =>
  Array.from({ length: count }, (_, at) => `${START_S + at * stepS},100,101,99,100,1\n`).join('');
const candles = (...more: readonly string[]): string => HEADER + rows(2) + more.join('\n');
const sound = file('candles.csv', HEADER + rows(200));

async function backtest(...args: readonly string[]): Promise<CliResult> {
  const out = `${folder.path}/out`;
  // A file that is not named after a symbol needs the option.
  const symbol =
    args.includes('--data') && !args.includes('--symbol') ? ['--symbol', 'BTCUSDT'] : [];
  const cliResult = await runSluice(['backtest', '--out', out, '--json', ...symbol, ...args]);
  // A refused run leaves no folder behind.
  if (cliResult.exitCode === 2) expect(readdirSync(folder.path)).not.toContain('out');
  return cliResult;
}

describe('unusable market data is named by file and line', () => {
  const cut = gzipSync(HEADER + rows(500)).subarray(0, -20);
  mkdirSync(`${folder.path}/none-in-it`);
  test.each([
    ['a missing file', `${folder.path}/none.csv`, '…/none.csv: there is no such file or directory'],
    ['a missing directory', `${folder.path}/none/`, '…/none/: there is no such file or directory'],
    [
      'a directory without candles',
      `${folder.path}/none-in-it`,
      '…/none-in-it: no file of BTCUSDT 1m candles; files are named like btcusdt-1m-2025-05.csv.gz',
    ],
    [
      'a missing column',
      file('a.csv', 'open_time,open,high,low,volume\n1,2,3,4,5\n'),
      '…/a.csv:1: close is missing: the header is "open_time,open,high,low,volume"; give the column',
    ],
    [
      'a column twice',
      file('a.csv', 'open_time,open,open,high,low,close,volume\n'),
      '…/a.csv:1: open is twice in the header',
    ],
    [
      'a word for a number',
      file('a.csv', candles(`${START_S + 120},abc,101,99,100,1`)),
      '…/a.csv:4: open "abc" is not a number: write a plain decimal number',
    ],
    [
      'a high below the low',
      file('a.csv', candles(`${START_S + 120},100,90,99,100,1`)),
      '…/a.csv:4: high 90 is below low 99: repair the row',
    ],
    [
      'a row too short',
      file('a.csv', candles(`${START_S + 120},100,101`)),
      '…/a.csv:4: low is missing: the row has 3 of 6 cells; is the file cut off?',
    ],
    [
      'times that step back',
      file('a.csv', candles(`${START_S},100,101,99,100,1`)),
      '…/a.csv:4: open_time 2025-05-05T00:00:00.000Z is not after 2025-05-05T00:01:00.000Z of the row before: sort the rows by time',
    ],
    ['a truncated gzip', file('a.csv.gz', cut), '…/a.csv.gz: the gzip cannot be unpacked'],
    ['nothing in it', file('a.csv', ''), '…/a.csv: the file is empty; the first line is open_time'],
    [
      'a header alone',
      file('a.csv', HEADER),
      '…/a.csv: no candle below the header; the file is empty',
    ],
    ['bytes', file('a.csv', new Uint8Array([0, 1, 255])), '…/a.csv: its first lines hold no table'],
  ])('%s is named', async (_what, data, message) => {
    expectRefused(await backtest('--data', data), message);
  });
});

describe('an invalid option of a backtest', () => {
  test.each([
    [['--from', 'yesterday'], 'Expected a UTC time such as 2025-05-05'],
    [
      ['--from', '2025-05-06', '--to', '2025-05-05'],
      '--from 2025-05-06T00:00:00.000Z is not before --to 2025-05-05T00:00:00.000Z: the range is empty',
    ],
    [['--from', '2025-05-05', '--to', '2025-05-05'], 'the range is empty'],
    [
      ['--from', '2026-05-05'],
      'no candle lies in the range; the data runs from 2025-05-05T00:00:00.000Z to 2025-05-05T03:19:00.000Z',
    ],
    [
      ['--param', 'fats=3'],
      'Parameters of sma-cross:\n  fats: no such parameter; do you mean fast?',
    ],
    [['--param', 'fast=abc'], 'fast: expected a number, not "abc"'],
    [['--param', 'fast=2.5'], 'fast: expected a whole number, not "2.5"'],
    [['--param', 'fast=50', '--param', 'slow=10'], 'fast: fast must be less than slow'],
    [['--cash', '-5'], 'Expected an amount above 0'],
    [['--cash', '0'], 'Expected an amount above 0'],
    [['--cash', '1e5'], 'Expected an amount above 0'],
    [['--taker-fee', 'abc'], 'Expected a rate from 0 to below 1'],
    [['--maker-fee', '5'], 'Expected a rate from 0 to below 1'],
    [['--slippage', '20000'], 'Expected auto, basis points (at most 5000), or volume=0.1'],
    [['--size', 'quantity=0'], 'Expected quantity=0.01, notional=250'],
    [['--size', 'notional=-1'], 'Expected quantity=0.01, notional=250'],
    [['--size', 'risk_pct=1'], 'counts the risk to the stop: give a --config file with protect'],
    [['--leverage', '0'], 'Expected a leverage above 0'],
    [['--leverage', '1000'], '--leverage: BTCUSDT takes 1 to 100 in steps of 0.01, not 1000'],
    [
      ['--interval', '1s'],
      '1s candles cannot be made of 1m candles; give --interval 1m or finer data',
    ],
    [['--strategy', 'sma-cros'], 'There is no strategy "sma-cros". Do you mean sma-cross?'],
    [['--risk', `${folder.path}/none.yaml`], '…/none.yaml: there is no such file'],
    [['--risk', folder.path], '…: the file cannot be read: it is a directory'],
    [['--config', `${folder.path}/none.yaml`], '…/none.yaml: there is no such file'],
    [['--strateg', 'x'], "unknown option '--strateg'\n(Did you mean --strategy?)"],
    [['--out', '/proc/none'], '/proc/none: the folder of the run cannot be created: ENOENT'],
    [
      ['--out', `${sound}/run`],
      'candles.csv/run: the folder of the run cannot be created: ENOTDIR',
    ],
  ])('%j is refused', async (args, message) => {
    expectRefused(await backtest('--data', sound, ...args), message);
  });

  test.each([
    ['backtest --out never --data DATA --strategy sma-cross --symbol btc', 'btc'],
    ['backtest --out never --data DATA --strategy sma-cross --symbol BTCUSDT,btc', 'btc'],
    ['order place buy btc --quantity 0.01 --config none.yaml --yes', 'btc'],
    ['account leverage BTC/USD --config none.yaml', 'BTC/USD'],
    ['account leverage set BTCUSD 2 --config none.yaml --yes', 'BTCUSD'],
    ['probe --config none.yaml --symbol btc', 'btc'],
    ['run --config none.yaml --resume btc', 'btc'],
    ['strategy check sma-cross --symbols btc', 'btc'],
    ['why btc 2025-05-05T00:13:00Z', 'btc'],
  ])('an invalid symbol is refused: %s', async (line, given) => {
    const commandArgs = line.split(' ').map((argument) => (argument === 'DATA' ? sound : argument));
    expectRefused(await runSluice(commandArgs), `not "${given}"; did you mean BTCUSDT?`);
  });

  test('an unknown symbol is accepted with given candles', async () => {
    const line = `backtest --strategy sma-cross --symbol FOOUSDT --out ${folder.path}/foo --data`;
    const { exitCode, stderr } = await runSluice([...line.split(' '), sound]);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('the rules of FOOUSDT are unknown');
  });

  test('a symbol missing from the bundled market is refused', async () => {
    const message = 'the bundled market has no FOOUSDT (it has BTCUSDT, ';
    expectRefused(await backtest('--symbol', 'FOOUSDT'), message);
  });

  test('candles coarser than the strategy needs are refused', async () => {
    const hours = file('hours.csv', HEADER + rows(50, 3_600));
    expectRefused(
      await backtest('--data', hours, '--interval', '1m'),
      '1m candles cannot be made of 1h candles',
    );
  });

  test('a risk file with an unknown key is refused with its line', async () => {
    const risk = file('risk.yaml', 'preset: standard\nmax_ordr_notional_usdt: 5\n');
    expectRefused(
      await backtest('--data', sound, '--risk', risk),
      '…/risk.yaml:2:1 unknown key "max_ordr_notional_usdt"; did you mean "max_order_notional_usdt"?',
    );
  });

  test('an instrument file with an invalid rule is refused', async () => {
    const wrong = file('instrument.json', '{\n  "quantity_step": "0",\n  "price_stp": "1"\n}');
    const cliResult = await backtest('--data', sound, '--instrument', wrong);
    expectRefused(cliResult, '…/instrument.json:2:20 quantity_step: expected a decimal above 0');
    expect(plain(cliResult.stderr)).toContain(
      '…/instrument.json:3:3 unknown key "price_stp"; did you mean "price_step"?',
    );
  });
});

describe('an unloadable strategy file is named with the place', () => {
  test.each([
    ['export default {\n  create( {{ }\n};\n', '…/mine.ts:2:12: Unexpected token'],
    ['export const a = 1;\n', '…/mine.ts:1: the default export is not a strategy: there is none'],
    ['export default 5;\n', '…/mine.ts:1: the default export is not a strategy: it is a number'],
    ['\nthrow new Error("boom");\n', '…/mine.ts:2: boom'],
    ['import "./gone.js";\n', /…\/mine\.ts:1: Cannot find module '\.\/gone\.js'\n$/],
  ])('%j is named', async (text, message) => {
    const strategy = file('mine.ts', text);
    expectRefused(await backtest('--data', sound, '--strategy', strategy), message);
  });
});

const CONFIG = `mode: sandbox
account: demo
venue:
  embedded: { clock: real }
state_dir: STATE
strategies:
  - id: a
    use: sma-cross
    symbols: [BTCUSDT]
    size: { notional: '250' }
    params: { fast: 3, slow: 8 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

/** The valid configuration with one change. */
function config(from: string, to: string): string {
  expect(CONFIG).toContain(from);
  return file('bot.yaml', CONFIG.replace('STATE', `${folder.path}/state`).replace(from, to));
}

describe('an invalid configuration is named by file, line and column', () => {
  test.each([
    [
      'account: demo',
      'acount: demo',
      '…/bot.yaml:2:1 unknown key "acount"; did you mean "account"?',
    ],
    [
      'symbols: [BTCUSDT]',
      'symbols: BTCUSDT',
      '…/bot.yaml:9:14 strategies[0].symbols: expected a list of symbols, not "BTCUSDT"',
    ],
    ['account: demo', 'account: a\naccount: b', '…/bot.yaml:3:1 this key is given twice'],
    ['  embedded:', '\tembedded:', '…/bot.yaml:4:1 is not valid YAML: Tabs are not allowed'],
    [CONFIG.split('\n')[0] ?? '', '\u0000\u0001', '…/bot.yaml: the file is binary, not YAML text'],
    [
      'use: sma-cross',
      'use: sma-cros',
      '…/bot.yaml:8:10 strategies[0].use: There is no strategy "sma-cros". Do you mean sma-cross?',
    ],
    [
      'fast: 3',
      'fats: 3',
      /…\/bot\.yaml:11:21 strategies\[0\]\.params\.fats: no such parameter; do you mean fast\?\n$/,
    ],
    [
      'fast: 3',
      'fast: x',
      '…/bot.yaml:11:21 strategies[0].params.fast: expected a number, not "x"',
    ],
    [
      'fast: 3',
      'fast: 9',
      '…/bot.yaml:11:21 strategies[0].params.fast: fast must be less than slow',
    ],
    [
      'params: { fast: 3, slow: 8 }',
      'interval: 1m\n  - { id: b, use: sma-cross, symbols: [BTCUSDT], size: { quantity: 1 } }',
      /…\/bot\.yaml:12:\d+ strategies\[1\]\.symbols\[0\]: BTCUSDT in USDT already belongs to "a" \(…\/bot\.yaml:9:15\); one strategy owns/,
    ],
    [
      'embedded: { clock: real }',
      'base_url: http://example.com\n  ws_url: ws://127.0.0.1:1',
      '…/bot.yaml:4:13 venue.base_url: "http://example.com" is refused: without TLS only 127.0.0.1 or [::1] is accepted; use https://',
    ],
    [
      'embedded: { clock: real }',
      'base_url: http://127.0.0.1:1\n  ws_url: ws://127.0.0.1:1',
      '…/bot.yaml:3:1 venue has no api_secret_file: put the key',
    ],
  ])('%j → %j is refused', async (from, to, message) => {
    expectRefused(await runSluice(['run', '--config', config(from, to), '--json']), message);
    expect(readdirSync(folder.path)).not.toContain('state');
  });

  test.each([
    ['an empty file', '', /bot\.yaml:1:1 the file is empty: a configuration starts like/],
    ['a list', '- a\n', /bot\.yaml:1:1 expected a map, not a list: a configuration starts like/],
  ])('%s is refused', async (_what, text, message) => {
    const cliResult = await runSluice(['run', '--config', file('bot.yaml', text)]);
    expectRefused(cliResult, message);
    expect(cliResult.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a missing file and a directory are refused', async () => {
    const missing = await runSluice(['run', '--config', `${folder.path}/none.yaml`]);
    expectRefused(missing, '…/none.yaml: there is no such file; config/demo.yaml and');
    const directory = await runSluice(['run', '--config', folder.path]);
    expectRefused(directory, '…: the file cannot be read: it is a directory');
  });

  test('a parameter or leverage of a backtest is named with its line of the file', async () => {
    const params = config('fast: 3', 'fats: 3');
    expectRefused(
      await backtest('--data', sound, '--config', params),
      '…/bot.yaml:11:21 strategies[0].params.fats: no such parameter',
    );
    const leverage = config('use: sma-cross', 'use: sma-cross\n    leverage: 101');
    expectRefused(
      await backtest('--data', sound, '--config', leverage),
      '…/bot.yaml:9:15 strategies[0].leverage: BTCUSDT takes 1 to 100 in steps of 0.01, not 101',
    );
    const fixed = await backtest('--data', sound, '--config', params, '--param', 'slow=x');
    expectRefused(fixed, '…/bot.yaml:11:21 strategies[0].params.fats');
  });

  test('mode: live without its interlocks is refused for safety, each with its mend', async () => {
    const text = CONFIG.replace('mode: sandbox', 'mode: live').replace(
      'embedded: { clock: real }',
      'base_url: https://api.example.com\n  ws_url: wss://api.example.com',
    );
    expectRefused(
      await runSluice(['run', '--config', file('bot.yaml', text)]),
      /bot\.yaml:1:7 mode: live is refused: \d+ interlocks hold it[^]*acknowledgement: [^]*mend: [^]*secret_custody: /,
      4,
    );
  });
});

describe('invalid input of other commands', () => {
  mkdirSync(`${folder.path}/bare`);
  test.each([
    [['rn'], "unknown command 'rn'\n(Did you mean run?)"],
    [['run', '--config', 'x', '--duration', '30'], 'Expected a duration such as 30s, 10m, 2h'],
    [['replay', `${folder.path}/bare`], '…/bare holds no recorded run: give the state_dir'],
    [['replay', `${folder.path}/none`], '…/none holds no recorded run: give the state_dir'],
    [['replay', sound], 'candles.csv holds no recorded run: give the state_dir'],
    [['sandbox', '--replay', `${folder.path}/none`], 'replay folder …/none does not exist'],
    [['sandbox', '--replay', `${folder.path}/bare`], 'holds no one-minute candles: name them like'],
    [['sandbox', '--faults', `${folder.path}/none`], '…/none: there is no such file'],
    [['sandbox', '--faults', folder.path], '…: the file cannot be read: it is a directory'],
    [['sandbox', '--faults', file('f.json', '[{')], /…\/f\.json: .*JSON/],
    [
      ['sandbox', '--faults', file('f.json', '[{"on":"*","fault":"none"}]')],
      '…/f.json: faults[0].fault',
    ],
    [['sandbox', '--secret', 'two words'], 'Expected one word of printable ASCII'],
    [['sandbox', '--secret', ''], 'Expected one word of printable ASCII'],
    [
      ['sandbox', '--listen', 'host.invalid'],
      '--listen host.invalid --port 0: this machine has no such address',
    ],
    [
      ['sandbox', '--listen', '192.0.2.1'],
      '--listen 192.0.2.1 --port 0: this machine has no such address',
    ],
  ])('%j is refused', async (args, message) => {
    expectRefused(await runSluice(args), message);
  });
});
