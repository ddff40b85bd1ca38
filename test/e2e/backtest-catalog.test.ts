import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DataCatalog } from '../../src/catalog/catalog.js';
import { CandleColumns } from '../../src/market/candles/candle-columns.js';
import { nodeClock } from '../../src/io/node/node-clock.js';
import { nodeFileLocks } from '../../src/io/node/node-file-locks.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeScheduler } from '../../src/io/node/node-scheduler.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const HOUR = 3_600_000;
const START = Date.UTC(2025, 0, 1);
const DAYS = 20;
const catalogPath = join(folder.path, 'catalog');
const csvPath = join(folder.path, 'btcusdt-1h-2025.csv');
const source = { text: 'btc.csv', sha256: 'a'.repeat(64) };

/** A wave of hours, with these hours left out. */
function hours(omitted: readonly number[] = [], base = 60_000): CandleColumns {
  const columns = new CandleColumns();
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    if (omitted.includes(hour)) continue;
    const price = Math.round(base * (1 + 0.05 * Math.sin(hour / 9)));
    columns.append(START + hour * HOUR, price, price + 2, price - 2, price + 1, 400);
  }
  return columns;
}

function csvOf(columns: CandleColumns): string {
  const rows = Array.from({ length: columns.length }, (_, index) => {
    const { openTime, open, high, low, close, volume } = columns.at(index);
    return [openTime, open, high, low, close, volume].join();
  });
  return `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

/** Downloads: the venue has left out hours, and of the last symbol it was asked for the first half alone. */
async function writeAnswered(catalog: DataCatalog): Promise<void> {
  const venue = (fromMs: number, toMs: number) => ({
    text: 'http://127.0.0.1:8080',
    sha256: null,
    answered: { fromMs, toMs },
  });
  const klines = { kind: 'klines', interval: '1h' } as const;
  const end = START + DAYS * 24 * HOUR;
  const quiet = { ...klines, symbol: 'LTCUSDT' } as const;
  await catalog.write(quiet, hours([0, 1, 50, 100, 101], 90), venue(START, end));
  const half = { ...klines, symbol: 'XLMUSDT' } as const;
  const until = START + 240 * HOUR;
  await catalog.write(half, hours([50, 300], 90).within(START, until), venue(START, until));
  await catalog.write(half, hours([50, 300], 90).within(until, end), source);
}

beforeAll(async () => {
  const catalog = new DataCatalog(catalogPath, {
    files: nodeFiles,
    clock: nodeClock,
    scheduler: nodeScheduler,
    locks: nodeFileLocks,
  });
  const klines = { kind: 'klines', interval: '1h' } as const;
  await catalog.write({ ...klines, symbol: 'BTCUSDT' }, hours(), source);
  await catalog.write({ ...klines, symbol: 'ETHUSDT' }, hours([100, 101, 102]), source);
  await writeAnswered(catalog);
  writeFileSync(csvPath, csvOf(hours()));
  const settled = Array.from({ length: DAYS * 3 }, (_, index) => START + index * 8 * HOUR);
  const funding = { kind: 'funding', symbol: 'SOLUSDT' } as const;
  await catalog.write({ ...klines, symbol: 'SOLUSDT' }, hours([], 150), source);
  const marks = { ...klines, kind: 'mark-klines', symbol: 'SOLUSDT' } as const;
  await catalog.write(marks, hours([], 150), source);
  await catalog.write(
    funding,
    {
      length: settled.length,
      time: Float64Array.from(settled),
      rate: Float64Array.from(settled, () => 0.0003),
      intervalMs: Float64Array.from(settled, () => 0),
    },
    source,
  );
});

interface Result {
  readonly run_hash: string;
  readonly bars: number;
  readonly fills: number;
  readonly funding: string;
  readonly repeat: string;
  readonly final_equity: string;
  readonly inputs: { readonly data: readonly { readonly role: string; readonly path: string }[] };
  readonly findings: readonly { readonly id: string; readonly text: string }[];
}

let runs = 0;
async function backtest(symbol: string, ...args: readonly string[]) {
  const out = join(folder.path, `run-${(runs += 1)}`);
  const own = ['--strategy', 'sma-cross', '--symbol', symbol, '--interval', '1h', '--no-report'];
  const { exitCode, stdout, stderr } = await runSluice(
    ['backtest', ...own, '--json', '--out', out, ...args],
    { env: { SLUICE_CATALOG: catalogPath } },
  );
  const result = exitCode === 0 ? (JSON.parse(stdout) as Result) : undefined;
  return { exitCode, stderr, result };
}

describe('sluice backtest on the catalogue', () => {
  test('a symbol and an interval run on the catalogue, as a file of the same candles does', async () => {
    const { result } = await backtest('BTCUSDT');
    const file = await backtest('BTCUSDT', '--data', csvPath);
    expect(result?.bars).toBe(DAYS * 24);
    expect(result?.fills).toBeGreaterThan(4);
    expect(result?.final_equity).toBe(file.result?.final_equity);
    expect(result?.inputs.data).toEqual([
      expect.objectContaining({
        role: 'candles',
        path: join(catalogPath, 'klines', 'BTCUSDT-1h.arrow'),
      }),
    ]);
  });

  test('the repeat command gives the same run, to its hash', async () => {
    const { result } = await backtest('SOLUSDT');
    const again = await runSluice([
      ...(result?.repeat ?? '').split(' ').slice(2),
      ...['--json', '--out', join(folder.path, 'again')],
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({ run_hash: result?.run_hash });
  });

  test('funding and mark prices of the catalogue count without an option', async () => {
    const { result, stderr } = await backtest('SOLUSDT');
    expect(Number(result?.funding)).not.toBe(0);
    expect(stderr).not.toContain('funding is left out');
    expect(result?.inputs.data.map(({ role }) => role).sort()).toEqual([
      'candles',
      'funding',
      'mark',
    ]);
    const without = await backtest('SOLUSDT', '--funding', 'none', '--mark', 'none');
    expect(Number(without.result?.funding)).toBe(0);
    expect(without.result?.inputs.data.map(({ role }) => role)).toEqual(['candles']);
  });

  test('missing candles end the run with the download that fills them', async () => {
    const { exitCode, stderr } = await backtest('ETHUSDT');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'ETHUSDT: 3 candles of 1h are missing in one range from 2025-01-05T04:00',
    );
    expect(stderr).toContain(
      `sluice data download --base-url URL --kind klines --symbol ETHUSDT --interval 1h --from 2025-01-05T04:00:00Z --to 2025-01-05T07:00:00Z --catalog ${catalogPath}`,
    );
    const later = await backtest('BTCUSDT', '--from', '2025-01-10', '--to', '2025-02-01');
    expect(later.stderr).toContain('--from 2025-01-21 --to 2025-02-01');
    const absent = await backtest('XRPUSDT', '--from', '2025-01-10', '--to', '2025-02-01');
    expect(absent.exitCode).toBe(2);
    expect(absent.stderr).toContain(
      'it holds no 1h candles of XRPUSDT; download them: sluice data',
    );
  });

  test('--allow-gaps runs without them, with a warning and a finding', async () => {
    const { result, stderr } = await backtest('ETHUSDT', '--allow-gaps');
    expect(result?.bars).toBe(DAYS * 24 - 3);
    expect(stderr).toContain('3 candles of 1h are missing');
    expect(result?.findings.map(({ id }) => id)).toContain('data-gaps');
  });

  test('candles that the venue has answered it does not have are no obstacle, and a finding counts them', async () => {
    const { exitCode, result, stderr } = await backtest('LTCUSDT', '--from', '2025-01-01');
    expect(exitCode).toBe(0);
    expect(result?.bars).toBe(DAYS * 24 - 5);
    expect(stderr).toContain(
      'LTCUSDT: 5 candles of 1h are missing in 3 ranges, the first from 2025-01-01T00:00:00.000Z to 2025-01-01T02:00:00.000Z; the venue has none there',
    );
    const finding = result?.findings.find(({ id }) => id === 'data-gaps');
    expect(finding?.text).toBe(
      `5 candles are missing beside ${DAYS * 24 - 5}: the venue has none at these times`,
    );
    const again = await runSluice([
      ...(result?.repeat ?? '').split(' ').slice(2),
      ...['--json', '--out', join(folder.path, 'quiet-again')],
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({ run_hash: result?.run_hash });
  });

  test('a range for which the venue has no candle at all is refused without a download', async () => {
    const { exitCode, stderr } = await backtest(
      'LTCUSDT',
      ...['--from', '2025-01-01T00:00:00Z', '--to', '2025-01-01T02:00:00Z'],
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('the venue has no 1h candles of LTCUSDT from 2025-01-01T00:00');
    expect(stderr).not.toContain('sluice data download');
  });

  test('of answered gaps and others, the others alone are to be downloaded', async () => {
    const refused = await backtest('XLMUSDT');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('XLMUSDT: 1 candle of 1h is missing in one range');
    expect(refused.stderr).toContain(
      'sluice data download --base-url http://127.0.0.1:8080 --kind klines --symbol XLMUSDT --interval 1h --from 2025-01-13T12:00:00Z --to 2025-01-13T13:00:00Z',
    );
    const { result, stderr } = await backtest('XLMUSDT', '--allow-gaps');
    expect(stderr).toContain('the venue has none there');
    expect(stderr).toContain('the run leaves them out (--allow-gaps)');
    const finding = result?.findings.find(({ id }) => id === 'data-gaps');
    expect(finding?.text).toContain(
      '2 candles are missing beside 478: the venue has none at the times of 1 of them',
    );
  });

  test('a damaged file is not run', async () => {
    const path = join(catalogPath, 'klines', 'SOLUSDT-1h.arrow');
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.from(whole).fill(7, 2_000, 2_008));
    const { exitCode, stderr } = await backtest('SOLUSDT');
    writeFileSync(path, whole);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('its checksum is not that of its record');
  });

  test('two sources of candles are refused', async () => {
    const { exitCode, stderr } = await backtest('BTCUSDT', '--data', csvPath, '--catalog', 'x');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('leave one of them out')]);
  });
});

describe('sluice data', () => {
  const data = (...args: readonly string[]) =>
    runSluice(['data', ...args], { env: { SLUICE_CATALOG: catalogPath } });

  test('list shows ranges, gaps and sources', async () => {
    const { stdout } = await data('list', '--symbol', 'ETHUSDT', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      catalog: catalogPath,
      datasets: [
        {
          symbol: 'ETHUSDT',
          kind: 'klines',
          interval: '1h',
          rows: DAYS * 24 - 3,
          gaps: [{ missing: 3 }],
          sources: [{ source: 'btc.csv' }],
        },
      ],
    });
    expect((await data('list')).stdout).toContain('ETHUSDT');
  });

  test('verify ends with 1 when there are faults, and names the repair', async () => {
    const { exitCode, stdout } = await data('verify');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('ETHUSDT 1h klines: 3 rows are missing from 2025-01-05T04:00');
    expect(stdout).toContain('repair: sluice data download');
    expect(await data('verify', '--symbol', 'BTCUSDT')).toMatchObject({ exitCode: 0 });
  });

  test('an empty catalogue says so', async () => {
    const empty = await runSluice(['data', 'list', '--catalog', join(folder.path, 'none')]);
    expect(empty).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no data in') });
    expect(readdirSync(folder.path)).not.toContain('none');
  });
});
