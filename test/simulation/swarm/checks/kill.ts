import { ZERO } from '../../../../src/core/fixed/fixed.js';
import type { ExchangeOrder } from '../../../../src/exchange/simulated-exchange.js';
import { isCollision } from './collision.js';
import { lacksLeverage } from './no-leverage.js';
import { TRADED } from '../sim-config.js';
import type { Check, Finding, Sent } from '../watcher.js';
import { KILL_ID, type SimWorld } from '../world.js';

/** What was decided in the same turn may share its write, real ms. */
const ONE_WRITE_MS = 50;
/** From the word to the first cancel, and then so many cancels a second (reliability P14, P15). */
const FIRST_CANCEL_MS = 1_000;
const CANCELS_PER_S = 8;
/** No cancel can leave, or it must wait: the time of these is not the bot's own. */
const HELD_UP = [
  ...['429', '423', 'sigstop', 'loop_block', 'key_refused', 'outage', 'refused', 'broken'],
  ...['half_open', 'resp_delay', 'req_delay', 'late_landing', 'disk_full', 'fsync_eio', 'redirect'],
];

/** Open orders of a bot that open or reduce, stops and targets aside. */
const ownOpen = (world: SimWorld): readonly ExchangeOrder[] =>
  world.sandbox.exchange
    .openOrders('USDT')
    .filter(({ role, clientOrderId }) => role === 'trade' && world.isOurs(clientOrderId));

const namesOrder = ({ path, query, body }: Sent, order: ExchangeOrder): boolean =>
  [order.orderId, order.clientOrderId ?? order.orderId].some(
    (id) => path.includes(id) || query.includes(id) || body.includes(id),
  );

/** A kill is carried out at once, whatever else is under way. */
export const priorityBound: Check = {
  id: 'P14',
  name: 'PriorityBound',
  watch(world) {
    let waiting: readonly ExchangeOrder[] | undefined;
    let count = 0;
    return {
      onSend(sent) {
        if (sent.method === 'DELETE')
          waiting = waiting?.filter((order) => !namesOrder(sent, order));
        return undefined;
      },
      onSettled() {
        const { kill } = world;
        if (kill === undefined || kill.level === 'pause' || !isUndisturbed(world)) return undefined;
        if (waiting === undefined) {
          const { ledger } = world.bot?.engine ?? {};
          waiting = ownOpen(world).filter(
            ({ clientOrderId = '' }) =>
              ledger?.byClientOrderId(clientOrderId)?.state === 'accepted',
          );
          count = waiting.length;
        }
        const passed = world.time.monotonicMs() - kill.at;
        if (passed <= FIRST_CANCEL_MS + (1_000 * count) / CANCELS_PER_S) return undefined;
        const late = waiting.find(({ orderId }) =>
          ownOpen(world).some((order) => order.orderId === orderId),
        );
        return late === undefined
          ? undefined
          : `${late.clientOrderId} has no cancel ${passed} ms after the kill`;
      },
    };
  },
};

const isUndisturbed = (world: SimWorld): boolean =>
  world.phase === 'faults' &&
  isSameLife(world) &&
  !world.plan.quirks.length &&
  !HELD_UP.some((kind) => world.plan.kinds.has(kind));

const isSameLife = ({ kill, botRun, bot }: SimWorld): boolean =>
  kill !== undefined && bot !== undefined && botRun?.number === kill.process;

/** After a kill nothing opens; at quiet, what its level takes away is gone. */
export const killWorks: Check = {
  id: 'P15',
  name: 'KillWorks',
  watch: (world) => ({
    onRecord({ type, commandId, state }) {
      if (type === 'flatten' && commandId === KILL_ID)
        world.kill &&= { ...world.kill, flatten: state };
      return undefined;
    },
    onSend(sent) {
      const { kill } = world;
      if (kill === undefined || sent.process !== kill.process) return undefined;
      const opens = sent.isPlace && sent.body.includes('"reduce_only":false');
      return opens && !world.isFence(sent) && sent.at > kill.at + ONE_WRITE_MS
        ? `${sent.clientOrderId} opens ${sent.at - kill.at} ms after the kill`
        : undefined;
    },
    onQuiet() {
      const { kill } = world;
      if (kill === undefined || isCollision(world)) return undefined;
      if (kill.flatten === 'wanted') return leftHeld(world);
      if (!isSameLife(world)) return undefined;
      return (
        (kill.level === 'pause' ? undefined : leftOpen(world)) ??
        (kill.level === 'flatten' ? leftHeld(world) : undefined)
      );
    },
  }),
};

function leftOpen(world: SimWorld): Finding {
  const { ledger } = world.bot?.engine ?? {};
  const left = ownOpen(world).find(
    ({ clientOrderId = '' }) => ledger?.byClientOrderId(clientOrderId)?.unproved !== true,
  );
  return left === undefined ? undefined : `${left.clientOrderId} rests after the kill`;
}

function leftHeld(world: SimWorld): Finding {
  if (lacksLeverage(world)) return undefined;
  const symbol = TRADED.find(
    (each) => world.bot?.engine.positions.ownQuantity(each, 'USDT') !== ZERO,
  );
  if (symbol !== undefined) return `${symbol} is open after the flatten`;
  return world.kill?.flatten === 'flat' ? undefined : 'the flatten is not proved';
}
