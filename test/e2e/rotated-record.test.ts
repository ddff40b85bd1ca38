import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_MS, BotWorld } from '../support/rigs/bot-world.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { stateOnDisk } from '../support/builders/state-on-disk.js';

const CONFIG = demoConfig()
  .replace('use: sma-cross', `use: ${resolve('test/fixtures/flip-flop.ts')}`)
  .replace('params: { fast: 3, slow: 8 }', 'params: { every: 5 }');

const folder = temporaryFolder();
/** The same two runs of one bot: with a record of one file per run, and of many. */
const states = { whole: '', parts: '' };
let intents: readonly { readonly clientOrderId: string }[] = [];

beforeAll(async () => {
  for (const name of ['whole', 'parts'] as const) {
    const sandbox = { clock: { kind: 'fast', factor: 60 }, held: true } as const;
    const recordPartBytes = name === 'parts' ? 30_000 : 1_000_000_000;
    const world = new BotWorld({ config: CONFIG, sandbox, recordPartBytes });
    for (let run = 1; run <= 2; run += 1) {
      const bot = await world.start();
      await world.time.run(40_000);
      await world.stop(bot);
    }
    states[name] = await stateOnDisk(world, join(folder.path, name));
    intents = (await world.journal()).filter((record) => record.type === 'intent');
  }
}, 120_000);
afterAll(() => {
  folder.remove();
});

const recordOf = (state: string): readonly string[] => readdirSync(join(state, 'record'));
const bytesOf = (state: string): number =>
  recordOf(state)
    .filter((name) => !name.endsWith('.head'))
    .reduce((sum, name) => sum + statSync(join(state, 'record', name)).size, 0);

async function answered(command: string, ...words: readonly string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await runSluice([command, ...words, '--json']);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout.replaceAll(words.at(-1) ?? '', 'STATE'));
}

const time = (minutes: number): string =>
  new Date(START_MS + minutes * 60_000).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');

describe('a record in many compressed files', () => {
  it('the record is many times smaller, and its last file per run is the growing one', () => {
    const closed = recordOf(states.parts).filter((name) => name.endsWith('.jsonl.gz'));
    expect(closed.length).toBeGreaterThan(6);
    expect(bytesOf(states.whole) / bytesOf(states.parts)).toBeGreaterThan(2.5);
  });

  it('the record replays as the single file does', async () => {
    const replayed = await answered('replay', states.parts);
    expect(replayed).toEqual(await answered('replay', states.whole));
    expect(replayed).toMatchObject({ identical: true, sessions: [{}, {}] });
    expect(replayed).not.toHaveProperty('since_session');
  });

  it('why answers for every order and for candles as with the single file', async () => {
    expect(intents.length).toBeGreaterThan(10);
    for (const { clientOrderId: id } of intents) {
      expect(await answered('why', id, states.parts)).toEqual(
        await answered('why', id, states.whole),
      );
    }
    for (const minutes of [6, 21, 55]) {
      const candle = ['why', 'BTCUSDT', time(minutes)];
      const [parts, whole] = [states.parts, states.whole].map((state) => [...candle, state]);
      expect(await answered(...(parts as [string]))).toEqual(
        await answered(...(whole as [string])),
      );
    }
  });
});

describe('a record whose old sessions are deleted', () => {
  it('the first available time is shown, and the rest replays', async () => {
    const state = join(folder.path, 'aged');
    cpSync(states.parts, state, { recursive: true });
    for (const name of recordOf(state).filter((each) => each.startsWith('000001'))) {
      rmSync(join(state, 'record', name));
    }
    expect(await answered('replay', state)).toMatchObject({
      identical: true,
      since_session: '000002',
      sessions: [{ session: '000002' }],
    });
    const replay = await runSluice(['replay', state]);
    expect(replay.stdout).toContain('sessions before 000002 were deleted (record.keep_days)');
    const candle = await runSluice(['why', 'BTCUSDT', time(6), state]);
    expect(candle.stdout).toMatch(/the record begins at 2025-05-05.*: older sessions/);
    const order = await runSluice(['why', intents[0]?.clientOrderId ?? '', state]);
    expect(order.stdout).toMatch(
      /not in the record, which begins at 2025-05-05 .*: older sessions/,
    );
  });
});
