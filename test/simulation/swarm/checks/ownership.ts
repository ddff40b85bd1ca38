import {
  add,
  isGreater,
  sign,
  textFromFixed,
  ZERO,
  type Quantity,
} from '../../../../src/core/fixed/fixed.js';
import { absolute } from '../../../../src/core/fixed/fixed.js';
import { isCollision } from './collision.js';
import { exitsLeave } from './exits-leave.js';
import { isFenceOrder } from './fence-order.js';
import { configOf, TRADED } from '../sim-config.js';
import type { Check } from '../watcher.js';

/** Without faults a stop is set, or its position closed, within this time, real ms (R18: 5 s, with reads). */
const NAKED_MS = 20_000;

/** What the journal says of the newest filled entry of a symbol. */
interface Terms {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly reduceOnly: boolean;
  readonly stopLoss?: string;
}

/** Once the venue answers, no position whose newest entry had a stop stays without one. */
export const protectedPositions: Check = {
  id: 'P16',
  name: 'Protected',
  watch(world) {
    /** Side of the newest filled entry, where it had a stop: a position of the other side is another's. */
    const stoppedSide = new Map<string, 'long' | 'short' | undefined>();
    const nakedSince = new Map<string, number>();
    /** Stops may be set since then. */
    let wellSince = Number.POSITIVE_INFINITY;
    return {
      onVenueEvent(event) {
        if (event.kind !== 'fill') return undefined;
        const { clientOrderId = '' } = event.order;
        const terms = world.intents.get(clientOrderId)?.['terms'] as Terms | undefined;
        if (terms?.reduceOnly !== false) return undefined;
        const hasStop = terms.stopLoss !== undefined && !isFenceOrder(world, event.order);
        const side = terms.side === 'buy' ? 'long' : 'short';
        stoppedSide.set(terms.symbol, hasStop ? side : undefined);
        return undefined;
      },
      onSettled() {
        const { bot, phase, sandbox } = world;
        const now = world.time.monotonicMs();
        const isWell = phase !== 'faults' && bot !== undefined && exitsLeave(bot.engine);
        wellSince = isWell ? Math.min(wellSince, now) : Number.POSITIVE_INFINITY;
        if (!isWell || isCollision(world)) return undefined;
        const rows = sandbox.exchange.positions('USDT');
        for (const symbol of TRADED) {
          const row = rows.find((each) => each.symbol === symbol);
          const isNaked = row !== undefined && row.stopLoss === undefined;
          const isOwn = bot.engine.positions.ownQuantity(symbol, 'USDT') !== ZERO;
          const leaves = bot.engine.ledger.closingQuantity(symbol, 'USDT') !== ZERO;
          if (!isNaked || !isOwn || leaves || stoppedSide.get(symbol) !== row.side)
            nakedSince.delete(symbol);
          else if (!nakedSince.has(symbol)) nakedSince.set(symbol, now);
          const since = Math.max(nakedSince.get(symbol) ?? now, wellSince);
          if (now - since > NAKED_MS) return `${symbol} has no stop for ${now - since} ms`;
        }
        return undefined;
      },
      /** One is about to be set. */
      onQuiet() {
        const [symbol] = wellSince === Number.POSITIVE_INFINITY ? [] : nakedSince.keys();
        return symbol === undefined ? undefined : `${symbol} has no stop`;
      },
    };
  },
};

/**
 * A symbol has one owner, and what no order of ours explains is somebody else's: no part is more than its side has
 * traded there, and the two parts are the account.
 */
export const attribution: Check = {
  id: 'P25',
  name: 'Attribution',
  watch(world) {
    const { strategies } = configOf(world.plan);
    const traded = new Map<string, Quantity>();
    /** Symbol and sign → what our orders have bought or sold. */
    const filled = new Map<string, Quantity>();
    return {
      onRecord({ type, strategyId, terms }) {
        if (type !== 'intent') return undefined;
        const owner = strategies.find(({ id }) => id === strategyId);
        const { symbol } = terms as Terms;
        return owner === undefined || owner.symbols.includes(symbol)
          ? undefined
          : `${owner.id} trades ${symbol}, which it does not own`;
      },
      onVenueEvent(event) {
        if (event.kind !== 'fill' || event.order.currency !== 'USDT') return undefined;
        const { symbol, clientOrderId, side } = event.order;
        const isOwn = world.isOurs(clientOrderId);
        const key = isOwn ? `${symbol} ${side === 'buy' ? 1 : -1}` : symbol;
        const sums = isOwn ? filled : traded;
        sums.set(key, add(sums.get(key) ?? NONE, event.execution.quantity));
        return undefined;
      },
      onQuiet() {
        const { bot, sandbox } = world;
        if (bot === undefined || isCollision(world)) return undefined;
        for (const symbol of TRADED) {
          const own = bot.engine.positions.ownQuantity(symbol, 'USDT');
          const external = bot.engine.positions.externalQuantity(symbol, 'USDT');
          const real = sandbox.exchange.quantity(symbol, 'USDT');
          const texts = [own, external, real].map(textFromFixed);
          if (add(own, external) !== real)
            return `${symbol}: ours ${texts[0]} and others' ${texts[1]} are not ${texts[2]}`;
          if (isGreater(absolute(external), traded.get(symbol) ?? NONE))
            return `${symbol}: others have ${texts[1]}, and have not traded as much`;
          if (isGreater(absolute(own), filled.get(`${symbol} ${sign(own)}`) ?? NONE))
            return `${symbol}: ours are ${texts[0]}, and our orders have not filled as much`;
        }
        return undefined;
      },
    };
  },
};

const NONE = ZERO as Quantity;
