import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { crossing, simulateSimply } from '../support/reference/simple-simulator.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const DATA = join(process.env['SLUICE_SHARED'] ?? '../shared', 'data');
const HOUR = 3_600;

const rowsOf = (file: string): readonly (readonly number[])[] =>
  gunzipSync(readFileSync(join(DATA, file)))
    .toString()
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number));

test.skipIf(!existsSync(DATA)).each([
  ['btcusdt', 'btcusdt-1h-2019-09_2026-05.csv.gz', 'btcusdt-funding-2019-09_2026-05.csv.gz', 0.01],
  ['ethusdt', 'ethusdt-1h-2019-11_2026-05.csv.gz', 'ethusdt-funding-2019-11_2026-05.csv.gz', 0.1],
] as const)(
  'a simple simulator of market orders agrees with the engine on years of %s to 1e-9 (needs SLUICE_SHARED)',
  async (name, candleFile, fundingFile, quantity) => {
    const folder = temporaryFolder();
    const symbol = name.toUpperCase();
    const { exitCode, stdout, stderr } = await runSluice([
      ...['backtest', '--json', '--no-report', '--no-bounds', '--out', join(folder.path, 'run')],
      ...['--strategy', 'sma-cross', '--symbol', symbol, '--data', join(DATA, candleFile)],
      ...['--from', '2020-01-01', '--to', '2026-01-01', '--funding', join(DATA, fundingFile)],
      ...['--size', `quantity=${quantity}`, '--cash', '1000000', '--taker-fee', '0.0005'],
      ...['--slippage', '2'],
    ]);
    folder.remove();
    expect(exitCode, stderr).toBe(0);
    const result = JSON.parse(stdout) as Record<string, string>;
    const [from, to] = [Date.UTC(2020, 0, 1) / 1_000, Date.UTC(2026, 0, 1) / 1_000];
    const simple = simulateSimply({
      candles: rowsOf(candleFile)
        .map(([time = 0, open = 0, , , close = 0]) => ({ time, open, close }))
        .filter(({ time }) => time >= from && time < to),
      step: HOUR,
      funding: new Map(
        rowsOf(fundingFile).map(([time = 0, rate = 0]) => [Math.round(time / 60) * 60, rate]),
      ),
      cash: 1_000_000,
      quantity,
      takerFee: 0.0005,
      slippage: 0.0002,
      target: crossing(10, 50),
    });
    expect(Number(result['fills'])).toBe(simple.fills);
    /** Payments of funding cancel out: their difference counts by all that was moved. */
    const isClose = (key: string, value: number, scale = value): boolean =>
      Math.abs(Number(result[key]) - value) < 1e-9 * Math.abs(scale);
    expect({
      final_equity: isClose('final_equity', simple.equity),
      fees: isClose('fees', simple.fees),
      funding: isClose('funding', simple.funding, simple.moved),
    }).toEqual({ final_equity: true, fees: true, funding: true });
  },
  120_000,
);
