import {
  subtract,
  fixed,
  floorToStep,
  type Amount,
  type Price,
} from '../../../src/core/fixed/fixed.js';
import type { ExchangeOrder } from '../../../src/exchange/simulated-exchange.js';
import type { OperatorCommand } from '../../../src/core/events.js';
import type { OrderTerms } from '../../../src/core/order.js';
import { StateHeldError } from '../../../src/io/log/state-held-error.js';
import { SimProcess } from './process.js';
import { build } from './supervisor.js';
import { MIN_INTENTS } from './plan.js';
import { TRADED } from './sim-config.js';
import { KILL_ID, type SimWorld } from './world.js';
import type { Draws } from './draws.js';
import { scaledOf } from '../../support/builders/scaled.js';

/** The number of a process that must never come to trade. */
const SECOND = 900;

type Disturbance = (world: SimWorld, draws: Draws) => Promise<void> | void;

/** What the simulation itself brings about while faults are on: how often at most, and what. */
const DISTURBANCES: readonly (readonly [kind: string, most: number, act: Disturbance])[] = [
  ['sigstop', 4, (world, draws) => stop(world, draws.between(500, 20_000, 'ms'))],
  ['loop_block', 8, (world, draws) => stop(world, draws.between(50, 2_500, 'ms'))],
  ['clock_step', 5, stepClock],
  ['second_daemon', 4, startSecondDaemon],
  ['twin', 2, (world, draws) => placeForged(world, draws, 'limit')],
  ['twin_market', 2, (world, draws) => placeForged(world, draws, 'market')],
  ['amend_by_hand', 3, amendExternally],
  ['partial_fill', 12, fillPart],
  ['operator', 10, issueCommand],
  ['key_refused', 2, refuseKey],
  ['outage', 1, cutOrderPath],
];

/** Runs them at times of the seed's own, until faults are over. Venue ms from now. */
export function scheduleDisturbances(world: SimWorld, withinMs: number): void {
  scheduleKill(world, withinMs);
  for (const [kind, most, apply] of DISTURBANCES) {
    if (kind === 'operator' ? !world.plan.operates : !world.plan.kinds.has(kind)) continue;
    const draws = world.plan.draws.of(`hands ${kind}`);
    for (let time = 0; time < draws.between(1, most, 'times'); time += 1) {
      const one = draws.of(`${time}`);
      world.time.after((one.unit('at') * withinMs) / world.plan.factor, () => {
        if (world.phase !== 'faults') return;
        world.simulatedFaults.add(kind);
        world.note('hand', kind);
        void apply(world, one);
      });
    }
  }
}

/** Near the end of the faults, since a kill stands until the next start. */
function scheduleKill(world: SimWorld, withinMs: number): void {
  const { hostility, draws, factor } = world.plan;
  if (hostility === undefined || hostility.kills === 'none') return;
  const level = hostility.kills;
  world.time.after((withinMs * (0.93 + 0.06 * draws.unit('kill at'))) / factor, () => {
    const { bot, botRun } = world;
    const isReady = bot?.engine.mode === 'TRADING' && botRun?.process.frozen === false;
    if (!isReady || world.phase !== 'faults' || world.intents.size < MIN_INTENTS) return;
    world.note('hand', `kill ${level}`);
    bot.command({ kind: 'kill', level, reason: 'a drill' }, KILL_ID);
    world.kill = { at: world.time.monotonicMs(), level, process: botRun.number };
  });
}

function stop(world: SimWorld, forMs: number): void {
  const process = world.botRun?.process;
  if (process === undefined || process.frozen || !process.alive) return;
  process.freeze();
  world.time.after(forMs, () => {
    process.thaw();
  });
}

/** The key is taken back, and given again. */
function refuseKey(world: SimWorld, draws: Draws): void {
  world.keyRefusedUntil = world.time.monotonicMs() + draws.between(2_000, 40_000, 'ms');
}

/** Orders get no answer; by the seed, they never reach the venue, or they do. */
function cutOrderPath(world: SimWorld, draws: Draws): void {
  const lasts = draws.between(20_000, 150_000, 'ms');
  world.outage = {
    until: world.time.monotonicMs() + lasts,
    lands: draws.chance(0.3, 'lands'),
  };
}

function stepClock(world: SimWorld, draws: Draws): void {
  const byMs = draws.pick(
    [-86_400_000, -3_600_000, -5_000, 700, 5_000, 3_600_000, 86_400_000],
    'step',
  );
  world.botRun?.process.stepClock(byMs);
}

/** Another daemon on the same folder: it is refused, or the one before it has ended. */
async function startSecondDaemon(world: SimWorld): Promise<void> {
  const { botRun: currentRun } = world;
  if (currentRun?.bot === undefined || !currentRun.process.alive || world.phase !== 'faults')
    return;
  const process = new SimProcess({
    time: world.time,
    crashesAt: () => false,
    onBoundary: () => undefined,
  });
  try {
    await build(world, process, SECOND);
    if (currentRun.process.alive)
      world.fail('P20', 'a second daemon opened a state folder that is held');
  } catch (error) {
    if (error instanceof StateHeldError) world.secondDaemonsRefused += 1;
  } finally {
    process.kill('it was the second');
  }
}

/**
 * An order in our namespace that no journal of ours knows: another host trades with the same key. One
 * that rests is listed; one at the market fills at once, and only history tells of it.
 */
function placeForged(world: SimWorld, draws: Draws, type: 'limit' | 'market'): void {
  const symbol = draws.pick(TRADED, 'symbol');
  const instrument = world.bot?.engine.instruments.get(symbol);
  const last = world.sandbox.exchange.prices(symbol)?.last;
  if (instrument === undefined || last === undefined) return;
  const clientOrderId = `${world.namespace}-${'twin'.padEnd(26, 'x')}-a${world.forged.size + 1}`;
  const price = floorToStep(fixed<'price'>(Math.floor(scaledOf(last) * 0.9)), instrument.priceStep);
  const quantity = fixed<'quantity'>(
    Math.ceil(
      (scaledOf(instrument.minNotional) * 2e8) /
        scaledOf(price) /
        scaledOf(instrument.quantityStep),
    ) * scaledOf(instrument.quantityStep),
  );
  world.forged.add(clientOrderId);
  const terms: OrderTerms = {
    symbol,
    currency: 'USDT',
    side: 'buy',
    type,
    quantity,
    ...(type === 'limit' && { price }),
    reduceOnly: false,
  };
  if (!world.sandbox.exchange.place({ terms, clientOrderId }).ok)
    world.forged.delete(clientOrderId);
}

const ownResting = (world: SimWorld): readonly ExchangeOrder[] =>
  world.sandbox.exchange
    .openOrders('USDT')
    .filter((order) => order.type === 'limit' && world.isOurs(order.clientOrderId));

/** In the app somebody moves an order that the bot has placed. */
function amendExternally(world: SimWorld, draws: Draws): void {
  const orders = ownResting(world);
  if (orders.length === 0) return;
  const order = draws.pick(orders, 'order');
  const step = world.bot?.engine.instruments.get(order.symbol)?.priceStep;
  if (order.price === undefined || step === undefined) return;
  const price = fixed<'price'>(
    scaledOf(order.price) + scaledOf(step) * draws.pick([-20, -1, 1, 20], 'by'),
  ) as Price;
  if (price <= 0) return;
  const done = world.sandbox.exchange.amend(order, { price, quantity: order.quantity });
  if (done.ok && order.clientOrderId !== undefined)
    world.amendedExternally.add(order.clientOrderId);
}

function fillPart(world: SimWorld, draws: Draws): void {
  const orders = ownResting(world);
  if (orders.length === 0) return;
  const order = draws.pick(orders, 'order');
  const step = world.bot?.engine.instruments.get(order.symbol)?.quantityStep;
  if (step === undefined) return;
  const part =
    Math.floor(
      (scaledOf(subtract(order.quantity, order.filledQuantity)) * draws.unit('part')) /
        scaledOf(step),
    ) * scaledOf(step);
  if (part > 0) world.sandbox.exchange.fillPart(order, fixed(part));
}

/** What a person says to the running bot. */
function issueCommand(world: SimWorld, draws: Draws): void {
  const { bot } = world;
  if (bot === undefined || bot.engine.mode !== 'TRADING') return;
  const again = world.lastOrdered;
  if (again !== undefined && draws.chance(0.2, 'again')) {
    bot.command(again.command, again.id);
    return;
  }
  const command = draws.pick(OPERATOR_COMMANDS, 'what')(world, draws);
  if (command === undefined) return;
  world.commands += 1;
  const id = `word-${world.commands}`;
  if (command.kind === 'order') world.lastOrdered = { command, id };
  bot.command(command, id);
}

/** Money between the wallets; a transfer has no id of its own. */
const transfer = (_: SimWorld, draws: Draws): OperatorCommand => ({
  kind: 'transfer',
  currency: 'USDT',
  direction: draws.pick(['deposit', 'withdraw'] as const, 'direction'),
  amount: fixed(draws.between(1, 40, 'amount') * 100_000_000) as Amount,
  force: false,
});

const openPosition = ({ bot, sandbox }: SimWorld) =>
  bot === undefined ? undefined : sandbox.exchange.positions('USDT')[0];

function margin(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  const position = openPosition(world);
  return (
    position && {
      kind: 'margin',
      symbol: position.symbol,
      currency: 'USDT',
      change: fixed(draws.between(1, 9, 'margin') * 100_000_000) as Amount,
      reduce: false,
      force: false,
    }
  );
}

function protect(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  const position = openPosition(world);
  const last = position && world.bot?.engine.facts.lastPrice(position.symbol);
  const step = position && world.bot?.engine.instruments.get(position.symbol)?.priceStep;
  if (position === undefined || last === undefined || step === undefined) return undefined;
  const away = 1 + (position.side === 'long' ? -1 : 1) * draws.pick([0.004, 0.02], 'stop away');
  const stopLoss = floorToStep(fixed<'price'>(Math.floor(scaledOf(last) * away)), step);
  return { kind: 'protect', symbol: position.symbol, currency: 'USDT', stopLoss };
}

function submitOrderCommand(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  const { bot } = world;
  const symbol = draws.pick(TRADED, 'symbol');
  const instrument = bot?.engine.instruments.get(symbol);
  const last = bot?.engine.facts.lastPrice(symbol);
  if (bot === undefined || instrument === undefined || last === undefined) return undefined;
  const side = draws.pick(['buy', 'sell'] as const, 'side');
  const steps = Math.ceil(
    (scaledOf(instrument.minNotional) * 2e8) / scaledOf(last) / scaledOf(instrument.quantityStep),
  );
  const terms = {
    symbol,
    currency: 'USDT',
    side,
    quantity: fixed<'quantity'>(steps * scaledOf(instrument.quantityStep)),
    reduceOnly: draws.chance(0.3, 'reduces'),
  } as const;
  const away = 1 + (side === 'buy' ? -1 : 1) * draws.pick([0.0003, 0.004], 'away');
  const price = floorToStep(
    fixed<'price'>(Math.floor(scaledOf(last) * away)),
    instrument.priceStep,
  );
  return {
    kind: 'order',
    terms: draws.chance(0.5, 'limit')
      ? { ...terms, type: 'limit', price }
      : { ...terms, type: 'market' },
    validUntil: Math.ceil(bot.venueTimeIn(draws.between(200, 10_000, 'valid'))),
  };
}

function workingOrder(world: SimWorld, draws: Draws) {
  const orders = [...(world.bot?.engine.ledger.allOpenOrders() ?? [])];
  return orders.length === 0 ? undefined : draws.pick(orders, 'order');
}

function cancelCommand(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  const order = workingOrder(world, draws);
  return order && { kind: 'cancel', clientOrderId: order.clientOrderId };
}

function amendCommand(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  const order = workingOrder(world, draws);
  const { bot } = world;
  if (bot === undefined || order?.terms.price === undefined) return undefined;
  const instrument = bot.engine.instruments.get(order.terms.symbol);
  if (instrument === undefined) return undefined;
  return {
    kind: 'amend',
    clientOrderId: order.clientOrderId,
    price: fixed<'price'>(
      scaledOf(order.terms.price) + scaledOf(instrument.priceStep) * draws.between(-9, 9, 'by'),
    ),
    quantity: order.terms.quantity,
    ...(draws.chance(0.5, 'in place') && { inPlace: true }),
    validUntil: Math.ceil(bot.venueTimeIn(10_000)),
  };
}

const OPERATOR_COMMANDS = [
  submitOrderCommand,
  submitOrderCommand,
  cancelCommand,
  amendCommand,
  pause,
  transfer,
  margin,
  protect,
] as const;

/** Late in a run only: what was paused stays so until the next start. */
function pause(world: SimWorld, draws: Draws): OperatorCommand | undefined {
  if (world.tradesUntil - world.sandbox.now() > 90_000) return undefined;
  return {
    kind: 'kill',
    level: draws.pick(['pause', 'cancel', 'flatten'] as const, 'level'),
    reason: 'a drill',
  };
}
