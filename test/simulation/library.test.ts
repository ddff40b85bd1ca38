import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { summarise } from '../../src/live/summary/run-summary.js';
import type { Bot } from '../../src/live/bot/bot.js';
import { checkStrategy } from '../../src/tools/check/strategy-check.js';
import { STANDARD_LISTINGS, type SandboxListing } from '../../src/market/synthetic/listings.js';
import { createSyntheticMarket } from '../../src/market/synthetic/synthetic-market.js';
import { loadStrategy } from '../../src/strategy/loader/loader.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { isField } from '../support/builders/quirks.js';
import { replayOf } from '../support/rigs/replay-world.js';

const FOLDER = fileURLToPath(new URL('../../strategies/', import.meta.url));

/** A symbol belongs to one strategy, and there are more wishes than standard listings. */
const MORE = ['DOTUSDT', 'TRXUSDT', 'NEARUSDT', 'ATOMUSDT', 'UNIUSDT', 'APTUSDT'];
const LISTINGS: readonly SandboxListing[] = [
  ...STANDARD_LISTINGS,
  ...STANDARD_LISTINGS.slice(2, 2 + MORE.length).map((listing, index) => {
    const symbol = MORE[index] ?? '';
    const baseAsset = symbol.replace(/USDT$/, '');
    const assetId = `${listing.instrument.assetId.slice(0, -1)}${'abcdef'.charAt(index)}`;
    const instrument = { ...listing.instrument, symbol, baseAsset, assetId };
    return { ...listing, name: baseAsset, popularity: 11 + index, instrument };
  }),
];

/** Each with parameters that are quick enough for two hours, and how many symbols it is given. */
const LIBRARY: Readonly<Record<string, readonly [symbols: number, params: string]>> = {
  'sma-cross': [1, '{ fast: 3, slow: 8 }'],
  'donchian-breakout': [1, '{ entry: 10, exit: 5 }'],
  'bollinger-reversion': [1, '{ length: 10, deviations: 1.5 }'],
  'volatility-target': [1, '{ lookback: 20, yearlyPct: 0.5, band: 0.1 }'],
  'trend-pullback': [1, '{ trend: 2, length: 3 }'],
  'momentum-rotation': [3, '{ lookback: 10, everyMinutes: 10 }'],
  'pairs-spread': [2, '{ lookback: 20, entry: 1.5 }'],
  grid: [1, '{ stepPct: 0.1, levels: 4, equityPct: 4 }'],
  'dollar-cost': [1, '{ amount: 60, everyMinutes: 15, cap: 250 }'],
  'funding-tilt': [2, '{ minSpread: 0, everyMinutes: 10 }'],
  'opening-range': [1, '{ range: 10, leaveAfter: 100 }'],
  'stream-momentum': [1, '{ lookback: 10, enterPct: 0.05 }'],
};

const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => name.replace(/\.ts$/, ''));

const symbolsOf = new Map<string, readonly string[]>();
let given = 0;
for (const [name, [count]] of Object.entries(LIBRARY)) {
  symbolsOf.set(
    name,
    LISTINGS.slice(given, given + count).map(({ instrument }) => instrument.symbol),
  );
  given += count;
}
const SYMBOLS = [...symbolsOf.values()].flat();

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
${Object.entries(LIBRARY)
  .map(
    ([name, [, params]]) => `  - id: ${name}
    use: ${FOLDER}${name}.ts
    symbols: [${symbolsOf.get(name)?.join(', ') ?? ''}]
    interval: 1m
    leverage: 2
    size: { notional: '100' }
    protect: { stop_loss_pct: 5 }
    params: ${params}`,
  )
  .join('\n')}
risk:
  preset: standard
  symbols_allow: [${SYMBOLS.join(', ')}]
`;

const PLACE = 'POST /fapi/v2/futures/order';
const FAULTS = [
  { on: PLACE, fault: 'resp_lost', probability: 0.1 },
  { on: PLACE, fault: '500_after', probability: 0.1 },
  { on: PLACE, fault: '423(2)', probability: 0.05 },
  { on: PLACE, fault: '429(3)', probability: 0.05 },
] as const;

const TWO_HOURS_MS = 2 * 3_600_000;

it('names every strategy that there is, and gives each symbols of its own', () => {
  expect(Object.keys(LIBRARY).sort()).toEqual([...NAMES].sort());
  expect(SYMBOLS).toHaveLength(16);
  expect(new Set(SYMBOLS).size).toBe(16);
});

it.each(NAMES)(
  '%s is short, described in the README, and passes check',
  async (name) => {
    const file = `${FOLDER}${name}.ts`;
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(120);
    const readme = readFileSync(`${FOLDER}README.md`, 'utf8');
    expect(readme).toContain(`## ${name}\n`);
    expect(readme).toContain(`[${name}](#${name})`);
    const definition = await loadStrategy(file, { configDir: '.' });
    const readsAllSymbols = 'intents' in definition || definition.scope === 'all';
    const symbols = readsAllSymbols ? ['BTCUSDT', 'ETHUSDT'] : ['BTCUSDT'];
    const { findings } = checkStrategy({ definition, file, params: {}, symbols, interval: '1m' });
    expect(findings).toEqual([]);
  },
  120_000,
);

it('all together run two venue hours in one sandbox while answers are lost', async () => {
  const market = createSyntheticMarket(1, LISTINGS);
  const world = new BotWorld({
    config: CONFIG,
    sandbox: { clock: { kind: 'real' }, held: true, replay: { market, listings: LISTINGS } },
    faults: FAULTS,
  });
  const bot = await world.start();
  await world.time.run(TWO_HOURS_MS);
  await world.setFaults([]);
  await world.time.run(60_000);
  // An order may fill between the last poll and the stop. With prices held, the bot must know every fill.
  await world.holdPrices(SYMBOLS);
  await world.time.run(10_000);
  for (const { state, counts } of bot.engine.hosts)
    expect([state, counts.errors]).toEqual(['running', 0]);
  await world.stop(bot, 'keep');
  await checkInvariants(world, bot);
  expect((await replayOf(world)).identical).toBe(true);
}, 600_000);

async function checkInvariants(world: BotWorld, bot: Bot): Promise<void> {
  expect(bot.engine.haltReason).toBeUndefined();
  expect(summarise(bot.engine, 0, '')).toMatchObject({ unknown: 0, reconciled: true });
  const ids = world.ownOrders().map(({ clientOrderId }) => clientOrderId);
  expect(new Set(ids).size, 'no duplicate').toBe(ids.length);
  for (const order of world.ownOrders()) {
    const ours = bot.engine.ledger.known(order.clientOrderId ?? '');
    // What rests has a name of its own at the venue.
    const state = order.status === 'created' ? 'accepted' : order.status;
    expect(ours?.state).toBe(state);
    // An order that ended long ago leaves its end alone; the positions below have its fills.
    if (ours !== undefined && 'filledQuantity' in ours)
      expect(ours.filledQuantity).toBe(order.filledQuantity);
  }
  for (const symbol of SYMBOLS) {
    expect(bot.engine.positions.quantity(symbol, 'USDT'), symbol).toBe(world.venuePosition(symbol));
  }
  // A strategy that never traded has shown nothing.
  const traded = new Set(world.ownOrders().map(({ symbol }) => symbol));
  const idle = [...symbolsOf].filter(([, own]) => !own.some((symbol) => traded.has(symbol)));
  // With the quirks of the field a rate of every symbol has not come by then, and the tilt waits for it.
  expect(idle.map(([name]) => name).filter((name) => !isField || name !== 'funding-tilt')).toEqual(
    [],
  );
  const outcomes = (await world.journal()).flatMap((record) =>
    record.type === 'outcome' ? [`${record.outcome} ${record.status ?? 'no answer'}`] : [],
  );
  // Faults that never strike prove nothing.
  for (const applied of ['unknown no answer', 'unknown 500', 'no 423', 'no 429'])
    expect(outcomes).toContain(applied);
}
