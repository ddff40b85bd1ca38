import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';
import { isField } from '../support/builders/quirks.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
let venue: ServedSandbox;
beforeAll(async () => {
  venue = await serveSandbox();
});
afterAll(async () => {
  await venue.close();
  folder.remove();
});

const SYMBOLS = ['BTCUSDT', 'ETHUSDT'];

async function download(catalog: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runSluice([
    ...['data', 'download', '--base-url', `http://127.0.0.1:${venue.server.port}`, '--json'],
    ...['--catalog', join(folder.path, catalog), ...args],
  ]);
  const result = stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>);
  return { exitCode, stderr, result };
}

const arrow = (catalog: string, symbol: string): Buffer =>
  readFileSync(join(folder.path, catalog, 'klines', `${symbol}-1m.arrow`));

describe('sluice data download', () => {
  test('a download fills the range, and a resumed one gives the same bytes', async () => {
    const range = ['--symbol', SYMBOLS.join(','), '--from', '2025-04-29', '--to', '2025-05-03'];
    const whole = await download('whole', ...range);
    expect(whole.stderr).toBe('');
    // The venue of the field leaves out minutes without a trade.
    const rows = isField ? (expect.any(Number) as number) : 2 * 4 * 1_440;
    expect(whole.result).toMatchObject({ rows, calls: 4, rate_limited: 0 });
    const part = ['--symbol', 'ETHUSDT', '--from', '2025-04-30T06:30', '--to', '2025-05-01'];
    await download('parts', ...part);
    const rest = await download('parts', ...range);
    expect(rest.exitCode).toBe(0);
    for (const symbol of SYMBOLS) expect(arrow('parts', symbol)).toEqual(arrow('whole', symbol));
    const again = await download('parts', ...range);
    expect(again.result).toMatchObject({ rows: 0, calls: 0, complete: true });
  }, 180_000);

  test('a downloaded range runs in a backtest', async () => {
    const { exitCode, stdout } = await runSluice([
      ...['backtest', '--symbol', 'BTCUSDT', '--interval', '5m', '--json', '--no-report'],
      ...['--catalog', join(folder.path, 'whole'), '--out', join(folder.path, 'run')],
    ]);
    expect(exitCode).toBe(0);
    const bars = isField ? (expect.any(Number) as number) : 4 * 1_440;
    expect(JSON.parse(stdout)).toMatchObject({ bars });
  }, 180_000);

  test('a symbol that the venue does not list is named, and gets no file', async () => {
    const range = ['--symbol', 'BTCUSDT,NOPEUSDT', '--from', '2025-05-01', '--to', '2025-05-02'];
    const { exitCode, stderr, result } = await download('typo', ...range);
    expect([exitCode, result?.['empty']]).toEqual([1, ['NOPEUSDT']]);
    expect(stderr).toContain('the venue has no candles of NOPEUSDT in this range');
    const listed = await runSluice(['data', 'list', '--catalog', join(folder.path, 'typo')]);
    expect(listed.stdout).not.toContain('NOPEUSDT');
  });

  test('an empty range is refused with its two ends', async () => {
    const range = ['--symbol', 'BTCUSDT', '--from', '2025-05-02', '--to', '2025-05-02'];
    const empty = await download('none', ...range);
    expect([empty.exitCode, empty.stderr]).toEqual([
      2,
      expect.stringContaining('no closed candle of 1m lies between --from 2025-05-02'),
    ]);
  });

  test('a venue that is down is waited for, and Ctrl-C ends the wait', async () => {
    let interrupt: (signal: 'SIGINT') => void = () => undefined;
    let stderr = '';
    const { exitCode } = await runSluice(
      [
        ...['data', 'download', '--base-url', 'http://127.0.0.1:1', '--symbol', 'BTCUSDT'],
        ...['--from', '2025-05-01', '--to', '2025-05-02', '--catalog', join(folder.path, 'down')],
      ],
      {
        onSignal: (listener) => {
          interrupt = listener;
          return () => undefined;
        },
        stderr: (text) => {
          stderr += text;
          if (text.includes('does not answer')) interrupt('SIGINT');
        },
      },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the venue does not answer');
    expect(stderr).toContain('stopped after 0 of 1 call; what arrived is in the catalogue');
  });
});
