import { assert } from '../core/assert.js';
import { Bookkeeper } from './bookkeeper.js';
import type { ExchangeState } from './exchange-state.js';
import { Matcher } from './matcher.js';

export function createBookkeeper(state: ExchangeState): Bookkeeper {
  const { nextId, takerFeeRate, makerFeeRate } = state.options;
  return new Bookkeeper({
    assumptions: state.assumptions,
    wallet: (currency) => state.wallets[currency],
    nextId,
    nowMs: () => state.nowMs,
    takerFeeRate,
    makerFeeRate,
    hedgeRate: (currency) => state.hedgeRate(currency),
    pnlRate: (position) => state.pnlRate(position),
  });
}

export function createMatcher(state: ExchangeState, bookkeeper: Bookkeeper): Matcher {
  const slippageBps = state.options.slippageBps ?? 0;
  assert(slippageBps >= 0 && slippageBps < 10_000, 'Slippage takes less than the whole price');
  return new Matcher({
    assumptions: state.assumptions,
    announcer: state.announcer,
    bookkeeper,
    wallet: (currency) => state.wallets[currency],
    nextId: state.options.nextId,
    nowMs: () => state.nowMs,
    slippageBps,
    accepted: (order) => state.accept(order),
    ended: (order) => state.orders.end(order),
    closed: (close) => state.closes.push(close),
  });
}
