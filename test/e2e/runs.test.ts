import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const made = join(folder.path, 'made');
const dir = join(folder.path, 'runs');

const DAY = ['--from', '2025-05-05', '--to', '2025-05-06', '--no-report'];

beforeAll(async () => {
  const backtest = async (name: string, ...args: readonly string[]): Promise<void> => {
    const { exitCode } = await runSluice(['backtest', '--out', join(made, name), ...DAY, ...args]);
    expect(exitCode).toBe(0);
  };
  await backtest('2026-01-btc');
  await backtest('2026-02-btc-slow', '--param', 'slow=80');
  await backtest('2026-03-eth', '--symbol', 'ETHUSDT', '--taker-fee', '0.0001');
}, 120_000);
beforeEach(() => {
  rmSync(dir, { recursive: true, force: true });
  cpSync(made, dir, { recursive: true });
});

interface Summary {
  readonly name: string;
  readonly run_hash: string;
  readonly sharpe: number | null;
  readonly net_profit: string;
}

const runs = (...args: readonly string[]) => runSluice(['runs', ...args, '--dir', dir]);

async function listed(...args: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await runs('list', '--json', ...args);
  expect(exitCode, stderr).toBe(0);
  return (JSON.parse(stdout) as { readonly runs: readonly Summary[] }).runs.map(({ name }) => name);
}

describe('sluice runs show', () => {
  test.each([
    ['00:01', '1 candle'],
    ['00:02', '2 candles'],
    ['16:41', '1,001 candles'],
  ])('a run until %s has %s', async (until, candles) => {
    const out = join(dir, 'short');
    const range = ['--from', '2025-05-05', '--to', `2025-05-05T${until}:00Z`, '--no-report'];
    const { exitCode, stderr } = await runSluice(['backtest', '--out', out, ...range]);
    expect(exitCode, stderr).toBe(0);
    const shown = await runs('show', 'short');
    expect(shown.stdout).toMatch(new RegExp(`, ${candles}\\s`));
  });
});

describe('sluice runs list', () => {
  test('it lists the runs that match, best first', async () => {
    expect(await listed()).toEqual(['2026-03-eth', '2026-02-btc-slow', '2026-01-btc']);
    expect(await listed('--symbol', 'ETHUSDT')).toEqual(['2026-03-eth']);
    expect(await listed('--strategy', 'sma-cross', '--limit', '1')).toEqual(['2026-03-eth']);
    expect(await listed('--strategy', 'other')).toEqual([]);
    expect(await listed('--since', '2100-01-01')).toEqual([]);
    const { stdout } = await runs('list', '--json', '--sort', 'net');
    const profits = (JSON.parse(stdout) as { readonly runs: readonly Summary[] }).runs.map((run) =>
      Number(run.net_profit),
    );
    expect(profits).toEqual([...profits].sort((a, b) => b - a));
  });

  test('the table has the name, the hash, and money with its currency', async () => {
    const { stdout } = await runs('list');
    expect(stdout).toMatch(/2026-01-btc .* sma-cross .* BTCUSDT 1m .* USDT/);
  });

  test('folders that were moved, deleted, added or written again by hand are seen', async () => {
    await listed();
    renameSync(join(dir, '2026-01-btc'), join(dir, '2026-04-moved'));
    rmSync(join(dir, '2026-02-btc-slow'), { recursive: true });
    expect(await listed('--sort', 'created')).toEqual(['2026-03-eth', '2026-04-moved']);
    cpSync(join(made, '2026-03-eth', 'result.json'), join(dir, '2026-04-moved', 'result.json'));
    expect(await listed('--symbol', 'ETHUSDT')).toEqual(['2026-03-eth', '2026-04-moved']);
  });

  test.each(['', '{"layout":99,"rows":[]}', '{"layout":1,"rows":'])(
    'a damaged index %j is built again',
    async (text) => {
      await listed();
      writeFileSync(join(dir, '.runs-index.json'), text);
      expect(await listed()).toHaveLength(3);
      expect(readFileSync(join(dir, '.runs-index.json'), 'utf8')).toContain('2026-01-btc');
    },
  );

  test.runIf(process.getuid?.() !== 0)('a folder that is not writable is listed too', async () => {
    chmodSync(dir, 0o500);
    expect(await listed()).toHaveLength(3);
    chmodSync(dir, 0o700);
  });

  test('a folder without runs names the command that makes one', async () => {
    rmSync(dir, { recursive: true });
    const { exitCode, stdout } = await runs('list');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('sluice backtest makes one');
  });

  test.each([
    ['{"schema_version": 1, "run":', /no whole JSON/],
    ['{"schema_version": 2}', /schema 2, and this version reads schema 1: update Sluice/],
    ['{"run": "old"}', /no schema_version: an earlier version/],
    ['{"schema_version": 1}', /was changed: /],
  ])(
    'a result.json %j is named with its remedy, and the others are listed',
    async (text, message) => {
      writeFileSync(join(dir, '2026-01-btc', 'result.json'), text);
      const { exitCode, stdout, stderr } = await runs('list', '--json');
      expect(exitCode).toBe(0);
      expect((JSON.parse(stdout) as { readonly runs: unknown[] }).runs).toHaveLength(2);
      expect(stderr).toMatch(message);
      const shown = await runs('show', '2026-01-btc');
      expect(shown.exitCode).toBe(2);
      expect(shown.stderr).toMatch(message);
    },
  );
});

describe('sluice runs show', () => {
  test('a run is shown by its name, the start of its name or hash, or its folder', async () => {
    const { stdout } = await runs('list', '--json');
    const { runs: all } = JSON.parse(stdout) as { readonly runs: readonly Summary[] };
    const [eth] = all;
    const ways = ['2026-03-eth', '2026-03', eth?.run_hash.slice(0, 10), join(dir, '2026-03-eth')];
    for (const way of ways) {
      const shown = await runs('show', way ?? '', '--json');
      expect(JSON.parse(shown.stdout)).toMatchObject({
        run_hash: eth?.run_hash,
        hash_verified: true,
      });
    }
    const { exitCode, stdout: text } = await runs('show', '2026-03');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^Repeat +npx sluice backtest --strategy sma-cross --symbol ETHUSDT/m);
  });

  test('a run whose files were changed ends with exit code 1', async () => {
    appendFileSync(join(dir, '2026-01-btc', 'fills.csv'), 'one more\n');
    const { exitCode, stderr } = await runs('show', '2026-01');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the hash does not follow from the files');
  });

  test.each([
    ['2026', /names 3 runs: .*give more characters/],
    ['2026-04-btc', /there is no run "2026-04-btc" in .*did you mean "2026-01-btc"/],
    ['./nowhere', /there is no folder \.\/nowhere/],
    ['empty', /has no result\.json: a run that was cut off/],
  ])('%s ends with exit code 2 and a message that helps', async (run, message) => {
    mkdirSync(join(dir, 'empty'));
    const { exitCode, stderr, stdout } = await runs('show', run);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
  });
});

describe('sluice runs compare', () => {
  interface Compared {
    readonly same: boolean;
    readonly inputs: readonly { readonly key: string; readonly values: readonly unknown[] }[];
    readonly results: readonly { readonly key: string; readonly differs: boolean }[];
  }

  test('it names the inputs that differ, and only those, and the figures', async () => {
    const { stdout } = await runs('compare', '2026-01', '2026-02', '--json');
    const compared = JSON.parse(stdout) as Compared;
    expect(compared.inputs).toEqual([
      { key: 'strategy.params.slow', values: [50, 80], differs: true },
    ]);
    expect(compared.same).toBe(false);
    expect(compared.results.find(({ key }) => key === 'net_profit')?.differs).toBe(true);
    expect(compared.results.find(({ key }) => key === 'bars')?.differs).toBe(false);
  });

  test('a run equals its copy, and three runs have three columns', async () => {
    cpSync(join(dir, '2026-01-btc'), join(dir, 'copy'), { recursive: true });
    const { stdout } = await runs('compare', '2026-01', 'copy');
    expect(stdout).toContain('the same to the last digit');
    const three = await runs('compare', '2026-01', '2026-02', '2026-03');
    expect(three.stdout).toMatch(/taker_fee .*0\.00059 .*0\.00059 .*0\.0001/);
    expect(three.stdout).toMatch(/^C {2}2026-03-eth/m);
  });

  test.each([[['2026-01']], [['a', 'b', 'c', 'd', 'e', 'f', 'g']]])(
    'comparing %j is refused with the allowed number',
    async (given) => {
      const { exitCode, stderr } = await runs('compare', ...given);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`compare takes 2 to 6 runs, not ${given.length}`);
    },
  );
});

describe('sluice runs rm', () => {
  test('without --yes nothing is removed', async () => {
    const { exitCode, stderr } = await runs('rm', '2026-01');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/nothing was removed; --yes removes .*2026-01-btc/);
    expect(existsSync(join(dir, '2026-01-btc', 'result.json'))).toBe(true);
  });

  test('with --yes the files of the runs go, and other files stay', async () => {
    writeFileSync(join(dir, '2026-02-btc-slow', 'notes.txt'), 'mine');
    const { exitCode, stdout } = await runs('rm', '2026-01', '2026-02', '--yes');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/2026-02-btc-slow; it keeps notes\.txt/);
    expect(readdirSync(dir).filter((name) => !name.startsWith('.'))).toEqual([
      '2026-02-btc-slow',
      '2026-03-eth',
    ]);
    expect(readdirSync(join(dir, '2026-02-btc-slow'))).toEqual(['notes.txt']);
    expect(await listed()).toEqual(['2026-03-eth']);
  });

  test('one unknown run keeps all of them', async () => {
    const { exitCode } = await runs('rm', '2026-01', 'no-such-run', '--yes');
    expect(exitCode).toBe(2);
    expect(await listed()).toHaveLength(3);
  });
});
