import type { Scene } from './scene.js';

const answerLost: Scene = {
  name: 'answer-lost',
  title: 'The answer never comes',
  story: 'The exchange takes the order. The bot is killed before it reads the answer.',
  symbol: 'BTCUSDT',
  expected: { deliveries: 1, order: 'FILLED' },
  async play({ wire, bot, met, kill, restart, filled }) {
    wire.expect('answer is lost');
    bot.start();
    await bot.trades();
    await met();
    await kill('the order is at the exchange, its answer on the wire');
    await restart();
    await filled();
  },
};

const requestLate: Scene = {
  name: 'request-late',
  title: 'The order arrives after its id was fenced',
  story:
    'The order hangs on the wire when the bot is killed. Started again, the bot finds nothing. An entry ' +
    'is too old by then: a harmless order, far from the market, uses up its id and is canceled. Then ' +
    'the first bytes arrive.',
  symbol: 'ETHUSDT',
  expected: { deliveries: 2, order: 'CANCELLED' },
  async play({ wire, bot, met, kill, restart, fenced, tell }) {
    wire.expect('request is late');
    bot.start();
    await bot.trades();
    await met();
    await kill('the order is on the wire, the exchange has nothing');
    await restart();
    await fenced();
    tell('the exchange has canceled the fence; now the first bytes arrive');
    const answered = wire.answers.length;
    wire.release();
    await bot.until('the late order was answered', () => wire.answers.length > answered);
    tell(`the exchange answers them: ${wire.answers.at(-1) ?? ''}`);
  },
};

const killedAgain: Scene = {
  name: 'killed-again',
  title: 'Killed, and killed again while it recovers',
  story:
    'The order is lost on the wire. Each new life is killed too: while it looks, and when it has fenced ' +
    'the id and not read the answer.',
  symbol: 'SOLUSDT',
  expected: { deliveries: 1, order: 'CANCELLED' },
  async play({ wire, bot, met, kill, restart, fenced }) {
    wire.expect('request is lost');
    bot.start();
    await bot.trades();
    await met();
    await kill('the order is lost on the wire');
    bot.start();
    await bot.until('the bot logs', () => bot.hasLogged);
    await kill('while it looks for its order');
    wire.expect('answer is lost');
    bot.start();
    await bot.trades();
    await met();
    await kill('the fence is at the exchange, its answer on the wire');
    await restart();
    await fenced();
  },
};

/** Half a minute on an idle machine, all of them. */
export const SCENES: readonly Scene[] = [answerLost, requestLate, killedAgain];
