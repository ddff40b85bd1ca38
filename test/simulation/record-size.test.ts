import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';

/** One symbol, and nothing to do on it for weeks. */
const IDLE = `
mode: sandbox
account: demo
venue: { base_url: http://127.0.0.1:8787, ws_url: ws://127.0.0.1:8787 }
state_dir: /state
strategies:
  - id: a
    use: sma-cross
    symbols: [BTCUSDT]
    interval: 1d
    size: { notional: '250' }
    params: { fast: 3, slow: 8 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;
/** Three symbols on one-minute candles, each with an order every five minutes. */
const BUSY = demoConfig()
  .replaceAll('use: sma-cross', `use: ${resolve('test/fixtures/flip-flop.ts')}`)
  .replaceAll('params: { fast: 3, slow: 8 }', 'params: { every: 5 }');

const MINUTES = 20;
const A_DAY = (24 * 60) / MINUTES / 1e6;

it.each([
  { what: 'an idle bot', config: IDLE, mostMb: 10 },
  { what: 'a bot with three symbols on 1m', config: BUSY, mostMb: 30 },
])(
  'the state of $what grows by at most $mostMb MB a day',
  async ({ config, mostMb }) => {
    const sandbox = { clock: { kind: 'real' }, held: true } as const;
    const world = new BotWorld({ config, sandbox, recordPartBytes: 100_000 });
    const bot = await world.start();
    const bytesOf = (what: RegExp): number =>
      world.files
        .paths()
        .filter((path) => what.test(path))
        .reduce((sum, path) => sum + (world.files.peek(path)?.length ?? 0), 0);
    const keptRecords = (): number => bytesOf(/\.jsonl\.gz$|\/journal/);
    // History to warm up on is recorded once a start.
    await world.time.run(60_000);
    const before = keptRecords();
    await world.time.run(MINUTES * 60_000);
    const mb = (keptRecords() - before) * A_DAY;
    expect(mb).toBeGreaterThan(0.5);
    expect(mb).toBeLessThan(mostMb);
    expect(bytesOf(/record\/.*\.log$/)).toBeLessThan(250_000);
    await world.stop(bot);
  },
  120_000,
);
