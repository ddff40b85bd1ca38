import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/execution/journal/journal-record.js';
import { recoverStates } from '../../src/execution/recovery/recovered-states.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import type { CrashPoints } from '../support/fakes/fake-process.js';

const STRATEGY = fileURLToPath(new URL('../fixtures/counting-trader.ts', import.meta.url));

const CONFIG = `
mode: sandbox
account: demo
venue:
  base_url: http://127.0.0.1:8787
  ws_url: ws://127.0.0.1:8787
  trade_currency: USDT
state_dir: /state
on_stop: keep
strategies:
  - id: counter
    use: ${STRATEGY}
    symbols: [BTCUSDT]
    size: { notional: '250' }
    protect: { stop_loss_pct: 20 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

const REAL_CLOCK = { clock: { kind: 'real' }, held: true } as const;
const WITHIN_MS = 3_600_000;

interface Counts {
  readonly candles: number;
  readonly decisions: number;
  readonly fills: number;
}

const isJournal = (path: string): boolean => path.endsWith('/journal.log');

function nth<A extends readonly unknown[]>(n: number, when: (...args: A) => boolean) {
  let count = 0;
  return (...args: A): boolean => when(...args) && ++count === n;
}

const CASES: readonly (readonly [string, (n: number) => CrashPoints])[] = [
  [
    'as an intent with its state is written',
    (n) => ({ atAppend: nth(n, (path, text) => isJournal(path) && text.includes('"kept"')) }),
  ],
  [
    'as a state by itself is written',
    (n) => ({
      atAppend: nth(n, (path, text) => isJournal(path) && text.includes('"type":"state"')),
    }),
  ],
  ['before a request leaves', (n) => ({ beforeRequest: nth(n, isPlace) })],
  ['when a request has left', (n) => ({ afterRequest: nth(n, isPlace) })],
  [
    'as the fill is written',
    (n) => ({
      atAppend: nth(n, (path, text) => isJournal(path) && text.includes('"type":"update"')),
    }),
  ],
];

function isPlace({ method, url }: { readonly method: string; readonly url: string }): boolean {
  return method === 'POST' && url.includes('/fapi/v2/futures/order');
}

/** What was kept with each decision that led to an order, in the order of the journal. */
const decided = (records: readonly JournalRecord[]): readonly number[] =>
  records.flatMap((record) =>
    record.type === 'intent' && record.kept !== undefined
      ? [(JSON.parse(record.kept.value) as Counts).decisions]
      : [],
  );

const persistedStatesIn = (records: readonly JournalRecord[]): Counts =>
  JSON.parse(recoverStates(records).get('counter')?.get('BTCUSDT')?.value ?? 'null') as Counts;

describe.each(CASES)('a strategy with state, killed %s', (_where, crashPoints) => {
  it.each([1, 2, 5])('goes on with no decision lost or doubled (occasion %i)', async (n) => {
    const world = new BotWorld({ config: CONFIG, sandbox: REAL_CLOCK });
    await world.startUntilCrash(crashPoints(n), WITHIN_MS);
    const before = await world.journal();
    const left = persistedStatesIn(before) as Counts | null;
    const bot = await world.start();
    await world.time.run(600_000);
    await world.stop(bot, 'keep');
    const records = await world.journal();
    const decisions = decided(records);
    expect(decisions, 'each once, none left out').toEqual(decisions.map((_, at) => at + 1));
    expect(decisions.length).toBeGreaterThan(decided(before).length);
    const { candles, fills } = persistedStatesIn(records);
    expect(persistedStatesIn(records).decisions).toBe(decisions.length);
    expect(candles).toBeGreaterThan(left?.candles ?? 0);
    expect(Math.floor(candles / 2)).toBe(decisions.length);
    const filled = world.ownOrders().filter(({ status }) => status === 'filled').length;
    expect(fills, 'a fill that was journaled was kept with it').toBeLessThanOrEqual(filled);
    expect(bot.engine.isReconciled).toBe(true);
  });
});
