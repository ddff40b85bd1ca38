import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { Gate } from '../../risk/gate.js';
import type { LossLimits } from '../../risk/limits/loss-limits.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { PriceCache } from '../market/price-cache.js';
import type { Flatten } from '../operator/flatten.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { TradingState } from '../trading-state.js';
import { AccountEquity } from './account-equity.js';
import type { AccountView } from './account-view.js';
import type { HedgeRate } from './hedge-rate.js';
import { LossLimiter } from './loss-limiter.js';
import { LossMonitor } from './loss-monitor.js';

export interface LossPartsOptions {
  readonly currency: Currency;
  readonly gate: Gate;
  readonly recovered?: Recovery;
  /** A session of an operator leaves the enforcement to the next run. */
  readonly manualSession?: boolean;
}

export interface SharedLossParts {
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly requests: RequestTracker;
  readonly positions: PositionLedger;
  readonly prices: PriceCache;
  readonly accountView: AccountView;
  readonly hedgeRate: HedgeRate;
  readonly tradingState: TradingState;
  readonly isTraded: (symbol: string) => boolean;
  readonly reconciliation: () => Reconciliation;
  readonly flatten: () => Flatten;
  readonly cancelEntries: () => void;
}

/** Measurement of losses and its enforcement; undefined under preset `none`, which evaluates no control. */
export function createLosses(
  { currency, gate, recovered, manualSession }: LossPartsOptions,
  shared: SharedLossParts,
): { readonly losses?: LossMonitor; readonly lossLimiter?: LossLimiter } {
  if (gate.preset === 'none') return {};
  const { accountView, tradingState, effects } = shared;
  const limits = (): LossLimits => gate.limits.loss;
  const previous = recovered?.losses?.currency === currency ? recovered.losses : undefined;
  const losses = new LossMonitor({
    ...shared,
    currency,
    limits,
    equity: new AccountEquity({ ...shared, currency }),
    isReady: () => tradingState.isReady,
    isStopping: () => tradingState.isStopping,
    wallet: () => accountView.of(currency).wallet,
    hasSettled: (startedAt) => shared.reconciliation().hasSettledSince(startedAt),
    ...(previous !== undefined && { recovered: previous }),
  });
  const isBacktest = !effects.journaling;
  const isEnforced = enforcesLimits(gate.preset) && manualSession !== true;
  if (isBacktest && !isEnforced) return { losses };
  return {
    losses,
    lossLimiter: new LossLimiter({ ...shared, limits, losses, isEnforced, isBacktest }),
  };
}
