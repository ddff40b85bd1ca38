import { isCollision } from './collision.js';
import { CURRENCIES } from '../../../../src/core/currency.js';
import {
  add,
  fixedFromText,
  subtract,
  textFromFixed,
  type Amount,
} from '../../../../src/core/fixed.js';
import type { Check } from '../watch.js';

export const moneyConserved: Check = {
  id: 'P11',
  name: 'MoneyConserved',
  watch(world) {
    const { exchange } = world.sandbox;
    const wealth = (currency: 'USDT' | 'INR'): Amount => {
      const { balance, locked } = exchange.futuresWallet(currency);
      return add(add(exchange.spotBalance(currency), balance), locked);
    };
    const start = { USDT: wealth('USDT'), INR: wealth('INR') };
    const leak = (): string | undefined => {
      for (const currency of CURRENCIES) {
        const { realisedPnl, fees, funding, transfers } = exchange.totals(currency);
        const made = add(subtract(subtract(realisedPnl, fees), funding), transfers);
        const gained = subtract(wealth(currency), start[currency]);
        if (gained !== made) return `${currency}: ${gained} came of ${made} (1e-8)`;
      }
      return undefined;
    };
    return {
      venue: ({ kind }) => (kind === 'close' || kind === 'funding' ? leak() : undefined),
      quiet: leak,
      over: leak,
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
      record(line) {
        if (line.type === 'update' && line.clientOrderId !== undefined)
          filled.set(line.clientOrderId, String(line['filledQuantity']));
        return undefined;
      },
      quiet() {
        if (isCollision(world)) return undefined;
        for (const clientOrderId of world.landed.keys()) {
          const real = world.order(clientOrderId)?.filledQuantity ?? 0;
          const told = fixedFromText(filled.get(clientOrderId) ?? '0');
          if (told !== real)
            return `${clientOrderId}: ${textFromFixed(told)} filled in the journal, not ${real}`;
        }
        return undefined;
      },
    };
  },
};
