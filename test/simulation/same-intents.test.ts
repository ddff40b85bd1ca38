import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configFromYaml } from '../../src/app/config.js';
import { loadStrategies } from '../../src/app/load-strategies.js';
import { seatOf } from '../../src/app/seats.js';
import { runBacktest } from '../../src/backtest/run.js';
import { fixed, fixedFromText, textFromFixed, type Amount } from '../../src/core/fixed.js';
import { decisionKey, type OrderIntent } from '../../src/core/intent.js';
import { CandleColumns } from '../../src/market/candle-columns.js';
import { createGate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits.js';
import { STANDARD_LISTINGS } from '../../src/sandbox/listings.js';
import { candlesOf } from '../../src/sandbox/market.js';
import { createSyntheticMarket } from '../../src/sandbox/synthetic-market.js';
import type { StrategyWorld } from '../../src/strategy/world.js';
import { BotWorld, START_MS } from '../harness/bot-world.js';
import { isField } from '../harness/quirks.js';
import { replayOf } from '../harness/replay-world.js';

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
  const market = createSyntheticMarket(SEED, STANDARD_LISTINGS);
  const markets = loaded.config.symbols.map((symbol) => {
    const listing = STANDARD_LISTINGS.find(({ instrument }) => instrument.symbol === symbol);
    if (listing === undefined) throw new Error(`${symbol} is listed`);
    const candles = candlesOf(market, {
      kind: 'last',
      symbol,
      interval: '1m',
      fromMs: START_MS - 60 * MINUTE,
      toMs: END - 1,
      nowMs: END,
      limit: Infinity,
    });
    const columns = CandleColumns.from(candles.filter(({ openTime }) => openTime < END));
    return { instrument: listing.instrument, maintenanceRate: listing.maintenanceRate, columns };
  });
  const [first, ...others] = markets;
  if (first === undefined) throw new Error('there is a market');
  const intents: string[] = [];
  const seat = seatOf(loaded);
  const watched = (world: StrategyWorld): StrategyWorld =>
    new Proxy(world, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name === 'submit')
          return (intent: OrderIntent) => {
            if (intent.decidedAt <= UNTIL) intents.push(intentText(intent));
            return target.submit(intent);
          };
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  runBacktest({
    ...first,
    others,
    seat: { ...seat, create: (world) => seat.create(watched(world)) },
    base: '1m',
    currency: 'USDT',
    cash: fixedFromText<'USDT'>('10000') as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: fixed(59_000),
    makerFeeRate: fixed(23_000),
    slippageBps: 0,
    limitFill: 'through',
    intrabar: 'pessimistic',
    gate: createGate({ preset: 'none', limits: DEFAULT_LIMITS }),
  });
  return intents;
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
