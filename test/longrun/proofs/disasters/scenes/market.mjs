// Disasters of the market and its feed, and of a strategy.
import { MAD } from '../world.mjs';

const NOTHING_BOUGHT = 'an entry left during the disaster';

/** 400 USDT without a stop lose 1.2 % of the account. */
const HARD_LOSS = '  daily_loss_limit_pct: { soft: 0.5, hard: 0.9, hold_ms: 1000 }';

export const flashCrash = {
  name: 'flash-crash',
  what: 'flash crash of 30 % in 10 s',
  does: 'The stop closes its position at the venue. A position without a stop is flattened by the hard limit of the day. Entries wait for `sluice resume`.',
  money: true,
  options: {
    strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT', stop: 0, notional: 400 }],
    risk: HARD_LOSS,
    maxNotional: 500,
  },
  async play(world, { check }) {
    const { entries } = await world.holding();
    world.begin();
    const slide = world.venue.slide(['BTCUSDT', 'ETHUSDT'], -0.3, 10);
    await world.detected('R19', 20);
    // The stop closes the first one, and the hard limit of the day the other one.
    await world.closed(['BTCUSDT', 'ETHUSDT'], 20);
    await slide;
    check((await world.venue.state()).entries === entries, NOTHING_BOUGHT);
    const { mode } = await world.status();
    check(mode === 'REDUCE_ONLY', `the mode is ${mode}, not REDUCE_ONLY`);
    world.over();
    await world.resume();
    await world.back(30);
  },
};

export const feedFrozen = {
  name: 'feed-frozen',
  what: 'the feed is connected and silent for 100 s',
  does: 'Entries are refused once the price is 3 s old. Stops stay; a flatten closes both positions. The connection is renewed once the history proves missed updates, after 75 s of silence.',
  options: { strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await world.venue.faults({ on: 'WS', fault: 'ws_silent' });
    world.begin();
    await world.note(
      'detected_s',
      'prices too old for an entry',
      async () => (await world.status()).ages_ms.feed > 3_000,
      15,
    );
    world.facts.restriction = 'R05 refuses each entry';
    await world.run(10);
    const state = await world.venue.state();
    check(
      state.positions.every(({ hasStop }) => hasStop),
      'a stop is gone',
    );
    await world.flatten(['BTCUSDT', 'ETHUSDT'], 15);
    check((await world.venue.state()).entries === entries, NOTHING_BOUGHT);
    await world.told(/market data is down: .*silent while the market moves/, 100);
    await world.lasts(100);
    await world.venue.faults();
    world.over();
    await world.resume();
    await world.until('prices again', async () => (await world.status()).ages_ms.feed < 3_000, 120);
    await world.back(60);
  },
};

export const madStrategy = {
  name: 'mad-strategy',
  what: 'a strategy gone mad for 30 candles',
  does: 'Repeats, crossing orders and orders beyond a limit are refused. Position and open orders stay within their limits; a flatten leaves nothing.',
  options: {
    clock: 'fast:20',
    strategies: [{ id: 'mad', use: MAD, symbol: 'BTCUSDT', notional: 150, stop: 0 }],
  },
  async play(world, { check }) {
    await world.until(
      'its first orders',
      async () => (await world.venue.state()).own.length > 1,
      60,
    );
    world.begin();
    await world.told(/R08|R39|stopped|refused/, 90);
    await world.run(60);
    await world.flatten(['BTCUSDT'], 20);
    world.over();
    check((await world.venue.state()).open.length === 0, 'an order is left after the flatten');
    await world.resume();
    await world.back(60);
  },
};
