import { breach, unknown, type Breach, type Control } from '../control.js';

/**
 * R08: the same order twice. One intent for each decision key and leg, for ever; and none that looks
 * like another decision's within the window, but for market exits. At send time the intent itself is in the memory, and
 * nothing that came after it can make it a duplicate.
 */
export const duplicate: Control = {
  id: 'R08',
  key: 'duplicate_window_ms',
  clock: 'venue',
  judge(evidence, limits, recent) {
    if (evidence.phase === 'send') return undefined;
    const { intent, instrument, venueTime } = evidence;
    if (instrument === undefined) return unknown(`instrument ${intent.terms.symbol}`);
    if (recent.hasDecision(intent)) {
      return breach(
        () => `this decision (leg ${intent.leg}) has had its order already`,
        () => ({ leg: String(intent.leg) }),
      );
    }
    // A reduction that is repeated takes off no more than there is.
    if (evidence.exit && intent.terms.type === 'market') return undefined;
    const sinceMs = recent.sinceSame(intent, {
      now: venueTime,
      windowMs: limits.duplicateWindowMs,
      step: instrument.quantityStep,
    });
    return sinceMs === undefined ? undefined : sameWithin(sinceMs, limits.duplicateWindowMs);
  },
};

function sameWithin(sinceMs: number, windowMs: number): Breach {
  return breach(
    () => `the same order was wanted ${sinceMs} ms before, window ${windowMs} ms`,
    () => ({ since_ms: String(sinceMs), window_ms: String(windowMs) }),
  );
}

/**
 * R10: orders that may rest, so that a kill sweep stays short. Limit exits count: they rest as well. An
 * exit at the market never does.
 */
export const openOrders: Control = {
  id: 'R10',
  key: 'max_open_orders',
  clock: 'none',
  judge(evidence, limits) {
    const { symbol, account } = limits.maxOpenOrders;
    const { symbolOrders, accountOrders, marketExit } = evidence;
    if (marketExit) return undefined;
    if (!(symbolOrders <= symbol)) {
      return tooMany(evidence.intent.terms.symbol, symbolOrders, symbol);
    }
    return accountOrders <= account ? undefined : tooMany('the account', accountOrders, account);
  },
  margins({ symbolOrders, accountOrders, marketExit }, { maxOpenOrders: { symbol, account } }) {
    if (marketExit) return [];
    const unit = 'orders';
    return [
      { part: 'symbol', value: String(symbolOrders), limit: String(symbol), unit },
      { part: 'account', value: String(accountOrders), limit: String(account), unit },
    ];
  },
};

function tooMany(where: string, orders: number, limit: number): Breach {
  return breach(
    () => `it would be order ${orders} open in ${where}, limit ${limit}`,
    () => ({ where, orders: String(orders), limit: String(limit) }),
  );
}
