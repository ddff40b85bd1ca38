import type { Scene } from './scene.js';

const answerLost: Scene = {
  name: 'answer-lost',
  title: 'The answer never comes',
  story: 'The exchange takes the order. The bot is killed before it reads the answer.',
  symbol: 'BTCUSDT',
  deliveries: 1,
  async play({ wire, bot, kill, restart, filled }) {
    const met = wire.expect('answer is lost');
    bot.start();
    await bot.trades();
    await met;
    await kill('the order is at the exchange, its answer on the wire');
    await restart();
    await filled();
  },
};

const requestLate: Scene = {
  name: 'request-late',
  title: 'The order arrives after it was sent again',
  story:
    'The order hangs on the wire when the bot is killed. Started again, the bot finds nothing, and ' +
    'sends the same bytes under the same id. Then the first ones arrive.',
  symbol: 'ETHUSDT',
  deliveries: 2,
  async play({ wire, bot, kill, restart, filled, tell }) {
    const met = wire.expect('request is late');
    bot.start();
    await bot.trades();
    await met;
    await kill('the order is on the wire, the exchange has nothing');
    await restart();
    await filled();
    tell('the exchange has the order that was sent again; now the first one arrives');
    wire.release();
    await bot.until('the late order was answered', () => wire.answers.length === 2);
    tell(`the exchange answers it: ${wire.answers[1] ?? ''}`);
  },
};

const killedAgain: Scene = {
  name: 'killed-again',
  title: 'Killed, and killed again while it recovers',
  story: 'The order is lost on the wire. Each new life is killed too before it can prove anything.',
  symbol: 'SOLUSDT',
  deliveries: 1,
  async play({ wire, bot, kill, restart, filled }) {
    const met = wire.expect('request is lost');
    bot.start();
    await bot.trades();
    await met;
    await kill('the order is lost on the wire');
    bot.start();
    await bot.until('the bot logs', () => bot.hasLogged);
    await kill('while it looks for its order');
    const again = wire.expect('answer is lost');
    bot.start();
    await bot.trades();
    await again;
    await kill('it had sent the order again, and the answer is on the wire');
    await restart();
    await filled();
  },
};

/** Half a minute on an idle machine, all of them. */
export const SCENES: readonly Scene[] = [answerLost, requestLate, killedAgain];
