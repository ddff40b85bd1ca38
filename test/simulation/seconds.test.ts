import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BotWorld } from '../support/rigs/bot-world.js';
import { replayOf } from '../support/rigs/replay-world.js';

const use = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));

const CONFIG = `
mode: sandbox
account: demo
venue:
  base_url: http://127.0.0.1:8787
  ws_url: ws://127.0.0.1:8787
  trade_currency: USDT
state_dir: /state
on_stop: cancel-entries
strategies:
  - id: btc-seconds
    use: ${use('second-trader')}
    symbols: [BTCUSDT]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
  - id: eth-marks
    use: ${use('mark-trader')}
    symbols: [ETHUSDT]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT] }
`;

it('strategies trade on seconds and on mark prices, and the replay is identical', async () => {
  const world = new BotWorld({ config: CONFIG, sandbox: { held: true } });
  const bot = await world.start();
  await world.time.run(10 * 60_000);
  await world.stop(bot);
  expect(bot.engine.haltReason).toBeUndefined();
  expect(bot.engine.isReconciled).toBe(true);

  const keys = (await world.journal()).flatMap((record) =>
    record.type === 'intent' ? [record.decisionKey] : [],
  );
  const kinds = keys.map((key) => key.split(':').slice(0, 2).join(':'));
  for (const kind of ['second:BTCUSDT', 'mark-candle:ETHUSDT', 'second:ETHUSDT']) {
    expect(kinds.filter((each) => each === kind).length, kind).toBeGreaterThan(2);
  }
  const decided = keys.filter((key) => key.startsWith('second:BTCUSDT:last:'));
  for (const key of decided) expect(Number(/(\d+)#/.exec(key)?.[1]) % 30_000).toBe(0);
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(world.venuePosition(symbol));
  }
  expect(await replayOf(world)).toMatchObject({ identical: true, intents: keys.length });
}, 120_000);
