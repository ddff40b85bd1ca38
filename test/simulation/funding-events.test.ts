import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BotWorld, START_MS } from '../support/rigs/bot-world.js';
import { replayOf } from '../support/rigs/replay-world.js';

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
  - id: paid
    use: ${fileURLToPath(new URL('../fixtures/funding-trader.ts', import.meta.url))}
    symbols: [BTCUSDT]
    size: { notional: '250' }
    protect: { stop_loss_pct: 20 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

it('a strategy that asks for funding is told the rate of the next settlement', async () => {
  const world = new BotWorld({ config: CONFIG, sandbox: { held: true } });
  const bot = await world.start();
  await world.time.run(3 * 60_000);
  await world.stop(bot, 'keep');
  const fundingLogLines = world.log.filter(({ message }) => message.includes('exchanged at'));
  expect(fundingLogLines.length).toBeGreaterThan(0);
  const next = Number(/exchanged at (\d+)/.exec(fundingLogLines[0]?.message ?? '')?.[1]);
  expect(next).toBeGreaterThan(START_MS);
  expect(bot.engine.counts.ordersFilled).toBe(1);
  expect((await replayOf(world)).identical).toBe(true);
});
