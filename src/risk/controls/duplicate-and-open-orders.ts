import { breach, missingData, type Breach, type Control } from '../control.js';

/**
 * R08: no duplicate order. Each decision key and leg has one intent, without a time limit. An intent equal
 * to that of another decision within the window is refused, except for market exits. At send time the
 * intent itself is remembered, and a later one cannot make it a duplicate.
 */
export const duplicate: Control = {
  id: 'R08',
  key: 'duplicate_window_ms',
  clock: 'venue',
  class: 'reject',
  judge(evidence, limits, recent) {
    if (evidence.phase === 'send') return undefined;
    const { intent, instrument, venueTime } = evidence;
    if (instrument === undefined) return missingData(`instrument ${intent.terms.symbol}`);
    if (recent.hasDecision(intent)) {
      return breach(
        () => `this decision (leg ${intent.leg}) has had its order already`,
        () => ({ leg: String(intent.leg) }),
      );
    }
    // A repeated market reduction cannot exceed the position.
    if (evidence.isExit && intent.terms.type === 'market') return undefined;
    const sinceMs = recent.msSinceSame(intent, {
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
 * R23: no new entry on a symbol with orders of unknown outcome. Judged at the decision alone: an order that
 * is sent again under its own id must not be refused for its own unknown outcome; the engine checks a
 * first sending.
 */
export const unknownOrders: Control = {
  id: 'R23',
  key: 'unknown_intents',
  clock: 'none',
  class: 'reject',
  judge({ isExit, phase, intent, unknownOrders: count }, { breakers }) {
    const limit = breakers.maxUnknownOrders.symbol;
    if (isExit || phase !== 'decide' || count < limit) return undefined;
    const { symbol } = intent.terms;
    return breach(
      () => `${count} orders of ${symbol} have an unknown outcome, limit ${limit}`,
      () => ({ symbol, unknown: String(count), limit: String(limit) }),
    );
  },
  margins({ isExit, phase, unknownOrders: count }, { breakers }) {
    if (isExit || phase !== 'decide') return [];
    const limit = String(breakers.maxUnknownOrders.symbol - 1);
    return [{ value: String(count), limit, unit: 'orders' }];
  },
};

/**
 * R10: the number of orders that may rest is limited, so that a kill switch cancels them quickly. Limit
 * exits count; market exits never rest.
 */
export const openOrders: Control = {
  id: 'R10',
  key: 'max_open_orders',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const { symbol, account } = limits.maxOpenOrders;
    const { symbolOrders, accountOrders, isMarketExit } = evidence;
    if (isMarketExit) return undefined;
    if (!(symbolOrders <= symbol)) {
      return tooMany(evidence.intent.terms.symbol, symbolOrders, symbol);
    }
    return accountOrders <= account ? undefined : tooMany('the account', accountOrders, account);
  },
  margins({ symbolOrders, accountOrders, isMarketExit }, { maxOpenOrders: { symbol, account } }) {
    if (isMarketExit) return [];
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

/** R09: entries of the account within a minute. The refusal is for now: a target tries again. */
export const entryRate: Control = {
  id: 'R09',
  key: 'max_entries_per_minute',
  clock: 'venue',
  class: 'reject',
  judge({ entry }, { breakers: { maxEntriesPerMinute: limit } }) {
    if (entry === undefined || entry.minuteEntries <= limit) return undefined;
    const { minuteEntries } = entry;
    return breach(
      () => `it would be entry ${minuteEntries} within a minute, limit ${limit}: it waits`,
      () => ({ entries: String(minuteEntries), limit: String(limit) }),
    );
  },
  margins({ entry }, { breakers: { maxEntriesPerMinute } }) {
    if (entry === undefined) return [];
    const limit = String(maxEntriesPerMinute);
    return [{ value: String(entry.minuteEntries), limit, unit: 'orders' }];
  },
};
