import { isCollision } from './collision.js';
import { CURRENCIES } from '../../../../src/core/currency.js';
import {
  add,
  fixedFromText,
  subtract,
  textFromFixed,
  type Amount,
} from '../../../../src/core/fixed/fixed.js';
import type { Check } from '../watcher.js';

export const moneyConserved: Check = {
  id: 'P11',
  name: 'MoneyConserved',
  watch(world) {
    const { exchange } = world.sandbox;
    const equity = (currency: 'USDT' | 'INR'): Amount => {
      const { balance, locked } = exchange.futuresWallet(currency);
      return add(add(exchange.spotBalance(currency), balance), locked);
    };
    const start = { USDT: equity('USDT'), INR: equity('INR') };
    const leak = (): string | undefined => {
      for (const currency of CURRENCIES) {
        const { realisedPnl, fees, funding, transfers } = exchange.totals(currency);
        const made = add(subtract(subtract(realisedPnl, fees), funding), transfers);
        const gained = subtract(equity(currency), start[currency]);
        if (gained !== made) return `${currency}: ${gained} came of ${made} (1e-8)`;
      }
      return undefined;
    };
    return {
      onVenueEvent: ({ kind }) => (kind === 'close' || kind === 'funding' ? leak() : undefined),
      onQuiet: leak,
      onRunEnd: leak,
    };
  },
};

/** What the journal says that was filled is all that was filled. */
export const completeHistory: Check = {
  id: 'P32',
  name: 'CompleteHistory',
  watch(world) {
    const filled = new Map<string, string>();
    return {
      onRecord(line) {
        if (line.type === 'update' && line.clientOrderId !== undefined)
          filled.set(line.clientOrderId, String(line['filledQuantity']));
        return undefined;
      },
      onQuiet() {
        if (isCollision(world)) return undefined;
        for (const clientOrderId of world.acceptedOrders.keys()) {
          const real = world.order(clientOrderId)?.filledQuantity ?? 0;
          const reported = fixedFromText(filled.get(clientOrderId) ?? '0');
          if (reported !== real)
            return `${clientOrderId}: ${textFromFixed(reported)} filled in the journal, not ${real}`;
        }
        return undefined;
      },
    };
  },
};
