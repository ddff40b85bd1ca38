import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import { numberFromFixed, textFromFixed, type Quantity } from '../../src/core/fixed/fixed.js';
import { summarise } from '../../src/live/summary/run-summary.js';
import { summaryText } from '../../src/live/summary/run-summary-text.js';
import type { HttpRequest } from '../../src/core/ports.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { FakeProcess } from '../support/fakes/fake-process.js';
import { replayOf } from '../support/rigs/replay-world.js';

const STRATEGY = fileURLToPath(new URL('../fixtures/constant-target.ts', import.meta.url));
const MINUTE = 60_000;

interface Settings {
  readonly id?: string;
  readonly symbol?: string;
  readonly leverage?: number;
  readonly quantity?: string;
  readonly more?: readonly string[];
  readonly expectedMessage?: 'target' | 'enter';
}

const configOf = ({
  id = 'long',
  symbol = 'BTCUSDT',
  leverage = 2,
  quantity = '0.002',
  more = [],
  expectedMessage = 'target',
}: Settings = {}): string => `
mode: sandbox
account: demo
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787' }
state_dir: /state
on_stop: keep
strategies:
  - id: ${id}
    use: ${STRATEGY}
    symbols: [${symbol}]
    interval: 1m
    leverage: ${leverage}
    size: { quantity: '${quantity}' }
    params: { say: ${expectedMessage} }
${more.map((line) => `    ${line}`).join('\n')}
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT] }
`;

const createWorld = (settings: Settings = {}): BotWorld =>
  new BotWorld({ config: configOf(settings), sandbox: { clock: { kind: 'real' }, held: true } });

const held = (world: BotWorld): string => textFromFixed(world.venuePosition('BTCUSDT') as Quantity);
const stderrText = (world: BotWorld, text: RegExp): readonly string[] =>
  world.log.filter(({ message }) => text.test(message)).map(({ message }) => message);

/** A bot that has bought what it wants. */
async function startAndBuy(world: BotWorld, fakeProcess?: FakeProcess): Promise<Bot> {
  const bot = await world.start(fakeProcess);
  await world.time.until(() => world.venuePosition('BTCUSDT') !== 0, 10 * MINUTE);
  await world.time.run(30_000);
  expect(held(world)).not.toBe('0');
  return bot;
}

/** A person in the app sells. */
async function sellExternally(world: BotWorld, quantity: number): Promise<void> {
  const { sandbox, time } = world;
  const answer = await time.resolve(
    sandbox.handle({
      method: 'POST',
      path: '/fapi/v2/futures/order',
      query: 'symbol=BTCUSDT',
      headers: { 'content-type': 'application/json', 'x-authentication': sandbox.secret },
      body: JSON.stringify({
        trigger_type: 'MARKET',
        order_type: 'SHORT',
        quantity,
        trade_currency: 'USDT',
      }),
    }),
  );
  expect(answer).toMatchObject({ status: 202 });
  await time.run(1_000);
}

/** Told before it starts, as by `--resume`. */
async function startResumed(
  world: BotWorld,
  symbol: string,
  fakeProcess?: FakeProcess,
): Promise<Bot> {
  const bot = await world.build(fakeProcess);
  bot.command({ kind: 'resume', symbol });
  await world.time.resolve(bot.start());
  return bot;
}

describe('a position that is closed by hand', () => {
  test('while the bot is down is not bought back, until a person resumes', async () => {
    const world = createWorld();
    await world.stop(await startAndBuy(world), 'keep');
    await sellExternally(world, 0.002);
    expect(held(world)).toBe('0');

    const second = await world.start();
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0');
    expect(
      stderrText(world, /the position changed while the bot was down.*--resume BTCUSDT/),
    ).not.toEqual([]);
    await world.stop(second, 'keep');
    const third = await world.start();
    await world.time.run(5 * MINUTE);
    expect(held(world), 'nor after another restart').toBe('0');
    await world.stop(third, 'keep');

    const resumed = await startResumed(world, 'BTCUSDT');
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0.002');
    await world.stop(resumed, 'keep');
    expect(await replayOf(world, '000004')).toMatchObject({ identical: true });
  }, 60_000);

  test.each(['target', 'enter'] as const)(
    'by a flatten that ends at a start is not bought back by the same %s, until a person resumes',
    async (expectedMessage) => {
      const world = createWorld({ expectedMessage });
      let sessions = 0;
      for (const when of ['before', 'after'] as const) {
        const isExit = ({ method, url }: HttpRequest): boolean =>
          method === 'POST' && url.includes('/fapi/v2/futures/order');
        sessions += 1;
        let flattens = false;
        const crashesAt = (request: HttpRequest): boolean => flattens && isExit(request);
        const fakeProcess = new FakeProcess(
          when === 'before' ? { beforeRequest: crashesAt } : { afterRequest: crashesAt },
        );
        const first =
          when === 'before'
            ? await startAndBuy(world, fakeProcess)
            : await startResumed(world, 'BTCUSDT', fakeProcess);
        await world.time.run(5 * MINUTE);
        flattens = true;
        void first.stop('flatten');
        await world.time.until(() => !fakeProcess.alive, MINUTE);
        await world.time.run(1_000);

        for (const start of ['that ends it', 'after that']) {
          const bot = await world.start();
          await world.time.run(5 * MINUTE);
          expect(bot.engine.isFlattening).toBe(false);
          expect(bot.engine.hosts.map(({ state }) => state)).toEqual(['running']);
          expect(held(world), `${when}: the start ${start}`).toBe('0');
          await world.stop(bot, 'keep');
          const session = `00000${(sessions += 1)}`;
          expect(await replayOf(world, session)).toMatchObject({ identical: true });
        }
        expect(stderrText(world, /a flatten closed its position.*--resume BTCUSDT/)).not.toEqual(
          [],
        );
      }
      const resumed = await startResumed(world, 'BTCUSDT');
      await world.time.run(5 * MINUTE);
      expect(held(world)).toBe('0.002');
      await world.stop(resumed, 'keep');
      expect(await replayOf(world, '000007')).toMatchObject({ identical: true });
    },
    60_000,
  );

  test('while it runs is not bought back, through a crash and a restart', async () => {
    const world = createWorld();
    const fakeProcess = new FakeProcess();
    await startAndBuy(world, fakeProcess);
    await sellExternally(world, 0.002);
    await world.time.run(3 * MINUTE);
    expect(held(world)).toBe('0');
    fakeProcess.kill('kill -9');
    await world.time.run(1_000);

    const second = await world.start();
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0');
    await world.stop(second, 'keep');
  }, 60_000);

  test('while the bot is down is not bought back, where the first start dies before it trades', async () => {
    const world = createWorld();
    await world.stop(await startAndBuy(world), 'keep');
    await sellExternally(world, 0.002);
    const fakeProcess = await world.startUntilCrash({
      tornAt: (path, text) => {
        const at = path.endsWith('/journal.log') ? text.indexOf('"to":"TRADING"') : -1;
        return at < 0 ? undefined : at;
      },
    });
    expect(fakeProcess.alive).toBe(false);
    const next = await world.start();
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0');
    await world.stop(next, 'keep');
  }, 60_000);

  test('is not entered again by `enter` either, until a person resumes', async () => {
    const world = createWorld({ expectedMessage: 'enter' });
    const bot = await startAndBuy(world);
    await sellExternally(world, 0.002);
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0');
    bot.command({ kind: 'resume', symbol: 'BTCUSDT' });
    await world.time.run(3 * MINUTE);
    expect(held(world)).toBe('0.002');
    await world.stop(bot, 'keep');
  }, 60_000);

  test('in part stays as it is', async () => {
    const world = createWorld();
    await world.stop(await startAndBuy(world), 'keep');
    await sellExternally(world, 0.001);
    const second = await world.start();
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0.001');
    await world.stop(second, 'keep');
  }, 60_000);
});

/** Bought with the first settings; then started with the others. */
async function restarted(first: Settings, second: Settings) {
  const world = createWorld(first);
  await world.stop(await startAndBuy(world), 'keep');
  world.config = configOf(second);
  world.log.length = 0;
  const bot = await world.start();
  return { world, bot };
}

const stopAtVenue = (world: BotWorld): number => {
  const [row] = world.sandbox.exchange.positions('USDT');
  const { entryPrice, stopLoss } = row ?? {};
  if (entryPrice === undefined || stopLoss === undefined) throw new Error('There is a stop');
  return (
    Math.round((1 - numberFromFixed(stopLoss.price) / numberFromFixed(entryPrice)) * 1_000) / 10
  );
};

describe('a size that was changed while a position is open', () => {
  test('buys nothing, and is said', async () => {
    const { world, bot } = await restarted({}, { quantity: '0.003' });
    expect(
      stderrText(world, /long: size was 0\.002 and is 0\.003: the open position keeps/),
    ).toHaveLength(1);
    const first =
      'first candle could send: long BTCUSDT at 0.002: target 1: nothing (reached); ' +
      'target 0: sell 0.002 reduce-only; target -1: sell 0.002 reduce-only, then sell 0.003';
    expect(world.log.some(({ message }) => message.startsWith(first))).toBe(true);
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0.002');
    await world.stop(bot, 'keep');
  }, 60_000);

  test('buys the difference with `apply: now`', async () => {
    const { world, bot } = await restarted({}, { quantity: '0.003', more: ['apply: now'] });
    expect(
      stderrText(world, /target 1: buy 0\.001; target 0: sell 0\.002 reduce-only/),
    ).toHaveLength(1);
    await world.time.run(5 * MINUTE);
    expect(held(world)).toBe('0.003');
    await world.stop(bot, 'keep');
    expect(await replayOf(world, '000002')).toMatchObject({ identical: true });
  }, 60_000);
});

describe('a stop that was changed while a position is open', () => {
  const wide = { more: ['protect: { stop_loss_pct: 3 }'] };

  test('stays where it is', async () => {
    const { world, bot } = await restarted(wide, { more: ['protect: { stop_loss_pct: 1 }'] });
    expect(
      stderrText(world, /long: stop was 3 % and is 1 %: the open position keeps/),
    ).toHaveLength(1);
    await world.time.run(2 * MINUTE);
    expect(stopAtVenue(world)).toBe(3);
    await world.stop(bot, 'keep');
    // The second start with it must not take it for the one of the entry.
    const again = await world.start();
    expect(stopAtVenue(world)).toBe(3);
    await world.stop(again, 'keep');
  }, 60_000);

  test('is moved with `apply: now`', async () => {
    const now = { more: ['protect: { stop_loss_pct: 1 }', 'apply: now'] };
    const { world, bot } = await restarted(wide, now);
    await world.time.run(2 * MINUTE);
    expect(stopAtVenue(world)).toBe(1);
    await world.stop(bot, 'keep');
    expect(await replayOf(world, '000002')).toMatchObject({ identical: true });
  }, 60_000);
});

describe('what else differs at a start with a position open is said', () => {
  test('a strategy id that was renamed', async () => {
    const { world, bot } = await restarted({}, { id: 'longer' });
    const text =
      /the position of BTCUSDT \(0\.002\) was opened by strategy long, which is not configured; longer trades it now/;
    expect(stderrText(world, text)).toHaveLength(1);
    await world.stop(bot, 'keep');
  }, 60_000);

  test('a leverage that was changed, once', async () => {
    const { world, bot } = await restarted({}, { leverage: 3 });
    expect(
      stderrText(world, /leverage was 2 and is 3: it is set at the start, with the/),
    ).toHaveLength(1);
    await world.time.run(MINUTE);
    await world.stop(bot, 'keep');
    world.log.length = 0;
    const again = await world.start();
    expect(stderrText(world, /leverage was/)).toEqual([]);
    await world.stop(again, 'keep');
  }, 60_000);

  test('a strategy that was removed: its position is named at the start and in the summary', async () => {
    const { world, bot } = await restarted({}, { symbol: 'ETHUSDT', quantity: '0.05' });
    const text = /position of BTCUSDT \(0\.002\) in the journal, no configured strategy trades it/;
    expect(stderrText(world, text)).toHaveLength(1);
    const summary = summarise(bot.engine, 0, '/state');
    expect(summaryText(summary, bot.engine, { equity: [], colour: false })).toMatch(text);
    await world.stop(bot, 'keep');
  }, 60_000);

  test('nothing, where nothing was changed', async () => {
    const { world, bot } = await restarted({}, {});
    expect(stderrText(world, / was .* and is |no configured strategy|given up/)).toEqual([]);
    await world.stop(bot, 'keep');
  }, 60_000);
});
