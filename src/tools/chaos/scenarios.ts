import type { Scenario } from './scenario.js';

const responseLost: Scenario = {
  name: 'answer-lost',
  title: 'The response is lost',
  description: 'The exchange accepts the order. The bot is killed before it reads the response.',
  symbol: 'BTCUSDT',
  expected: { deliveries: 1, order: 'FILLED' },
  async run({ proxy, bot, waitForFault, kill, restart, waitForPosition }) {
    proxy.arm('answer is lost');
    bot.start();
    await bot.waitUntilTrading();
    await waitForFault();
    await kill('the order is at the exchange, its response on the wire');
    await restart();
    await waitForPosition();
  },
};

const requestLate: Scenario = {
  name: 'request-late',
  title: 'The order arrives after its id was fenced',
  description:
    'The request is still on the wire when the bot is killed. After the restart the bot finds no order, ' +
    'and the entry is too old to send. A fence, an order far from the market, uses up the id and is ' +
    'canceled. Then the first request arrives.',
  symbol: 'ETHUSDT',
  expected: { deliveries: 2, order: 'CANCELLED' },
  async run({ proxy, bot, waitForFault, kill, restart, waitForFence, print }) {
    proxy.arm('request is late');
    bot.start();
    await bot.waitUntilTrading();
    await waitForFault();
    await kill('the order is on the wire, the exchange has nothing');
    await restart();
    await waitForFence();
    print('the exchange has canceled the fence; now the first request arrives');
    const replyCount = proxy.replies.length;
    proxy.release();
    await bot.waitUntil('the late order was answered', () => proxy.replies.length > replyCount);
    print(`the exchange answers it: ${proxy.replies.at(-1) ?? ''}`);
  },
};

const killedAgain: Scenario = {
  name: 'killed-again',
  title: 'Killed, and killed again while it recovers',
  description:
    'The request is lost on the wire. Each new process is killed too: while it queries its order, and ' +
    'after it has sent the fence but not read the response.',
  symbol: 'SOLUSDT',
  expected: { deliveries: 1, order: 'CANCELLED' },
  async run({ proxy, bot, waitForFault, kill, restart, waitForFence }) {
    proxy.arm('request is lost');
    bot.start();
    await bot.waitUntilTrading();
    await waitForFault();
    await kill('the order is lost on the wire');
    bot.start();
    await bot.waitUntil('the bot logs', () => bot.hasLogged);
    await kill('while it queries its order');
    proxy.arm('answer is lost');
    bot.start();
    await bot.waitUntilTrading();
    await waitForFault();
    await kill('the fence is at the exchange, its response on the wire');
    await restart();
    await waitForFence();
  },
};

/** Together they take half a minute on an idle machine. */
export const SCENARIOS: readonly Scenario[] = [responseLost, requestLate, killedAgain];
