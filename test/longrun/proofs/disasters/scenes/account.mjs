// Disasters of the account: lost reports, liquidations, other hands, transfers, the key.
import { FLIP, HOARDER } from '../world.mjs';

const RESTING = {
  id: 'hoarder',
  use: HOARDER,
  symbol: 'BTCUSDT',
  notional: 100,
  params: '{ rungs: 1 }',
};

/** An order of the bot that rests, beside a position with a stop. */
export async function restingOrder(world) {
  return world.until(
    'a resting order',
    async () => {
      const state = await world.venue.state();
      return state.hasStop('BTCUSDT') && state.open.find(({ reduce_only: reduces }) => !reduces);
    },
    150,
  );
}
export { RESTING };

export const missingFill = {
  name: 'missing-fill',
  what: 'reports of one fill are lost, while heartbeats are fine',
  does: 'The next read finds the fill.',
  money: true,
  options: { clock: 'fast:10', strategies: [RESTING] },
  async play(world, { check }) {
    const order = await restingOrder(world);
    await world.run(3);
    const before = (await world.venue.state()).quantity('BTCUSDT');
    // The venue pushes no fills: a report is the answer to a read. The next ones are lost, and frames too.
    await world.venue.faults(
      { on: 'GET /fapi/v1/futures/orders/*', fault: 'resp_lost', count: 1 },
      { on: 'GET /fapi/v1/futures/orders', fault: 'resp_lost', count: 1 },
      { on: 'WS', fault: 'ws_gap', count: 3 },
    );
    world.begin();
    await world.venue.control('fill', {
      client_order_id: order.client_order_id,
      quantity: '0.001',
    });
    const after = (await world.venue.state()).quantity('BTCUSDT');
    check(after > before, 'the order was not filled');
    await world.note(
      'detected_s',
      'the fill in the books of the bot',
      async () =>
        (await world.status())?.positions.some(({ own }) => Math.abs(Number(own) - after) < 1e-9),
      30,
    );
    const [details, lists] = await world.venue.struck();
    check(details + lists > 0, 'no report was lost');
    await world.back(60);
  },
};

export const liquidation = {
  name: 'liquidation',
  what: 'a liquidation while an exit is in flight',
  does: 'The exit is refused without consequence, the books follow the venue, and the strategy trades on.',
  money: true,
  options: {
    clock: 'fast:20',
    strategies: [{ id: 'flip', use: FLIP, symbol: 'BTCUSDT', params: '{ every: 4 }' }],
  },
  async play(world, { check }) {
    await world.holding();
    await world.venue.faults({ on: 'POST /fapi/v2/futures/order', fault: 'liq', count: 1 });
    // The exit of the strategy's next turn is the request that meets it.
    const state = await world.until(
      'the liquidation',
      async () => {
        const now = await world.venue.state();
        return now.closes.some((each) => JSON.stringify(each).toLowerCase().includes('liq')) && now;
      },
      60,
    );
    world.begin();
    check(state.positions.length <= 1, 'more positions than before');
    await world.note(
      'detected_s',
      'the liquidation in the books of the bot',
      async () => {
        const [status, now] = [await world.status(), await world.venue.state()];
        const own = Number(status?.positions[0]?.own ?? 0);
        return Math.abs(own - now.quantity('BTCUSDT')) < 1e-9;
      },
      30,
    );
    await world.back(60);
  },
};

export const manualOrder = {
  name: 'manual-order',
  what: 'a manual order of a person in a traded symbol',
  does: 'The symbol is held to reductions until `sluice resume SYMBOL`; the other one trades. A flatten closes our share only.',
  options: { strategies: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    const own = async () =>
      Number((await world.status()).positions.find(({ symbol }) => symbol === 'BTCUSDT')?.own ?? 0);
    const before = await own();
    world.begin();
    await world.venue.person('POST', '/fapi/v2/futures/order?symbol=BTCUSDT', {
      trigger_type: 'MARKET',
      order_type: 'LONG',
      quantity: '0.001',
      trade_currency: 'USDT',
    });
    await world.detected('R22', 40);
    check((await own()) === before, 'the share of the bot has changed');
    const { symbols } = await world.status();
    check(symbols.ETHUSDT === undefined, 'another symbol is restricted too');
    check((await world.venue.state()).hasStop('BTCUSDT'), 'the share of the bot has no stop');
    world.exitsDue();
    const killed = world.operator('kill', world.stateDir, '--level', 'flatten');
    await world.note(
      'exit_s',
      'only the share of the person is left',
      async () => Math.abs((await world.venue.state()).quantity('BTCUSDT') - 0.001) < 1e-9,
      20,
    );
    const { code, stderr } = await killed;
    check(code === 0, `kill --level flatten: ${stderr}`);
    check((await world.venue.state()).entries === entries, 'an entry left');
    // The person closes the rest, and gives the symbol back.
    await world.venue.person('POST', '/fapi/v2/futures/order?symbol=BTCUSDT', {
      trigger_type: 'MARKET',
      order_type: 'SHORT',
      quantity: '0.001',
      reduce_only: true,
      trade_currency: 'USDT',
    });
    await world.until(
      'a flat account',
      async () => (await world.venue.state()).positions.length === 0,
      10,
    );
    world.over();
    await world.resume();
    await world.resume('BTCUSDT');
    await world.back(60);
  },
};

const transfer = (from, to) => ({
  from_wallet_type: from,
  to_wallet_type: to,
  amount: '500',
});

export const transfers = {
  name: 'transfers',
  what: 'a deposit and a withdrawal in mid-trade',
  does: 'The bases of the loss limits move with it; nothing is restricted or closed.',
  options: {
    strategies: [{ symbol: 'BTCUSDT' }],
    risk: '  daily_loss_limit_pct: { soft: 1, hard: 2, hold_ms: 1000 }',
  },
  async play(world, { check }) {
    const held = (await world.holding()).quantity('BTCUSDT');
    world.begin();
    for (const [from, to] of [
      ['SPOT', 'FUTURES'],
      ['FUTURES', 'SPOT'],
      ['FUTURES', 'SPOT'],
    ]) {
      const before = Number((await world.status()).equity);
      await world.venue.person('POST', '/fapi/v1/wallet/futures/transfer', transfer(from, to));
      await world.note(
        'detected_s',
        'the transfer in the equity',
        async () => Math.abs(Number((await world.status()).equity) - before) > 400,
        30,
      );
      await world.run(12);
      const state = await world.venue.state();
      check(state.quantity('BTCUSDT') === held, 'the position has changed');
      check(state.hasStop('BTCUSDT'), 'the stop is gone');
      const { restrictions, mode } = await world.status();
      check(mode === 'TRADING', `${mode}: ${JSON.stringify(restrictions)}`);
    }
    await world.back(30);
  },
};

export const secretRevoked = {
  name: 'secret-revoked',
  what: 'the secret is revoked, and replaced a minute later',
  does: 'Nothing is sent, the stop stays at the venue, and a flatten waits: `sluice kill` names what is open, with exit code 1. SIGHUP takes the new secret, and the flatten goes on.',
  options: { strategies: [{ symbol: 'BTCUSDT' }] },
  async play(world, { check }) {
    const { entries } = await world.holding();
    world.begin();
    await world.venue.rotate('another-secret');
    await world.note(
      'detected_s',
      'the refused key',
      async () => (await world.status())?.key_refused,
      30,
    );
    const { mode, causes } = await world.status();
    world.facts.restriction = `key refused, ${mode}`;
    check(mode === 'REDUCE_ONLY', `the mode is ${mode}: ${causes}`);
    // Exits wait for a key: a flatten says what it cannot prove.
    const killed = await world.operator(
      'kill',
      world.stateDir,
      '--level',
      'flatten',
      '--timeout',
      '10s',
    );
    check(killed.code === 1, `a flatten without a key ended with ${killed.code}`);
    await world.run(30);
    const state = await world.venue.state();
    check(state.hasStop('BTCUSDT'), 'the stop at the venue is gone');
    check(state.entries === entries, 'an entry left');
    world.setSecret('another-secret');
    world.daemon.signal('SIGHUP');
    world.exitsDue();
    world.over();
    await world.closed(['BTCUSDT'], 60);
    await world.until('flat', async () => (await world.status()).flatten?.end === 'flat', 60);
    await world.resume();
    await world.back(90);
  },
};
