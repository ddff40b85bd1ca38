import { describe, expect, test } from 'vitest';
import { runCli } from './main.js';
import { createProgram } from './program.js';
import type { Io } from './command-io.js';
import { nodeFiles } from '../io/node/node-files.js';
import { nodeFolders } from '../io/node/node-folders.js';

interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function cli(...args: readonly string[]): Promise<CliResult> {
  let [stdout, stderr] = ['', ''];
  const io: Io = {
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
    isTerminal: false,
    env: {},
    onSignal: () => () => undefined,
    clock: { monotonicMs: () => 0, utcMs: () => 0 },
    scheduler: { after: () => () => undefined },
    random: { next: () => 0 },
    files: nodeFiles,
    folders: nodeFolders,
  };
  return { exitCode: await runCli(args, io), stdout, stderr };
}

/** The command and the options of a command line. */
async function parsed(line: string): Promise<unknown> {
  let result: unknown;
  const record = (command: string, options: unknown) => {
    result = { command, options };
    return Promise.resolve(0);
  };
  const silent = { stdout: () => undefined, stderr: () => undefined };
  await createProgram('1.0.0', false, record, silent).parse(line.split(' '));
  return result;
}

describe('parsed options', () => {
  test('the strategy tools, init and dev pass their options on', async () => {
    expect(await parsed('strategy new my-trend --stream')).toMatchObject({
      command: 'strategy new',
      options: { name: 'my-trend', stream: true, directory: 'strategies' },
    });
    expect(await parsed('strategy list --dir mine')).toMatchObject({
      command: 'strategy list',
      options: { directory: 'mine' },
    });
    expect(
      await parsed('strategy check a.ts --symbols BTCUSDT,ETHUSDT --param fast=3 --hang 2s'),
    ).toEqual({
      command: 'strategy check',
      options: {
        use: 'a.ts',
        params: { fast: '3' },
        symbols: ['BTCUSDT', 'ETHUSDT'],
        interval: '1m',
        hangMs: 2_000,
        json: false,
        debug: false,
      },
    });
    expect(await parsed('init my-bot')).toMatchObject({ options: { directory: 'my-bot' } });
    expect(await parsed('dev bot.yaml --on-reload reset --duration 5s')).toMatchObject({
      command: 'dev',
      options: { config: 'bot.yaml', onReload: 'reset', durationMs: 5_000 },
    });
  });

  test('run passes its options on', async () => {
    expect(await parsed('run --config bot.yaml --adopt BTCUSDT ab-1')).toMatchObject({
      options: { adopt: ['BTCUSDT', 'ab-1'] },
    });
    const resumed = 'run --config bot.yaml --resume BTCUSDT --resume ETHUSDT';
    expect(await parsed(resumed)).toMatchObject({ options: { resume: ['BTCUSDT', 'ETHUSDT'] } });
    expect(await parsed('run --config bot.yaml --duration 30s --json')).toEqual({
      command: 'run',
      options: { config: 'bot.yaml', durationMs: 30_000, json: true, report: true, debug: false },
    });
    expect(await parsed('run --config bot.yaml')).toEqual({
      command: 'run',
      options: { config: 'bot.yaml', json: false, report: true, debug: false },
    });
  });

  test.each([
    'run',
    'plan',
    'dev',
    'doctor',
    'supervise',
    'notify test',
    'pnl',
    'export ledger',
    'probe',
    'risk show',
    'risk test',
    'risk accept',
    'risk what-if --symbol BTCUSDT --side buy --quantity 0.01',
  ])('%s takes its configuration as an argument or by --config', async (command) => {
    const named = await parsed(`${command} bot.yaml`);
    expect(named).toMatchObject({ options: { config: 'bot.yaml' } });
    expect(await parsed(`${command} --config bot.yaml`)).toEqual(named);
    expect(await parsed(`${command} bot.yaml --config bot.yaml`)).toEqual(named);
    const { exitCode, stderr } = await cli(...`${command} a.yaml --config b.yaml`.split(' '));
    expect(stderr).toContain('two configurations are named, a.yaml and --config b.yaml');
    expect(exitCode).toBe(2);
  });

  test('doctor without a configuration checks that of npm start', async () => {
    expect(await parsed('doctor')).toMatchObject({ options: { config: 'config/demo.yaml' } });
  });

  test('sandbox passes its options on, with their defaults', async () => {
    expect(await parsed('sandbox')).toEqual({
      command: 'sandbox',
      options: {
        port: 0,
        listen: '127.0.0.1',
        seed: 1,
        clock: { kind: 'real' },
        quirks: 'none',
        assume: {},
        limits: true,
        retainOrders: 20_000,
        spot: { USDT: '100000', INR: '10000000' },
        futures: { USDT: '10000', INR: '1000000' },
        json: false,
        debug: false,
      },
    });
    const line =
      'sandbox --port 8787 --listen 0.0.0.0 --allow-host Box.local --allow-host b --seed 7 --clock fast:60 --start 2025-05-05 --replay data ' +
      '--quirks Q1,Q2 --assume a=b --assume c=d=e --profile p.json --faults f.json --no-limits --retain-orders 0 --secret s --spot INR=5 --futures USDT=1.5,INR=0 --json --debug';
    expect(await parsed(line)).toEqual({
      command: 'sandbox',
      options: {
        port: 8787,
        listen: '0.0.0.0',
        allowHosts: ['box.local', 'b'],
        seed: 7,
        clock: { kind: 'fast', factor: 60 },
        startMs: Date.UTC(2025, 4, 5),
        replay: 'data',
        quirks: ['Q1', 'Q2'],
        assume: { a: 'b', c: 'd=e' },
        profile: 'p.json',
        faults: 'f.json',
        limits: false,
        retainOrders: 0,
        secret: 's',
        spot: { USDT: '100000', INR: '5' },
        futures: { USDT: '1.5', INR: '0' },
        json: true,
        debug: true,
      },
    });
  });

  const VENUE = { json: false, debug: false };

  test.each([
    ['account funds --currency INR --json', { what: 'funds', currency: 'INR', json: true }],
    ['account orders', { what: 'orders', limit: 20, all: false }],
    ['account fees --limit 5 --all', { what: 'fees', limit: 5, all: true }],
    ['account history --closes', { what: 'closes', limit: 20, all: false }],
    ['account leverage BTCUSDT', { what: 'leverage', symbol: 'BTCUSDT' }],
    [
      'account leverage set BTCUSDT 2.5 --force',
      { what: 'set-leverage', symbol: 'BTCUSDT', leverage: '2.5', force: true, yes: false },
    ],
    [
      'account transfer to-spot 10 --yes',
      { what: 'transfer', direction: 'withdraw', amount: '10', yes: true, force: false },
    ],
    [
      'account positions --base-url http://127.0.0.1:1 --ws-url ws://127.0.0.1:1 --secret-file s',
      {
        what: 'positions',
        limit: 20,
        all: false,
        baseUrl: 'http://127.0.0.1:1',
        wsUrl: 'ws://127.0.0.1:1',
        secretFile: 's',
      },
    ],
  ])('%s has these options', async (line, options) => {
    expect(await parsed(line)).toEqual({ command: 'account', options: { ...VENUE, ...options } });
  });

  const WRITE = { ...VENUE, config: 'c.yaml', yes: false, waitMs: 30_000 };

  test.each([
    [
      'order place buy BTCUSDT --quantity 0.001 --config c.yaml',
      {
        ...WRITE,
        what: 'place',
        side: 'buy',
        symbol: 'BTCUSDT',
        quantity: '0.001',
        reduceOnly: false,
      },
    ],
    [
      'order place sell BTCUSDT --quantity 1 --limit 70000 --reduce-only --stop 5 --target 6 --wait 5s --yes --config c.yaml',
      {
        ...WRITE,
        what: 'place',
        side: 'sell',
        symbol: 'BTCUSDT',
        quantity: '1',
        limit: '70000',
        reduceOnly: true,
        stop: '5',
        target: '6',
        yes: true,
        waitMs: 5_000,
      },
    ],
    [
      'order cancel abc --foreign --config c.yaml',
      { ...WRITE, what: 'cancel', order: { orderId: 'abc' }, external: true },
    ],
    [
      'order amend --client-id abc --limit 1 --quantity 2 --partial --config c.yaml',
      {
        ...WRITE,
        what: 'amend',
        order: { clientOrderId: 'abc' },
        limit: '1',
        quantity: '2',
        partial: true,
        inPlace: false,
      },
    ],
    ['order show abc', { ...VENUE, what: 'show', order: { orderId: 'abc' } }],
  ])('%s has these options', async (line, options) => {
    expect(await parsed(line)).toEqual({ command: 'order', options });
  });

  test('probe reads only, unless --min-size is given', async () => {
    const reads = { ...VENUE, minSize: false, symbol: 'BTCUSDT' };
    expect(await parsed('probe')).toEqual({ command: 'probe', options: reads });
    expect(await parsed('probe --read-only --out p.json')).toEqual({
      command: 'probe',
      options: { ...reads, out: 'p.json' },
    });
    expect(await parsed('probe --min-size --symbol ETHUSDT')).toEqual({
      command: 'probe',
      options: { ...reads, minSize: true, symbol: 'ETHUSDT' },
    });
  });

  test('backtest leaves absent options out, so that a configuration may supply them', async () => {
    expect(await parsed('backtest')).toEqual({
      command: 'backtest',
      options: {
        params: {},
        allowGaps: false,
        bounds: true,
        cache: true,
        check: false,
        report: true,
        robust: false,
        open: false,
        months: false,
        verbose: false,
        json: false,
        debug: false,
      },
    });
    const line =
      'backtest --config b.yaml --strategy sma-cross --symbol BTCUSDT --interval 15m --data d --from 2025-05-01 ' +
      '--to 2025-06-01T12:00Z --param fast=10 --param slow=a=b --size risk_pct=0.5 --leverage 2 --currency INR ' +
      '--cash 5000.50 --taker-fee 0.0005 --maker-fee 0 --slippage 1.5 --fill touch --intrabar optimistic ' +
      '--funding 0.0001 --mark m.csv --instrument i.json --risk r.yaml --out o --months --verbose --json';
    expect(await parsed(line)).toEqual({
      command: 'backtest',
      options: {
        config: 'b.yaml',
        strategy: 'sma-cross',
        symbol: 'BTCUSDT',
        interval: '15m',
        data: 'd',
        fromMs: Date.UTC(2025, 4, 1),
        toMs: Date.UTC(2025, 5, 1, 12),
        allowGaps: false,
        params: { fast: '10', slow: 'a=b' },
        size: { kind: 'risk-pct', percent: 0.5 },
        leverage: '2',
        currency: 'INR',
        cash: '5000.50',
        takerFee: '0.0005',
        makerFee: '0',
        slippage: { kind: 'fixed', bps: 1.5 },
        fill: 'touch',
        intrabar: 'optimistic',
        funding: { kind: 'rate', rate: '0.0001' },
        mark: 'm.csv',
        instrument: 'i.json',
        risk: { kind: 'file', path: 'r.yaml' },
        out: 'o',
        bounds: true,
        cache: true,
        check: false,
        report: true,
        robust: false,
        open: false,
        months: true,
        verbose: true,
        json: true,
        debug: false,
      },
    });
  });

  test.each([
    ['--slippage auto', { slippage: { kind: 'range', bps: 1, share: 0.05 } }],
    ['--slippage volume=0.1', { slippage: { kind: 'volume', impact: 0.1 } }],
    ['--funding auto', { funding: { kind: 'auto' } }],
    ['--funding none', { funding: { kind: 'none' } }],
    ['--funding rates.csv', { funding: { kind: 'file', path: 'rates.csv' } }],
    ['--funding -0.0001', { funding: { kind: 'rate', rate: '-0.0001' } }],
    ['--risk none', { risk: { kind: 'none' } }],
    ['--risk research', { risk: { kind: 'research' } }],
    ['--size quantity=0.01', { size: { kind: 'quantity', quantity: 1_000_000 } }],
    ['--size notional=250', { size: { kind: 'notional', notional: 250 } }],
    ['--size equity_pct=10', { size: { kind: 'equity-pct', percent: 10 } }],
  ])('backtest reads %s', async (option, expected) => {
    expect(await parsed(`backtest ${option}`)).toMatchObject({ options: expected });
  });

  test('replay passes its options on', async () => {
    expect(await parsed('replay .sluice/demo --json')).toEqual({
      command: 'replay',
      options: { stateDir: '.sluice/demo', json: true, debug: false },
    });
  });
});

describe('a command line with a mistake', () => {
  test.each([
    [['run'], "missing required argument 'config' (or --config <file>)"],
    [['run', '--confg', 'x'], "unknown option '--confg'\n(Did you mean --config?)"],
    [['rnu'], "unknown command 'rnu'\n(Did you mean run?)"],
    [
      ['run', '--config', 'x', '--duration', '30'],
      'Expected a duration such as 30s, 10m, 2h, 1d or 1500ms, not "30".',
    ],
    [['run', '--config', 'none.yaml'], 'sluice: none.yaml: there is no such file'],
    [['sandbox', '--port', '70000'], 'Expected a whole number from 0 to 65535, not "70000".'],
    [['sandbox', '--clock', 'slow'], 'clock "slow" is not one of real, manual or fast:N'],
    [['sandbox', '--start', '2025-05-05T00:00'], 'Expected a UTC time such as'],
    [['sandbox', '--futures', 'EUR=5'], 'Expected balances such as USDT=10000'],
    [['sandbox', '--futures', 'USDT=-5'], 'Expected balances such as USDT=10000'],
    [
      ['sandbox', '--futures', 'USDT=0.000000001'],
      'sluice: --futures: "0.000000001" has more than 8 decimal places',
    ],
    [
      ['sandbox', '--quirks', 'sticky-partail'],
      'sluice: the quirk "sticky-partail" is not known; did you mean "sticky-partial"?',
    ],
    [['sandbox', '--quirks', 'nonsense'], 'known: none, field, sticky-partial,'],
    [['sandbox', '--allow-host', 'http://a'], 'Expected a host name without a port'],
    [['sandbox', '--assume', 'wire-list-cap'], 'Expected ID=ANSWER, not "wire-list-cap".'],
    [
      ['sandbox', '--assume', 'exchange-stop-triger=mark'],
      'the assumption "exchange-stop-triger" is not known; did you mean "exchange-stop-trigger"?',
    ],
    [
      ['sandbox', '--assume', 'wire-list-cap=7'],
      'the answer to wire-list-cap "7" is not known\n  known: 500, 100',
    ],
    [['sandbox', '--profile', 'none.json'], 'sluice: none.json: there is no such file'],
    [['sandbox', '--faults', 'none.json'], 'sluice: none.json: there is no such file'],
    [['sandbox', 'now'], 'too many arguments'],
    [['backtest', '--interval', '2m'], 'did you mean "1m"?'],
    [
      ['backtest', '--size', 'lots=5'],
      'Expected quantity=0.01, notional=250, equity_pct=10, risk_pct=0.5 or volatility_pct=20, not "lots=5".',
    ],
    [['backtest', '--param', 'fast'], 'Expected name=value, not "fast".'],
    [['backtest', '--param', 'a=1', '--param', 'a=2'], '"a" is given twice.'],
    [
      ['backtest', '--cash', '1e4'],
      'Expected an amount above 0 with at most 8 places, such as 10000, not "1e4".',
    ],
    [
      ['backtest', '--slippage', '-1'],
      'Expected auto, basis points (at most 5000), or volume=0.1 (at most 0.5), not "-1".',
    ],
    [['backtest', '--fill', 'thru'], 'Expected one of through, touch'],
    [['replay'], "missing required argument 'state-dir'"],
  ])('%j ends with exit code 2 and a message that helps', async (args, message) => {
    const { exitCode, stdout, stderr } = await cli(...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  test('an empty command line shows the help', async () => {
    const { exitCode, stderr } = await cli();
    expect(stderr).toContain('Usage: sluice');
    expect(exitCode).toBe(2);
  });
});

const COMMANDS = [
  'run',
  'plan',
  'sandbox',
  'backtest',
  'replay',
  'why',
  'account',
  'order',
  'probe',
  'chaos',
  'init',
  'strategy new',
  'strategy list',
  'strategy check',
  'dev',
];

describe('help', () => {
  test.each(COMMANDS)('%s --help shows examples that parse', async (command) => {
    const { exitCode, stdout } = await cli(...command.split(' '), '--help');
    expect(exitCode).toBe(0);
    const examples = [...stdout.matchAll(/\$ sluice (.*)/g)].map((match) => match[1] ?? '');
    expect(examples).not.toEqual([]);
    for (const example of examples)
      await expect(parsed(example)).resolves.toMatchObject({ command });
  });

  test('--help names every command, and --version prints the version', async () => {
    const { stdout } = await cli('--help');
    for (const command of COMMANDS) expect(stdout).toContain(` ${command.split(' ')[0]} `);
    expect(await cli('--version')).toEqual({ exitCode: 0, stdout: '0.1.0\n', stderr: '' });
  });
});
