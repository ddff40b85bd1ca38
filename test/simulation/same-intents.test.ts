import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configFromYaml } from '../../src/config/config.js';
import { loadStrategies } from '../../src/live/strategies/load-strategies.js';
import { strategyInstanceOf } from '../../src/live/strategies/strategy-instances.js';
import { textFromFixed } from '../../src/core/fixed/fixed.js';
import { decisionKey, type OrderIntent } from '../../src/core/intent.js';
import { backtestOrders, syntheticMarkets } from '../support/builders/backtest-orders.js';
import { BotWorld, START_MS } from '../support/rigs/bot-world.js';
import { isField } from '../support/builders/quirks.js';
import { replayOf } from '../support/rigs/replay-world.js';

const MINUTE = 60_000;
const SEED = 1;
/** Both have warmed up by then; before it nobody acts. */
const FROM = START_MS + 10 * MINUTE;
const UNTIL = START_MS + 70 * MINUTE;
/** What the last decision leads to fills at opens after it. */
const END = UNTIL + 5 * MINUTE;

const use = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));

const configOf = (strategy: string, symbols: string) => `
mode: sandbox
account: demo
venue:
  base_url: http://127.0.0.1:8787
  ws_url: ws://127.0.0.1:8787
  trade_currency: USDT
state_dir: /state
on_stop: keep
strategies:
  - id: same
    use: ${use(strategy)}
    symbols: [${symbols}]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 30 }
    params: { from: ${FROM} }
risk:
  preset: standard
  symbols_allow: [${symbols}]
`;

/** Everything of an order that its identity and its bytes are made of. */
const intentText = ({ cause, ordinal, leg, terms, referencePrice }: OrderIntent): string =>
  [
    decisionKey(cause, ordinal),
    leg,
    terms.symbol,
    terms.side,
    textFromFixed(terms.quantity),
    terms.reduceOnly ? 'reduces' : 'opens',
    terms.stopLoss === undefined ? '' : textFromFixed(terms.stopLoss),
    textFromFixed(referencePrice),
  ].join(' ');

async function sandboxIntents(config: string): Promise<readonly string[]> {
  const world = new BotWorld({
    config,
    sandbox: { clock: { kind: 'fast', factor: 60 }, held: true, seed: SEED },
    seed: SEED,
  });
  const bot = await world.start();
  bot.decideUntil(UNTIL);
  await world.time.run((UNTIL - START_MS) / 60 + 20_000);
  await world.stop(bot, 'keep');
  expect(bot.engine.haltReason).toBeUndefined();
  const journal = await world.journal();
  const refused = journal.filter((record) => record.type === 'verdict' && !record.ok);
  expect(refused).toEqual([]);
  const replayed = await replayOf(world);
  expect(replayed.identical, JSON.stringify(replayed.difference)).toBe(true);
  return journal.flatMap((record) => (record.type === 'intent' ? [intentText(record)] : []));
}

async function backtestIntents(yaml: string): Promise<readonly string[]> {
  const config = configFromYaml('/bot/config.yaml', new TextEncoder().encode(yaml));
  const [loaded] = await loadStrategies(config);
  if (loaded === undefined) throw new Error('there is a strategy');
  const range = { fromMs: START_MS - 60 * MINUTE, endMs: END };
  const markets = syntheticMarkets(SEED, loaded.config.symbols, range);
  const orders = backtestOrders(markets, strategyInstanceOf(loaded));
  return orders.filter(({ decidedAt }) => decidedAt <= UNTIL).map(intentText);
}

it.each([
  ['trend-rotation', 'BTCUSDT, ETHUSDT, SOLUSDT', 10],
  ['trend-filter-stream', 'BTCUSDT', 6],
])(
  '%s has the same intents in the sandbox, its replay and a backtest',
  async (strategy, symbols, least) => {
    const config = configOf(strategy, symbols);
    const live = await sandboxIntents(config);
    expect(live.length).toBeGreaterThanOrEqual(least);
    // Where reads lag, fills are learnt of late, and what is decided on the position comes later too.
    if (isField) return;
    expect([...(await backtestIntents(config))].sort()).toEqual([...live].sort());
  },
  240_000,
);
