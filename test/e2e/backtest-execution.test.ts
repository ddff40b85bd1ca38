import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
const at = (file: string): string => join(folder.path, file);
afterAll(() => {
  folder.remove();
});

const STRATEGY = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'holds',
  params: z.object({}),
  create: () => {
    let seen = 0;
    return {
      onCandle(context) {
        seen += 1;
        if (seen === 1) context.target(1);
      },
    };
  },
});
`;
const START = Date.UTC(2025, 0, 1) / 1_000;
/** Open, high, low and close. */
type Row = readonly [number, number, number, number];
const CALM: Row = [100, 100, 100, 100];
/** It rises from 100 to 130 in the second third of its minute, and stays there. */
const RISE: Row = [100, 130, 100, 130];
const AFTER: Row = [130, 130, 130, 130];

interface Result {
  readonly final_equity: string;
  readonly fees: string;
  readonly fills: number;
  readonly ambiguous_bars: number;
  readonly run_hash: string;
  readonly repeat: string;
  readonly fee_regime: Readonly<Record<string, string | null>>;
  readonly open_trades: readonly { readonly quantity: string; readonly entry_price: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

beforeAll(() => {
  writeFileSync(at('holds.mjs'), STRATEGY);
});

let runs = 0;

interface Run {
  readonly rows: readonly Row[];
  readonly entry?: string;
  readonly args?: readonly string[];
}

/** One unit is bought at the close of the first candle, with a taker fee of 0.059 % of 100 and no slippage. */
async function sluice({ rows, entry = 'market', args = [] }: Run) {
  runs += 1;
  const data = rows.map((row, index) => `${START + index * 60},${row.join(',')},100`);
  writeFileSync(at('tape.csv'), ['open_time,open,high,low,close,volume', ...data, ''].join('\n'));
  writeFileSync(
    at('run.yaml'),
    `strategies:\n  - { id: holds, use: ./holds.mjs, symbols: [TAPEUSDT], interval: 1m, size: { quantity: '1' }, entry: ${entry} }\n`,
  );
  return runSluice([
    ...['backtest', '--config', at('run.yaml'), '--symbol', 'TAPEUSDT', '--data', at('tape.csv')],
    ...['--cash', '100000', '--slippage', '0', '--funding', 'none', '--out', at(`run-${runs}`)],
    ...[...args, '--json'],
  ]);
}

async function backtest(run: Run): Promise<Result> {
  const { exitCode, stdout, stderr } = await sluice(run);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Result;
}

async function refusal(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await sluice({ rows: [CALM, CALM], args });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  return stderr;
}

const fillsOf = (): readonly (readonly string[])[] =>
  readFileSync(at(`run-${runs}/fills.csv`), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

describe('the latency of a backtest', () => {
  const rows = [CALM, RISE, AFTER, AFTER];
  const entryAfter = async (latency: string): Promise<string | undefined> => {
    const { open_trades: open } = await backtest({ rows, args: ['--latency', latency] });
    return open[0]?.entry_price;
  };

  it('an order fills at the price of its arrival on the path of the candle', async () => {
    expect(await entryAfter('0')).toBe('100');
    expect(await entryAfter('15000')).toBe('100');
    expect(await entryAfter('30000')).toBe('115');
    expect(await entryAfter('45000')).toBe('130');
    expect(await entryAfter('60000')).toBe('130');
  });

  it('a candle with an arrival leaves its result open, and 0 changes nothing', async () => {
    const late = await backtest({ rows, args: ['--latency', '30000'] });
    expect(late.ambiguous_bars).toBe(1);
    expect(late.inputs['latency_ms']).toBe(30_000);
    const [fill] = fillsOf();
    expect(fill?.[0]).toBe('2025-01-01T00:01:30.000Z');
    const [zero, absent] = [
      await backtest({ rows, args: ['--latency', '0'] }),
      await backtest({ rows }),
    ];
    expect(zero.run_hash).toBe(absent.run_hash);
    expect(absent.inputs).not.toHaveProperty('latency_ms');
  });

  it('a latency that is no whole number of ms up to a minute is refused', async () => {
    for (const latency of ['-1', '0.5', '60001', '1s'])
      expect(await refusal('--latency', latency)).toMatch(/a whole number from 0 to 60000/);
  });
});

describe('the share of the volume', () => {
  const rows = [CALM, CALM, CALM, CALM];
  /** Of 100 units a candle. */
  const half = ['--max-volume-share', '0.5'];

  it('a market order fills over as many candles as its share takes', async () => {
    const { open_trades: open, inputs } = await backtest({ rows, args: half });
    expect(open).toMatchObject([{ quantity: '1' }]);
    expect(inputs['max_volume_share_pct']).toBe('0.5');
    expect(fillsOf().map(([time, , , , quantity]) => [time, quantity])).toEqual([
      ['2025-01-01T00:01:00.000Z', '0.5'],
      ['2025-01-01T00:02:00.000Z', '0.5'],
    ]);
  });

  it('the rest of a limit order with a time to live is canceled at its end', async () => {
    const entry = '{ marketable_limit: { bps: 10, ttl_ms: 5000 } }';
    const { open_trades: open } = await backtest({ rows, entry, args: half });
    expect(open).toMatchObject([{ quantity: '0.5' }]);
    expect(fillsOf()).toHaveLength(1);
  });

  it('an order below the share fills whole', async () => {
    await backtest({ rows, args: ['--max-volume-share', '1'] });
    expect(fillsOf().map(([, , , , quantity]) => quantity)).toEqual(['1']);
  });

  it('a share that is no percentage is refused', async () => {
    for (const share of ['0', '-5', '101', 'half'])
      expect(await refusal('--max-volume-share', share)).toMatch(/a percentage above 0/);
  });
});

describe('the fees of a backtest', () => {
  const rows = [CALM, CALM, CALM];

  it('rebates give 40 % of each fee back, by name', async () => {
    const off = await backtest({ rows });
    expect(off).toMatchObject({ fees: '0.059', fee_regime: { rebates: 'off', rebate: '0' } });
    const on = await backtest({ rows, args: ['--rebates', 'on'] });
    expect(on).toMatchObject({
      fees: '0.0354',
      final_equity: '99999.9646',
      fee_regime: {
        name: 'taker 0.059 %, maker 0.023 %, GST included, rebates on',
        gst: null,
        rebate: '0.0236',
      },
    });
    expect(fillsOf()[0]?.[6]).toBe('0.0354');
  });

  it('fees of a run in INR name the GST inside them', async () => {
    const { fees, fee_regime: regime } = await backtest({ rows, args: ['--currency', 'INR'] });
    expect(fees).toBe('5.31');
    expect(regime).toMatchObject({ gst: '0.81', rebates: 'off' });
  });

  it('a fee of 5 and an unknown switch are refused', async () => {
    expect(await refusal('--taker-fee', '5')).toMatch(/0\.0005 for 5 basis points/);
    expect(await refusal('--taker-fee', '-0.1')).toMatch(/a rate from 0/);
    expect(await refusal('--rebates', 'yes')).toMatch(/one of on, off/);
  });
});

describe('a series of INR rates', () => {
  const rows = [CALM, CALM, [100, 110, 100, 110], [110, 110, 110, 110]] as const;
  const inr = ['--currency', 'INR', '--taker-fee', '0', '--inr-rate'];
  const series = (name: string, ...lines: readonly string[]): string => {
    writeFileSync(at(name), ['time,rate', ...lines, ''].join('\n'));
    return at(name);
  };

  it('a profit has the rate of its time', async () => {
    const constant = await backtest({ rows, args: [...inr, '80'] });
    expect(constant.final_equity).toBe('100800');
    const path = series('rising.csv', `${START},80`, `${START + 180},90`);
    const rising = await backtest({ rows, args: [...inr, path] });
    expect(rising.final_equity).toBe('100900');
    expect(rising.inputs).toMatchObject({ inr_rate: '80', inr_rates: 'file' });
    expect(rising.inputs['data']).toContainEqual(
      expect.objectContaining({ role: 'inr-rate', path }),
    );
  });

  it('the inverse rate, a late beginning, a broken row and a wallet in USDT are refused', async () => {
    const inverse = series('inverse.csv', `${START},0.0125`);
    expect(await refusal(...inr, inverse)).toMatch(/inverse\.csv:2: .*INR per USDT from 1 to 1000/);
    const late = series('late.csv', `${START + 60},80`);
    expect(await refusal(...inr, late)).toMatch(
      /no rate at 2025-01-01T00:00:00.000Z.*the first is/,
    );
    const broken = series('broken.csv', `${START},80`, `${START},81`);
    expect(await refusal(...inr, broken)).toMatch(/broken\.csv:3: the time is not after/);
    expect(await refusal(...inr, at('missing.csv'))).toMatch(/there is no such file/);
    expect(await refusal(...inr, '0.01')).toMatch(/INR per USDT from 1 to 1000/);
    expect(await refusal('--inr-rate', '80')).toMatch(/--inr-rate: .*add --currency INR/);
  });
});

describe('a run with every rule on', () => {
  it('its repeat command gives the same hash', async () => {
    writeFileSync(at('rates.csv'), `time,rate\n${START},80\n${START + 120},82.5\n`);
    const first = await backtest({
      rows: [CALM, RISE, AFTER, AFTER, CALM],
      args: [
        ...['--latency', '20000', '--max-volume-share', '0.7', '--rebates', 'on'],
        ...['--currency', 'INR', '--inr-rate', at('rates.csv')],
      ],
    });
    const words = first.repeat.split(' ').slice(2);
    const again = await runSluice([...words, '--out', at('again'), '--json']);
    expect(again.exitCode, again.stderr).toBe(0);
    expect((JSON.parse(again.stdout) as Result).run_hash).toBe(first.run_hash);
  });
});
