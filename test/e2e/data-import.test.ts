import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { zipOf } from '../support/builders/zip.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
let count = 0;
let root = '';
let catalog = '';
beforeEach(() => {
  count += 1;
  root = join(folder.path, `case-${count}`);
  catalog = join(root, 'catalog');
  mkdirSync(root);
});

const START = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
/** A rising and falling price with awkward decimals. */
const prices = (minute: number) => {
  const open = (9_000_000 + Math.round(30_000 * Math.sin(minute / 40))) / 100;
  const close = (9_000_000 + Math.round(30_000 * Math.sin((minute + 1) / 40))) / 100;
  return { open, high: Math.max(open, close) + 1.1, low: Math.min(open, close) - 0.7, close };
};
const row = (minute: number, time: (ms: number) => string | number = (ms) => ms): string => {
  const { open, high, low, close } = prices(minute);
  return [time(START + minute * MINUTE), open, high, low, close, `0.00000${minute + 1}`].join(',');
};
const rows = (from: number, to: number, time?: (ms: number) => string | number): string =>
  Array.from({ length: to - from }, (_, index) => row(from + index, time)).join('\n');

const pathOf = (name: string): string => join(root, name);
function put(name: string, content: string | Uint8Array): string {
  writeFileSync(pathOf(name), content);
  return pathOf(name);
}
const data = async (...args: readonly string[]) =>
  runSluice(['data', ...args, '--catalog', catalog]);
const arrow = (name: string): Buffer => readFileSync(join(catalog, name));

test('an own CSV file is imported, listed, and a backtest runs over its export', async () => {
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const own = put(
    'own.csv',
    `Datum;Open;High;Low;Last;Qty\n${rows(0, 600, iso).replaceAll(',', ';')}\n`,
  );
  const unnamed = await data('import', own);
  expect(unnamed).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unnamed.stderr).toContain('give it with --symbol BTCUSDT');
  const columns = ['--symbol', 'BTCUSDT', '--columns', 'time=Datum,close=Last,volume=6'];
  const dry = await data('import', own, ...columns, '--dry-run');
  expect(dry.stdout).toContain('nothing was written');
  expect(existsSync(catalog)).toBe(false);
  const imported = await data('import', own, ...columns);
  expect(imported.stdout).toContain(
    'BTCUSDT 1m klines: 600 rows from 2025-01-01 00:00 to 2025-01-01 09:59 UTC',
  );
  expect(imported.stdout).toContain(
    'csv with semicolons, times in iso, open_time=Datum, open=Open',
  );
  const exported = pathOf('btcusdt-1m-2025.csv.gz');
  expect((await data('export', '--symbol', 'BTCUSDT', '--out', exported)).exitCode).toBe(0);
  const run = await runSluice(['backtest', '--data', exported, '--out', pathOf('run'), '--json']);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ bars: 600 });
});

test('a catalogue that is exported to CSV and imported again has the same bytes', async () => {
  await data('import', put('btcusdt-1m-2025.csv', `${rows(0, 300)}\n`));
  const funding = [0, 8, 12]
    .map((hour) => `${START + hour * 3_600_000},8,0.000${hour}1`)
    .join('\n');
  const header = 'calc_time,funding_interval_hours,last_funding_rate';
  await data('import', put('BTCUSDT-fundingRate-2025-01.csv', `${header}\n${funding}\n`));
  const first = {
    klines: arrow('klines/BTCUSDT-1m.arrow'),
    funding: arrow('funding/BTCUSDT.arrow'),
  };
  const candles = pathOf('btcusdt-1m-again.csv');
  const rates = pathOf('btcusdt-funding-again.csv');
  await data('export', '--symbol', 'BTCUSDT', '--out', candles);
  await data('export', '--symbol', 'BTCUSDT', '--kind', 'funding', '--out', rates);
  catalog = join(root, 'other');
  await data('import', candles, rates);
  expect(arrow('klines/BTCUSDT-1m.arrow').equals(first.klines)).toBe(true);
  expect(arrow('funding/BTCUSDT.arrow').equals(first.funding)).toBe(true);
});

test('an exported Parquet file holds the same doubles, and imports without a change', async () => {
  await data('import', put('btcusdt-1m-2025.csv', `${rows(0, 200)}\n`));
  const out = pathOf('btcusdt-1m.parquet');
  const range = ['--from', '2025-01-01T00:10:00Z', '--to', '2025-01-01T00:20:00Z'];
  await data('export', '--symbol', 'BTCUSDT', ...range, '--out', out);
  const read = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
  expect(read).toHaveLength(10);
  expect(read[0]).toEqual({
    open_time: new Date(START + 10 * MINUTE),
    ...prices(10),
    volume: 0.0000011,
  });
  const again = await data('import', out, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    datasets: [{ rows: 10, added: 0, replaced: 0, unchanged: 10 }],
  });
});

test('a folder of Binance archives becomes one series, with its checksums verified and kept', async () => {
  mkdirSync(pathOf('klines'));
  const header = 'open_time,open,high,low,close,volume\n';
  const zips = [
    zipOf({ 'BTCUSDT-1m-2025-01-01.csv': `${rows(0, 100)}\n` }),
    zipOf({ 'BTCUSDT-1m-2025-01-02.csv': `${header}${rows(99, 200)}\n` }),
  ];
  const shas = zips.map((zip, index) => {
    const name = `BTCUSDT-1m-2025-01-0${index + 1}.zip`;
    const sha256 = createHash('sha256').update(zip).digest('hex');
    put(`klines/${name}`, zip);
    put(`klines/${name}.CHECKSUM`, `${sha256}  ${name}\n`);
    return sha256;
  });
  const imported = await data('import', pathOf('klines'));
  expect(imported.stdout).toContain('200 rows');
  expect(imported.stdout).toContain('checksums: 2 of 2 verified');
  expect(imported.stdout).toContain('1 row occurs in several files');
  const record = JSON.parse(readFileSync(join(catalog, 'klines/BTCUSDT-1m.json'), 'utf8')) as {
    current: { sources: readonly { sha256: string; rows: number }[] };
  };
  expect(record.current.sources.map(({ sha256 }) => sha256)).toEqual(shas);
  expect(record.current.sources.map(({ rows: given }) => given)).toEqual([100, 101]);
});

test('a fault in one of several files leaves the catalogue as it was', async () => {
  const good = put('btcusdt-1m-a.csv', `${rows(0, 50)}\n`);
  const bad = put('ethusdt-1m-a.csv', `${rows(0, 50)}\n${row(10)}\n`);
  const failed = await data('import', good, bad);
  expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
  expect(failed.stderr).toContain('ethusdt-1m-a.csv:51');
  expect(existsSync(catalog)).toBe(false);
});

test('rows that differ from the catalogue are refused, and replaced on request', async () => {
  await data('import', put('btcusdt-1m-a.csv', `${rows(0, 50)}\n`));
  const before = arrow('klines/BTCUSDT-1m.arrow');
  const other = put('btcusdt-1m-b.csv', `${rows(40, 60).replace(/,[^,]+$/m, ',7')}\n`);
  const eth = put('ethusdt-1m-b.csv', `${rows(0, 5)}\n`);
  const refused = await data('import', eth, other);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    'its volume of 2025-01-01T00:40:00.000Z is 7, and the catalogue',
  );
  expect(refused.stderr).toContain('--overwrite replaces it');
  expect(arrow('klines/BTCUSDT-1m.arrow').equals(before)).toBe(true);
  expect(readdirSync(join(catalog, 'klines'))).not.toContain('ETHUSDT-1m.arrow');
  const replaced = await data('import', other, '--overwrite', '--json');
  expect(JSON.parse(replaced.stdout)).toMatchObject({
    datasets: [{ added: 10, replaced: 1, unchanged: 9 }],
  });
});

test.each([
  { args: ['import', 'absent.csv'], says: 'there is no such file or folder' },
  {
    args: ['export', '--symbol', 'BTCUSDT', '--out', 'x.csv'],
    says: 'sluice data import adds them',
  },
  { args: ['export', '--symbol', 'BTCUSDT', '--out', 'x.xlsx'], says: '.csv, .csv.gz or .parquet' },
  { args: ['import', 'a.csv', '--columns', 'zeit=1'], says: 'one of time, open, high' },
])('data $args ends with one message that says how to go on', async ({ args, says }) => {
  const { exitCode, stdout, stderr } = await data(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(says);
});
