import type { Instrument } from '../core/instrument.js';
import { RequestTracker } from '../execution/request-tracker.js';
import { Journal } from '../execution/journal/journal.js';
import { SymbolLocks } from '../execution/symbol-locks.js';
import {
  KEPT_ENDED_ORDERS,
  KEPT_REPORTED_ORDERS,
  OrderLedger,
} from '../execution/order/order-ledger.js';
import { PositionLedger } from '../execution/position-ledger.js';
import type { NextFunding } from '../strategy/contract/strategy-port.js';
import { AccountView } from './account/account-view.js';
import { HedgeRate } from './account/hedge-rate.js';
import { RunCounts } from './account/run-counts.js';
import { SymbolHalts } from './account/symbol-halts.js';
import { UnreadableSymbols } from './account/unreadable-symbols.js';
import type { EngineOptions } from './engine-options.js';
import { EventClock } from './event-clock.js';
import { PriceCache } from './market/price-cache.js';
import { PriceMoves } from './market/price-moves.js';
import { PersistedStates } from './persisted-states.js';
import { ExternalActivity } from './reconciliation/external-activity.js';
import { TradingState } from './trading-state.js';

/** State that the parts share: each writes its own and reads the others'. */
export function createSharedParts(options: EngineOptions) {
  const { effects, gate, hedgeRate, recovered } = options;
  const stamp = new EventClock();
  const positions = new PositionLedger();
  const journal = new Journal(effects, stamp);
  const restrictions = recovered !== undefined && { recovered: recovered.restrictions };
  const tradingState = new TradingState({ stamp, journal, effects, ...restrictions });
  const halt = (reason: string): void => {
    tradingState.halt(reason);
  };
  const external = new ExternalActivity((text) => {
    effects.notify({ level: 'warn', text });
  });
  return {
    effects,
    stamp,
    positions,
    journal,
    tradingState,
    halt,
    external,
    counts: new RunCounts(),
    states: new PersistedStates(recovered?.states),
    ledger: new OrderLedger(positions, keptEndedOrdersOf(options), effects.reportsOrders !== true),
    prices: new PriceCache(),
    priceMoves: new PriceMoves(),
    funding: new Map<string, NextFunding>(),
    instruments: new Map<string, Instrument>(),
    accountView: new AccountView(),
    hedgeRate: new HedgeRate({ configured: hedgeRate, stamp, effects }),
    requests: new RequestTracker(effects, stamp),
    locks: new SymbolLocks(),
    unreadable: new UnreadableSymbols({ journal, effects }),
    halts: new SymbolHalts({
      tradingState,
      effects,
      isHeld: () => gate.limits.protection.externalHand === 'hold',
    }),
  };
}

/** A session of a person names every order. A daemon runs for weeks, and a backtest has hundreds of thousands. */
const keptEndedOrdersOf = (options: EngineOptions): number | undefined => {
  const { effects, manualSession, keptEndedOrders = KEPT_ENDED_ORDERS } = options;
  if (manualSession === true) return undefined;
  if (effects.reportsOrders === true) return KEPT_REPORTED_ORDERS;
  return effects.journaling ? keptEndedOrders : undefined;
};

export type SharedParts = ReturnType<typeof createSharedParts>;
