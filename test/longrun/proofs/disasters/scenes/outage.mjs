// Disasters of the venue and of the way to it.
import { RESTING, restingOrder } from './account.mjs';

const READS = ['GET /fapi/v1/futures/*', 'GET /fapi/v1/wallet/*'];
const WRITES = ['POST /fapi/*', 'DELETE /fapi/*', 'PATCH /fapi/*'];
const down = (places, fault = '500_before') => places.map((on) => ({ on, fault }));
export const readsDown = {
  name: 'reads-down',
  what: 'reads down for 40 s, writes up',
  does: 'Entries stop, the stop stays. A flatten closes the position at market without a fresh read; it is proved when reads are back.',
  options: { strategies: [{ symbol: 'BTCUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await world.venue.faults(...down(READS));
    world.begin();
    await world.detected('R25', 30);
    check((await world.venue.state()).hasStop('BTCUSDT'), 'the stop is gone');
    await world.flatten(['BTCUSDT'], 30, async () => {
      await world.lasts(40);
      check((await world.venue.state()).entries === entries, 'an entry left');
      await world.venue.faults();
      world.over();
    });
    await world.resume();
    await world.back(150);
  },
};

export const writesDown = {
  name: 'writes-down',
  what: 'writes down for 40 s, reads up, and the stop is gone',
  does: 'The stop is set again, or the position closes, as soon as the venue takes a write.',
  options: { strategies: [{ symbol: 'BTCUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await world.venue.faults(...down(WRITES), {
      on: 'GET /fapi/v1/futures/positions',
      fault: 'manual_op(unprotect)',
      count: 1,
    });
    world.begin();
    await world.told(/R25|R18|without a stop|misses its stop|its stop/i, 30);
    await world.lasts(40);
    await world.venue.faults();
    world.over();
    world.exitsDue();
    await world.note(
      'exit_s',
      'the position closed or its stop set',
      async () => {
        const state = await world.venue.state();
        return state.quantity('BTCUSDT') === 0 || state.hasStop('BTCUSDT');
      },
      30,
    );
    check((await world.venue.state()).entries === entries, 'an entry left');
    await world.back(150);
  },
};

export const dnsGone = {
  name: 'dns-gone',
  what: 'no name resolves for 60 s, with an order resting that fills meanwhile',
  does: 'Nothing leaves. The resting order is not forgotten, and its fill is found afterwards.',
  options: { clock: 'fast:10', strategies: [RESTING], isProxied: true, machine: true },
  async play(world, { check }) {
    const order = await restingOrder(world);
    await world.run(3);
    const { own } = await world.venue.state();
    world.machine({ resolves: false });
    await world.run(0.2);
    world.venue.breakConnections();
    world.begin();
    await world.detected('R25', 60);
    await world.venue.control('fill', {
      client_order_id: order.client_order_id,
      quantity: '0.001',
    });
    await world.lasts(60);
    check((await world.venue.state()).own.length === own.length, 'an order left');
    const { orders } = await world.status();
    check(
      orders.some(({ client_order_id: id }) => id === order.client_order_id),
      'the resting order is forgotten',
    );
    world.machine({});
    world.over();
    await world.back(150);
  },
};

export const maintenance = {
  name: 'maintenance',
  what: 'maintenance of an hour: a page with 503, the feed closed',
  does: 'Entries stop; stops stay at the venue. One notice at the start, one at the end.',
  options: { clock: 'fast:60', strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await world.venue.faults(
      { on: '*', fault: 'html_503' },
      { on: 'WS', fault: 'ws_drop' },
      { on: 'WS', fault: 'ws_429' },
    );
    world.begin();
    await world.detected('R25', 30);
    await world.lasts(60);
    const state = await world.venue.state();
    check(state.entries === entries, 'an entry left');
    check(
      state.positions.length === 2 && state.positions.every(({ hasStop }) => hasStop),
      'a position or its stop is gone',
    );
    await world.venue.faults();
    world.over();
    await world.back(150);
    const notices = world.said(/the venue cannot be read/).length;
    check(notices === 1, `${notices} notices at the start of the maintenance, one is due`);
    const ends = world.said(/the venue can be read again/).length;
    check(ends === 1, `${ends} notices at its end, one is due`);
  },
};

export const delisting = {
  name: 'delisting',
  what: 'a held symbol is delisted, `on_delisting: close_after 10m`',
  does: 'The symbol is restricted within an hour and a minute; the position closes at `close_after`; the other one stays.',
  options: {
    clock: 'fast:60',
    strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }],
    more: 'on_delisting: close_after 10m',
  },
  async play(world, { check }) {
    await world.holding();
    await world.venue.faults({
      on: 'GET /fapi/v1/futures/BTCUSDT',
      fault: 'reject(future asset not found)',
    });
    world.begin();
    await world.detected('R07', 150);
    world.exitsDue();
    check((await world.venue.state()).hasStop('BTCUSDT'), 'the stop is gone');
    await world.closed(['BTCUSDT'], 30);
    const { entries } = await world.venue.state();
    await world.run(10);
    const state = await world.venue.state();
    check(state.entries === entries, 'an entry left');
    check(state.hasStop('ETHUSDT'), 'the other position or its stop is gone');
    await world.venue.faults();
    world.over();
    await world.back(90);
  },
};

const MOVED = 'reject(Order type not supported for this endpoint)';
const refuseStops = (world) =>
  world.venue.faults(
    { on: 'POST /fapi/v1/futures/positions/*/riskorder', fault: MOVED },
    { on: 'GET /fapi/v1/futures/positions', fault: 'manual_op(unprotect)', count: 1 },
  );

export const stopEndpoint = {
  name: 'stop-endpoint',
  what: 'the stop is gone, and the stop endpoint refuses another one',
  does: 'The stop is built once more. Refused again, the position closes.',
  money: true,
  options: { strategies: [{ symbol: 'BTCUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await refuseStops(world);
    world.begin();
    await world.told(/its stop is built again/, 15);
    await world.closed(['BTCUSDT'], 15);
    check(world.nakedMs <= 16_000, `no stop for ${world.nakedMs} ms`);
    check((await world.venue.state()).entries === entries, 'an entry left');
    await world.venue.faults();
    world.over();
    await world.back(30);
  },
};

export const stopEndpoints = {
  name: 'stop-endpoints',
  what: 'the stop endpoint refuses on two symbols for 25 s',
  does: 'Entries stop and an alarm names the positions. They stay open, and get their stops as soon as the venue takes them.',
  options: { strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    await refuseStops(world);
    world.begin();
    await world.detected('R18', 20);
    await world.lasts(25);
    const { positions } = await world.venue.state();
    check(positions.length === 2, 'a position was closed');
    await world.venue.faults();
    world.over();
    await world.until(
      'both stops again',
      async () => (await world.venue.state()).positions.every(({ hasStop }) => hasStop),
      15,
    );
    check((await world.venue.state()).entries === entries, 'an entry left');
    await world.back(120);
  },
};
