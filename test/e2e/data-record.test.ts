import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Io } from '../../src/cli/command-io.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'];
const MINUTE_MS = 60_000;
const WAIT = { timeout: 30_000, interval: 50 };
/** Long from the first candle on. */
const LONG = `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'long',
  params: z.object({}),
  create: () => ({ onCandle: (context) => context.target(1) }),
});
`;

type Event = Readonly<Record<string, unknown>>;
const eventsOf = (text: string): readonly Event[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event);
const countOf = (text: string, name: string): number =>
  eventsOf(text).filter(({ event }) => event === name).length;

const folder = temporaryFolder();
const catalog = join(folder.path, 'catalog');
const secret = join(folder.path, 'secret');
let venue: ServedSandbox;
let base: readonly string[];
beforeAll(async () => {
  const startMs = Date.UTC(2025, 4, 5, 7, 55);
  venue = await serveSandbox({ clock: { kind: 'manual' }, startMs, limits: false });
  writeFileSync(secret, venue.sandbox.secret, { mode: 0o600 });
  writeFileSync(join(folder.path, 'long.mjs'), LONG);
  base = ['data', 'record', '--base-url', venue.server.baseUrl, '--symbol', SYMBOLS.join(',')];
});
afterAll(async () => {
  await venue.close();
  folder.remove();
});

/** A recorder in this process. */
function start(args: readonly string[]) {
  let stdout = '';
  let press: (signal: 'SIGINT') => void = () => undefined;
  const io: Partial<Io> = {
    stdout: (text) => void (stdout += text),
    onSignal: (listener) => {
      press = listener;
      return () => undefined;
    },
  };
  const ended = runSluice(args, io);
  return {
    ended,
    press: () => {
      press('SIGINT');
    },
    text: () => stdout,
  };
}

describe('sluice data record', () => {
  test('a rate read before kill -9 is recorded at its settlement by the next recorder', async () => {
    const args = [...base, '--secret-file', secret, '--catalog', catalog, '--every', '2s'];
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json']);
    let [killed, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (killed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const gone = new Promise((resolve) => child.on('close', resolve));
    await vi.waitFor(() => {
      expect(countOf(killed, 'rate'), errors).toBeGreaterThanOrEqual(2);
      expect(countOf(killed, 'candles'), errors).toBe(2);
    }, WAIT);
    child.kill('SIGKILL');
    await gone;
    expect(countOf(killed, 'settlement')).toBe(0);

    for (let minute = 0; minute < 8; minute += 1) venue.sandbox.advance(MINUTE_MS);
    const next = start([...args, '--json']);
    await vi.waitFor(() => {
      expect(countOf(next.text(), 'settlement')).toBe(2);
    }, WAIT);
    const other = await runSluice(args);
    expect([other.exitCode, other.stderr]).toEqual([
      3,
      expect.stringContaining('another recorder writes this catalogue'),
    ]);
    await vi.waitFor(() => {
      expect(countOf(next.text(), 'candles')).toBe(2);
      expect(countOf(next.text(), 'rate')).toBeGreaterThanOrEqual(2);
    }, WAIT);
    next.press();
    const { exitCode, stderr } = await next.ended;
    expect(exitCode, stderr + next.text()).toBe(0);
    expect(eventsOf(next.text()).at(-1)).toMatchObject({
      event: 'ended',
      settlements: 2,
      missed: 0,
      failures: [],
    });
    const settled = eventsOf(next.text()).filter(({ event }) => event === 'settlement');
    for (const { symbol, settlement, rate } of settled) {
      expect(settlement).toBe('2025-05-05T08:00:00.000Z');
      const read = eventsOf(killed).find((each) => each['symbol'] === symbol);
      expect(rate).toBe(read?.['rate']);
    }
  }, 90_000);

  test('the catalogue is whole, and a backtest pays the recorded funding', async () => {
    const verified = await runSluice(['data', 'verify', '--catalog', catalog]);
    expect(verified.exitCode, verified.stdout).toBe(0);
    const { exitCode, stdout, stderr } = await runSluice([
      ...['backtest', '--strategy', join(folder.path, 'long.mjs'), '--symbol', 'BTCUSDT'],
      ...['--interval', '1m', '--catalog', catalog, '--json', '--no-report', '--allow-gaps'],
      ...['--out', join(folder.path, 'run')],
    ]);
    expect(exitCode, stderr).toBe(0);
    expect(Number((JSON.parse(stdout) as { funding: string }).funding)).not.toBe(0);
  });

  test('a settlement whose rate was read hours before it stays a gap', async () => {
    for (let hour = 0; hour < 16; hour += 1) venue.sandbox.advance(60 * MINUTE_MS);
    const late = start([
      ...[...base, '--secret-file', secret, '--catalog', catalog, '--kind', 'funding'],
      '--json',
    ]);
    await vi.waitFor(() => {
      expect(countOf(late.text(), 'missed')).toBe(2);
    }, WAIT);
    late.press();
    expect((await late.ended).exitCode).toBe(0);
    expect(countOf(late.text(), 'settlement')).toBe(0);
  }, 60_000);

  test('without a key candles are recorded, and the part that needs one is named', async () => {
    const own = join(folder.path, 'public');
    const { exitCode, stderr, stdout } = await runSluice([
      ...[...base, '--catalog', own, '--for', '3s'],
    ]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^[1-9]\d* candles/)]);
    expect(stderr).toContain('no funding rates are recorded: the venue names them to a key alone');
    const none = await runSluice([...base, '--catalog', own, '--kind', 'funding']);
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('funding rates need a key'),
    ]);
  });

  test('a catalogue at its bound ends the recorder, with the options that mend it', async () => {
    const [full, csv] = [join(folder.path, 'full'), join(folder.path, 'SOLUSDT-1m.csv')];
    const rows = Array.from(
      { length: 30_000 },
      (_, row) => `${Date.UTC(2025, 0, 1) + row * MINUTE_MS},1,2,1,2,5`,
    );
    writeFileSync(csv, ['open_time,open,high,low,close,volume', ...rows, ''].join('\n'));
    const imported = await runSluice(['data', 'import', csv, '--catalog', full]);
    expect(imported.exitCode, imported.stderr).toBe(0);
    const bound = ['--kind', 'klines', '--max-mb', '1'];
    const { exitCode, stderr } = await runSluice([...base, '--catalog', full, ...bound]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--max-mb is 1: raise it')]);
  });

  test('a refused key ends the recorder at its start', async () => {
    const wrong = join(folder.path, 'wrong');
    writeFileSync(wrong, 'not-the-secret', { mode: 0o600 });
    const refused = await runSluice([
      ...[...base, '--secret-file', wrong, '--catalog', join(folder.path, 'refused')],
      ...['--kind', 'funding'],
    ]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('the venue refuses the key'),
    ]);
  });
});
