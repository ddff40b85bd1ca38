import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../test/harness/memory-files.js';
import { parseFundingCsv } from './funding-csv.js';
import { fundingNewsOf, fundingTermsOf } from './funding-rates.js';
import { readFunding } from './funding-source.js';

const HOUR = 3_600_000;
const DAY = Date.UTC(2025, 4, 5);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = (hour: number): number => (DAY + hour * HOUR) / 1_000;

describe('settled rates in a file', () => {
  it('are read by the names of their columns, in seconds or milliseconds, plain or gzip', () => {
    const text = `rate,mark,time\n0.0001,1,${at(0)}\n-0.00025,1,${at(8)}\n`;
    const rates = [
      { time: DAY, rate: 0.0001 },
      { time: DAY + 8 * HOUR, rate: -0.00025 },
    ];
    expect(parseFundingCsv(bytesOf(text), 'f.csv')).toEqual(rates);
    expect(parseFundingCsv(gzipSync(text), 'f.csv.gz')).toEqual(rates);
    expect(parseFundingCsv(bytesOf(`time,rate\r\n${DAY},1e-5\r\n`), 'f.csv')).toEqual([
      { time: DAY, rate: 0.00001 },
    ]);
  });

  it.each([
    ['stamp,rate\n1,0', 'f.csv:1: the header must name time and rate, not stamp,rate'],
    ['time,rate\n1,0\n1,0', 'f.csv:3: the time is not after that of the row before'],
    ['time,rate\n1,12', 'f.csv:2: the rate 12 is no fraction of a position'],
    ['time,rate\n1,', 'f.csv:2: rate is "", not a number'],
    ['time,rate\nsoon,0', 'f.csv:2: time is "soon", not a number'],
  ])('are refused where they are unsound: %j', (text, message) => {
    expect(() => parseFundingCsv(bytesOf(text), 'f.csv')).toThrow(message);
  });
});

describe('the funding of a run', () => {
  const range = { symbol: 'BTCUSDT', fromMs: DAY, toMs: DAY + 24 * HOUR };
  const folder = async (): Promise<MemoryFiles> => {
    const files = new MemoryFiles();
    await files.replace(
      '/data/btcusdt-funding-2025-05.csv',
      bytesOf(`time,rate\n${at(-8)},0.5\n${at(0)},0.0001\n${at(8)},0.0002\n`),
    );
    await files.replace(
      '/data/btcusdt-funding-2025-06.csv',
      bytesOf(`time,rate\n${at(8)},0.0002\n${at(16)},0.0003\n${at(24)},0.0004\n`),
    );
    return files;
  };

  it('is one rate for all settlements of the range', async () => {
    const { rates, warnings } = await readFunding(
      { kind: 'rate', rate: '-0.0001' },
      [{ ...range, fromMs: DAY + 1 }],
      new MemoryFiles(),
    );
    expect(rates['BTCUSDT']).toEqual(
      [8, 16, 24].map((hour) => ({ time: DAY + hour * HOUR, rate: -0.0001 })),
    );
    expect(warnings).toEqual([]);
  });

  it('is what the files of the symbol settle within the range, each time once', async () => {
    const { rates, warnings } = await readFunding(
      { kind: 'file', path: '/data' },
      [range],
      await folder(),
    );
    expect(rates['BTCUSDT']?.map(({ rate }) => rate)).toEqual([0.0001, 0.0002, 0.0003, 0.0004]);
    expect(warnings).toEqual([]);
  });

  it('says where nothing is known', async () => {
    const file = { kind: 'file', path: '/data/btcusdt-funding-2025-05.csv' } as const;
    const { warnings } = await readFunding(file, [range], await folder());
    expect(warnings).toEqual([
      '/data/btcusdt-funding-2025-05.csv: for 16 hours in a row there is no funding of BTCUSDT: none is exchanged then',
    ]);
  });

  it.each([
    ['/data', 'ETHUSDT', '/data: no funding of ETHUSDT; files are named like ethusdt-funding-2025'],
    ['/data/btcusdt-funding-2025-05.csv', 'ETHUSDT', 'rates of one symbol, and there are 2'],
    ['/nowhere.csv', 'BTCUSDT', '/nowhere.csv: '],
  ])('refuses %s for %s', async (path, symbol, message) => {
    const ranges = [range, { ...range, symbol }];
    await expect(readFunding({ kind: 'file', path }, ranges, await folder())).rejects.toThrow(
      message,
    );
  });

  it('is exchanged at the rate of its moment, and told then as a guess of the next', () => {
    const rates = {
      BTCUSDT: [
        { time: DAY, rate: 0.0001 },
        { time: DAY + 8 * HOUR, rate: 0.0002 },
      ],
      ETHUSDT: [{ time: DAY + 4 * HOUR, rate: -0.0001 }],
    };
    const { intervalMs, rate } = fundingTermsOf(rates);
    expect(intervalMs).toBe(4 * HOUR);
    expect([rate('BTCUSDT', DAY + 8 * HOUR), rate('ETHUSDT', DAY)]).toEqual([20_000, 0]);
    expect(fundingNewsOf(rates).map(({ event }) => event)).toMatchObject([
      { rate: 0.0001, nextSettlementMs: DAY + 8 * HOUR },
      { rate: 0.0002, nextSettlementMs: DAY + 16 * HOUR },
      { symbol: 'ETHUSDT', nextSettlementMs: DAY + 12 * HOUR },
    ]);
  });
});
