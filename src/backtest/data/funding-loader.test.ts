import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { fundingEventsOf, fundingTermsOf } from './funding-rates.js';
import { parseFundingCsv, readFunding } from './funding-loader.js';

const HOUR = 3_600_000;
const DAY = Date.UTC(2025, 4, 5);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = (hour: number): number => (DAY + hour * HOUR) / 1_000;

describe('a file of settled rates', () => {
  it('rates are read by column name, in seconds or milliseconds, plain or gzip', () => {
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
  ])('invalid rates are refused: %j', (text, message) => {
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

  it('a constant rate applies to all settlements of the range', async () => {
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

  it('the files of a symbol give its settlements within the range, each once', async () => {
    const { rates, warnings } = await readFunding(
      { kind: 'file', path: '/data' },
      [range],
      await folder(),
    );
    expect(rates['BTCUSDT']?.map(({ rate }) => rate)).toEqual([0.0001, 0.0002, 0.0003, 0.0004]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['0.01', '--funding: at half of the settlements the rate is 1 % of the position or more'],
    ['0.0019', undefined],
  ])('the constant rate %s is doubted where it may be per cent', async (rate, warning) => {
    const { warnings } = await readFunding({ kind: 'rate', rate }, [range, range], await folder());
    expect(warnings).toEqual(
      warning === undefined ? [] : [expect.stringContaining(warning) as string],
    );
  });

  it.each(['2025-05-01T00:00:00Z', '2025-05-01', '1746057600', '1746057600000'])(
    'the time %s of a rate is parsed',
    (time) => {
      const file = new TextEncoder().encode(`time,rate\n${time},0.0001\n`);
      expect(parseFundingCsv(file, 'f.csv')).toEqual([
        { time: Date.UTC(2025, 4, 1), rate: 0.0001 },
      ]);
    },
  );

  it('gaps in the rates are reported', async () => {
    const file = { kind: 'file', path: '/data/btcusdt-funding-2025-05.csv' } as const;
    const { warnings } = await readFunding(file, [range], await folder());
    expect(warnings).toEqual([
      '/data/btcusdt-funding-2025-05.csv: no funding of BTCUSDT for 16 hours in a row; none is charged then',
    ]);
  });

  it.each([
    ['/data', 'ETHUSDT', '/data: no funding of ETHUSDT; files are named like ethusdt-funding-2025'],
    [
      '/data/btcusdt-funding-2025-05.csv',
      'ETHUSDT',
      'one file has the rates of one symbol, and the run has 2',
    ],
    ['/nowhere.csv', 'BTCUSDT', '/nowhere.csv: '],
  ])('the path %s is refused for %s', async (path, symbol, message) => {
    const ranges = [range, { ...range, symbol }];
    await expect(readFunding({ kind: 'file', path }, ranges, await folder())).rejects.toThrow(
      message,
    );
  });

  it('each rate is charged at its settlement and passed on then as an estimate of the next', () => {
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
    expect(fundingEventsOf(rates).map(({ event }) => event)).toMatchObject([
      { rate: 0.0001, nextSettlementMs: DAY + 8 * HOUR },
      { rate: 0.0002, nextSettlementMs: DAY + 16 * HOUR },
      { symbol: 'ETHUSDT', nextSettlementMs: DAY + 12 * HOUR },
    ]);
  });
});
